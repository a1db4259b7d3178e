/** Relations to several types with `populate: "*"` inside, as Strapi answers them. */
import { expect, test } from "bun:test";
import { relation, testApp, typeFile } from "../../project.ts";

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
