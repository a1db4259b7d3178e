/** Relations to several types with `populate: "*"` inside, as Strapi answers them. */
import { expect, test } from "bun:test";
import { type Body, relation, testApp, typeFile } from "../../project.ts";

test("omits a polymorphic list with populate=* inside, unless types are named by `on`", async () => {
  const app = await testApp({
    ...typeFile("tag", { name: { type: "string" }, next: relation("oneToOne", "tag") }),
    ...typeFile("box", { name: { type: "string" }, items: { type: "relation", relation: "morphToMany" } }),
  });
  const { body: tag } = await app.call("POST", "/api/tags", { data: { name: "a" } });
  const items = [{ id: tag.data.id, __type: "api::tag.tag" }];
  await app.call("POST", "/api/boxs", { data: { name: "b", items } });
  const itemsOf = async (query: string) => (await app.call("GET", `/api/boxs?${query}`)).body.data[0].items;
  expect(await itemsOf("populate=items")).toMatchObject([{ name: "a" }]);
  expect(await itemsOf("populate[items][populate]=*")).toBeUndefined();
  const chosen = "populate[items][on][api::tag.tag]";
  expect(await itemsOf(`populate[items][populate]=*&${chosen}=true`)).toMatchObject([{ name: "a" }]);
  expect(await itemsOf(`${chosen}[populate]=*`)).toMatchObject([{ name: "a", next: null }]);
  await app.close();
});

test("own code gets what is below each entry, and its responses to clients omit the list, too", async () => {
  const app = await testApp({
    ...typeFile("tag", { name: { type: "string" }, next: relation("oneToOne", "tag") }),
    ...typeFile("box", { name: { type: "string" }, items: { type: "relation", relation: "morphToMany" } }),
    "src/index.js": `module.exports = { register({ strapi }) {
      globalThis.ownCode = strapi;
      strapi.documents.use((context, next) => next());
    } };`,
  });
  const strapi = (globalThis as unknown as { ownCode: Body }).ownCode;
  const { body: tag } = await app.call("POST", "/api/tags", { data: { name: "a" } });
  const items = [{ id: tag.data.id, __type: "api::tag.tag" }];
  const query = "populate[items][populate]=*";
  const { body: box } = await app.call("POST", `/api/boxs?${query}`, { data: { name: "b", items } });
  const path = `/api/boxs/${box.data.documentId}`;
  expect([box.data.items, (await app.call("GET", `${path}?${query}`)).body.data.items]).toEqual([undefined, undefined]);
  const populate = { items: { populate: "*" } };
  const found = await strapi.documents("api::box.box").findMany({ populate });
  expect(found).toMatchObject([{ items: [{ name: "a", next: null }] }]);
  expect(await strapi.entityService.findMany("api::box.box", { populate })).toMatchObject(found);
  await app.close();
});
