/** Relations of a type without drafts to single versions of documents. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Body, relation, type TestApp, testApp, typeFile } from "../project.ts";

let app: TestApp;
let strapi: Body;

beforeAll(async () => {
  app = await testApp({
    ...typeFile("product", { name: { type: "string" } }, { draftAndPublish: true }),
    ...typeFile("shop", {
      name: { type: "string" },
      best: relation("oneToOne", "product"),
      main: relation("manyToOne", "product"),
    }),
    "src/index.js": "module.exports = { register({ strapi }) { globalThis.ownCode = strapi; } };",
  });
  strapi = (globalThis as unknown as { ownCode: Body }).ownCode;
});
afterAll(() => app.close());

test("a to-one relation keeps the other version of the document that is connected, and no other document", async () => {
  const products = strapi.documents("api::product.product");
  const shops = strapi.documents("api::shop.shop");
  const [{ documentId }, other] = [await products.create({ data: { name: "a" } }), await products.create({ data: {} })];
  await products.publish({ documentId });
  const link = (status: string, id = documentId) => ({ documentId: id, status });
  const shop = await shops.create({ data: { best: link("draft"), main: link("draft") } });
  const update = (value: Body) => shops.update({ documentId: shop.documentId, data: { best: value, main: value } });
  const linked = async (status: string) => {
    const found = await shops.findOne({ documentId: shop.documentId, status, populate: ["best", "main"] });
    return [found.best, found.main].map((target) => target && [target.name, target.publishedAt !== null]);
  };
  const draft = ["a", false];
  const published = ["a", true];

  expect([await linked("draft"), await linked("published")]).toEqual([
    [draft, draft],
    [null, null],
  ]);
  await update({ connect: [link("published")] });
  expect([await linked("draft"), await linked("published")]).toEqual([
    [draft, draft],
    [published, published],
  ]);
  await update({ disconnect: [link("draft")] });
  expect([await linked("draft"), await linked("published")]).toEqual([
    [null, null],
    [published, published],
  ]);
  await update({ connect: [link("draft", other.documentId)] });
  expect([await linked("draft"), await linked("published")]).toEqual([
    [
      [null, false],
      [null, false],
    ],
    [null, null],
  ]);
});
