/** Indexes that code creates with SQL. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Body, type TestApp, testApp, typeFile } from "../project.ts";

let app: TestApp;
let strapi: Body;
const NOTE = "api::note.note";
const raw = async (sql: string) => strapi.db.connection.raw(sql);
const create = (data: object) => app.call("POST", "/api/notes", { data });

beforeAll(async () => {
  app = await testApp({
    ...typeFile(
      "note",
      { slug: { type: "string" }, orderNumber: { type: "integer" }, title: { type: "string" } },
      { draftAndPublish: true },
    ),
    "src/index.js": "module.exports = { register({ strapi }) { globalThis.ownCode = strapi; } };",
  });
  strapi = (globalThis as unknown as { ownCode: Body }).ownCode;
});
afterAll(() => app.close());

test("a unique index refuses duplicates with an error of the server, and keeps nothing of them", async () => {
  const sql =
    "CREATE UNIQUE INDEX IF NOT EXISTS own_slug ON notes(slug) WHERE slug IS NOT NULL AND published_at IS NULL";
  await raw(sql);
  await raw(sql);
  expect((await create({ slug: "same" })).status).toBe(201);
  const refused = await create({ slug: "same" });
  expect(refused).toMatchObject({ status: 500, body: { data: null, error: { name: "InternalServerError" } } });
  expect((await create({ slug: null })).status).toBe(201);
  expect((await create({ slug: null })).status).toBe(201);
  expect(await strapi.documents(NOTE).count({ filters: { slug: "same" } })).toBe(1);
  const other = await strapi.documents(NOTE).create({ data: { slug: "other" } });
  await expect(strapi.documents(NOTE).update({ documentId: other.documentId, data: { slug: "same" } })).rejects.toThrow(
    "UNIQUE constraint failed",
  );
  await raw("DROP INDEX own_slug");
  expect((await create({ slug: "same" })).status).toBe(201);
  await expect(raw(sql)).rejects.toThrow("UNIQUE constraint failed");
});

test("a document whose published version is replaced is not a duplicate of itself", async () => {
  await raw("CREATE UNIQUE INDEX own_published ON notes (title) WHERE published_at IS NOT NULL");
  const { body } = await create({ title: "one" });
  const path = `/api/notes/${body.data.documentId}`;
  expect((await app.call("PUT", path, { data: { title: "one" } })).status).toBe(200);
  expect((await app.call("PUT", path, { data: { title: "two" } })).status).toBe(200);
  expect((await create({ title: "two" })).status).toBe(500);
});

test("columns have Strapi's names, also in the schema builder", async () => {
  await strapi.db.connection.schema.alterTable("notes", (table: Body) => {
    table.unique(["order_number"], { indexName: "own_order" });
  });
  expect((await create({ orderNumber: 1 })).status).toBe(500);
  await strapi.db.connection.schema.alterTable("notes", (table: Body) => {
    table.dropIndex([], "own_order");
  });
  expect((await create({ orderNumber: 1 })).status).toBe(201);
  await expect(raw("CREATE INDEX own_none ON notes (nothing)")).rejects.toThrow();
  await expect(raw("CREATE INDEX galley_own ON notes (slug)")).rejects.toThrow("Galley's own table");
});
