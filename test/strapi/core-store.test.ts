/** `strapi::core-store`: settings as rows, with the configurations of forms that Strapi stores at its first start. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Body, type TestApp, testApp, typeFile } from "../project.ts";

const run = `module.exports = {
  run: async (ctx) => {
    const AsyncFunction = (async () => {}).constructor;
    try {
      ctx.body = { value: await new AsyncFunction("strapi", "rows", ctx.request.body.code)(
        strapi, strapi.db.query("strapi::core-store")) };
    } catch ({ name, message }) {
      ctx.body = { value: { name, message } };
    }
  },
};`;
const KEY = "plugin_content_manager_configuration_content_types::api::note.note";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({
    ...typeFile("note", { title: { type: "string" }, count: { type: "integer" } }),
    "src/api/run/controllers/run.js": run,
    "src/api/run/routes/run.js": `module.exports = { routes: [{ method: "POST", path: "/run", handler: "run.run", config: { auth: false } }] };`,
  });
});
afterAll(() => app.close());

const evaluate = async (code: string): Promise<Body> => (await app.call("POST", "/api/run", { code })).body.value;

test("the configuration of a form is a row before anybody changed it", async () => {
  const row = await evaluate(`return rows.findOne({ where: { key: "${KEY}" } })`);
  expect(Object.keys(row)).toEqual(["id", "key", "value", "type", "environment", "tag"]);
  expect(row).toMatchObject({ key: KEY, type: "object", environment: null, tag: null });
  const { uid, settings, metadatas, layouts } = JSON.parse(row.value);
  expect(uid).toBe("api::note.note");
  expect(metadatas.documentId.list).toEqual({ label: "documentId", searchable: true, sortable: true });
  expect(settings).toMatchObject({ pageSize: 10, mainField: "title", defaultSortBy: "title", defaultSortOrder: "ASC" });
  expect(metadatas.count.edit).toMatchObject({ label: "count", visible: true, editable: true });
  expect(layouts.list).toEqual(["id", "title", "count", "createdAt"]);
});

test("what code writes to a row is what strapi.store reads, and the other way round", async () => {
  const before = await evaluate(`return rows.findOne({ where: { key: "${KEY}" } })`);
  const changed = await evaluate(`
    const row = await rows.findOne({ where: { key: "${KEY}" } });
    const value = JSON.parse(row.value);
    value.metadatas.title.edit.label = "Headline";
    await rows.update({ where: { id: row.id }, data: { value: JSON.stringify(value) } });
    return strapi.store({ type: "plugin", name: "content_manager" }).get({ key: "configuration_content_types::api::note.note" })`);
  expect(changed.metadatas.title.edit.label).toBe("Headline");
  const after = await evaluate(`return rows.findOne({ where: { key: { $contains: "api::note" } } })`);
  expect(after.id).toBe(before.id);
  expect(JSON.parse(after.value)).toEqual(changed);

  await evaluate(`await strapi.store.set({ type: "core", key: "own", value: { steps: [1] } })`);
  const own = await evaluate(`return rows.findMany({ where: { key: "core_own" } })`);
  expect(own).toMatchObject([{ key: "core_own", value: '{"steps":[1]}', type: "object" }]);
});

test("only reads have a default type, and writes resolve with the row", async () => {
  const [set, read, typed] = await evaluate(`
    const set = await strapi.store.set({ key: "typeless", value: 1 });
    return [set, await strapi.store.get({ key: "typeless" }), await strapi.store({ type: "undefined" }).get({ key: "typeless" })]`);
  expect(set).toMatchObject({ key: "undefined_typeless", value: "1", type: "number", environment: null, tag: null });
  expect([read, typed]).toEqual([null, 1]);
  const removed = await evaluate(
    `return [await strapi.store.delete({ key: "typeless" }), await strapi.store.delete({ key: "typeless" })]`,
  );
  expect(removed).toEqual([set, null]);
});

test("rows are created, counted and deleted", async () => {
  const made = await evaluate(
    `return rows.create({ data: { key: "plugin_seeds_done", value: "true", type: "boolean" } })`,
  );
  expect(made).toMatchObject({ id: expect.any(Number), key: "plugin_seeds_done", value: "true", type: "boolean" });
  expect(await evaluate(`return strapi.store.get({ type: "plugin", name: "seeds", key: "done" })`)).toBe(true);
  expect(await evaluate(`return rows.count({ where: { key: "plugin_seeds_done" } })`)).toBe(1);
  await evaluate(`return rows.delete({ where: { key: "plugin_seeds_done" } })`);
  expect(await evaluate(`return strapi.store.get({ type: "plugin", name: "seeds", key: "done" })`)).toBeNull();
  expect(await evaluate(`return rows.findOne({ where: { key: "plugin_seeds_done" } })`)).toBeNull();
});

test("a write that is rolled back leaves the settings and rows as they were", async () => {
  await evaluate(`await strapi.db.transaction(async () => {
    await rows.create({ data: { key: "core_lost", value: "1" } });
    throw new Error("no");
  })`);
  expect(await evaluate(`return rows.findOne({ where: { key: "core_lost" } })`)).toBeNull();
  expect(await evaluate(`return strapi.store.get({ key: "lost" })`)).toBeNull();
});

test("rows that are read inside a transaction that is rolled back are forgotten", async () => {
  await evaluate(`await strapi.store.set({ type: "core", key: "turned", value: "before" })`);
  const inside = await evaluate(`
    let seen;
    await strapi.db.transaction(async () => {
      await strapi.store.set({ type: "core", key: "turned", value: "inside" });
      seen = await rows.findOne({ where: { key: "core_turned" } });
      throw new Error("no");
    }).catch(() => undefined);
    return seen.value`);
  expect(inside).toBe('"inside"');
  expect((await evaluate(`return rows.findOne({ where: { key: "core_turned" } })`)).value).toBe('"before"');
  // a later write has a version of its own, also if it is the first since
  await evaluate(`await strapi.store.set({ type: "core", key: "turned", value: "after" })`);
  expect((await evaluate(`return rows.findOne({ where: { key: "core_turned" } })`)).value).toBe('"after"');
});

test("statements of SQL read and write the rows", async () => {
  const where = `{ key: "${KEY}" }`;
  const row = await evaluate(`
    const table = () => strapi.db.connection("strapi_core_store_settings");
    const { id, value } = await table().where(${where}).first();
    const changed = JSON.parse(value);
    changed.settings.pageSize = 50;
    await table().where({ id }).update({ value: JSON.stringify(changed) });
    return rows.findOne({ where: ${where} })`);
  expect(JSON.parse(row.value)).toMatchObject({ uid: "api::note.note", settings: { pageSize: 50 } });

  const stored = await evaluate(`
    await strapi.db.connection("strapi_core_store_settings").insert({ key: "plugin_own_a", value: '"first"', type: "string" });
    return strapi.store({ type: "plugin", name: "own" }).get({ key: "a" })`);
  expect(stored).toBe("first");
  const removed = await evaluate(`
    const count = await strapi.db.connection.raw("DELETE FROM strapi_core_store_settings WHERE key LIKE ?", ["plugin_own_%"]);
    return [count.changes, await strapi.store({ type: "plugin", name: "own" }).get({ key: "a" })]`);
  expect(removed).toEqual([1, null]);
});

test("a rolled back statement of SQL leaves the rows", async () => {
  const rows = await evaluate(`
    const insert = (connection) => connection("strapi_core_store_settings").insert({ key: "core_undone", value: "1", type: "number" });
    await strapi.db.transaction(async ({ trx }) => { await insert(trx); throw new Error("no"); }).catch(() => {});
    await strapi.db.connection.transaction(async (trx) => { await insert(trx); throw new Error("no"); }).catch(() => {});
    return [await strapi.store.get({ key: "undone" }), await rows.findMany({ where: { key: "core_undone" } })]`);
  expect(rows).toEqual([null, []]);
});

test("SQL finds the tables of the administration", async () => {
  const found = await evaluate(`
    const { connection } = strapi.db;
    return [
      await connection.schema.hasTable("strapi_core_store_settings"), await connection.schema.hasColumn("admin_users", "email"),
      await connection.schema.hasTable("admin_none"),
      await strapi.db.connection("admin_roles").orderBy("id").pluck("code"),
      await strapi.db.connection("admin_users as u").join("admin_users_roles_lnk as l", "l.user_id", "u.id").select("u.id"),
    ]`);
  expect(found).toEqual([true, true, false, ["strapi-super-admin", "strapi-editor", "strapi-author"], []]);
});
