/** Conditions for what `strapi.db.query` populates of several types, as in Strapi. */
import { expect, test } from "bun:test";
import { type Body, componentFile, testApp, typeFile } from "../project.ts";

test("entries that do not match are left out", async () => {
  const app = await testApp({
    ...componentFile("part.text", { text: { type: "string" } }),
    ...componentFile("part.number", { size: { type: "integer" } }),
    ...typeFile("tag", { name: { type: "string" } }, { draftAndPublish: true }),
    ...typeFile("box", {
      items: { type: "relation", relation: "morphToMany" },
      top: { type: "relation", relation: "morphToOne" },
      zone: { type: "dynamiczone", components: ["part.text", "part.number"] },
    }),
    "src/index.js": "module.exports = { bootstrap({ strapi }) { globalThis.ownCode = strapi; } };",
  });
  const strapi = (globalThis as unknown as { ownCode: Body }).ownCode;
  const { documentId, id } = await strapi.documents("api::tag.tag").create({ data: { name: "a" } });
  await strapi.documents("api::tag.tag").publish({ documentId });
  const __type = "api::tag.tag";
  const zone = ["a", "b"].map((text) => ({ __component: "part.text", text }));
  await strapi
    .documents("api::box.box")
    .create({ data: { items: [{ __type, documentId }], top: { __type, id }, zone } });
  const read = (populate: object): Promise<Body> => strapi.db.query("api::box.box").findOne({ populate });
  const where = { publishedAt: { $notNull: true } };
  expect((await read({ items: true })).items).toHaveLength(2);
  const { items, top } = await read({ items: { where }, top: { where } });
  expect(items).toHaveLength(1);
  expect(items[0].publishedAt).not.toBeNull();
  expect(top).toBeNull();
  const either = { $or: [{ name: "z" }, { $not: { name: "a" } }] };
  expect((await read({ items: { where: either } })).items).toEqual([]);
  expect((await read({ items: { filters: { name: "z" } } })).items).toEqual([]);
  expect((await read({ zone: { where: { text: "b" } } })).zone).toMatchObject([{ text: "b" }]);
  await app.close();
});
