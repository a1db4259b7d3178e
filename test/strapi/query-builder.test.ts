/** `strapi.db.queryBuilder`, and other members of `strapi.db` and `strapi.fs`. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { type Body, relation, type TestApp, testApp, typeFile } from "../project.ts";

let app: TestApp;
let strapi: Body;
const NOTE = "api::note.note";
const builder = () => strapi.db.queryBuilder(NOTE);

beforeAll(async () => {
  app = await testApp({
    ...typeFile("tag", { name: { type: "string" } }),
    ...typeFile(
      "note",
      {
        title: { type: "string" },
        orderNumber: { type: "integer" },
        tags: relation("manyToMany", "tag"),
      },
      { draftAndPublish: true },
    ),
    "src/index.js": "module.exports = { register({ strapi }) { globalThis.ownCode = strapi; } };",
  });
  strapi = (globalThis as unknown as { ownCode: Body }).ownCode;
  const tags = [];
  for (const name of ["red", "blue"])
    tags.push((await strapi.documents("api::tag.tag").create({ data: { name } })).documentId);
  for (const [index, title] of ["a", "b", "c"].entries())
    await strapi.documents(NOTE).create({ data: { title, orderNumber: index, tags: tags.slice(0, index) } });
});
afterAll(() => app.close());

test("rows are selected by conditions, also on relations", async () => {
  expect(
    await builder()
      .select(["title"])
      .where({ orderNumber: { $gt: 0 } })
      .orderBy({ title: "desc" })
      .execute(),
  ).toEqual([{ title: "c" }, { title: "b" }]);
  expect(
    await builder()
      .select("title")
      .where({ tags: { name: "blue" } })
      .execute(),
  ).toEqual([{ title: "c" }]);
  expect(await builder().select("title").where({ title: "a" }).where({ orderNumber: 0 }).first().execute()).toEqual({
    title: "a",
  });
  expect(await builder().where({ title: "none" }).first().execute()).toBeNull();
  const [found] = await builder()
    .init({ where: { title: "c" }, populate: ["tags"] })
    .execute();
  expect(found.tags.map(({ name }: Body) => name)).toEqual(["red", "blue"]);
  expect(() => builder().where("text")).toThrow("Where must be an object");
});

test("rows are counted, and limits and aggregates apply", async () => {
  expect(await builder().count().execute()).toEqual([{ count: 3 }]);
  expect(
    await builder()
      .count()
      .where({ tags: { name: "red" } })
      .first()
      .execute(),
  ).toEqual({ count: 2 });
  expect(await builder().max("orderNumber").first().execute()).toEqual({ max: 2 });
  expect(
    await builder()
      .min("title")
      .where({ orderNumber: { $gt: 0 } })
      .first()
      .execute(),
  ).toEqual({ min: "b" });
  expect(
    await builder()
      .init({ select: ["title"], orderBy: "title", limit: 1, offset: 1 })
      .execute(),
  ).toEqual([{ title: "b" }]);
});

test("rows are written without hooks, in the transaction of the code", async () => {
  const actions: string[] = [];
  const end = strapi.db.lifecycles.subscribe((event: Body) => void actions.push(event.action));
  const [{ id }] = await builder().insert({ title: "new" }).execute();
  expect(await builder().where({ id }).select(["title", "publishedAt"]).execute()).toEqual([
    { title: "new", publishedAt: null },
  ]);
  expect(await builder().update({ title: "changed" }).where({ id }).execute()).toBe(1);
  await builder().where({ id }).update({ orderNumber: 5 }).execute();
  await builder().where({ id }).increment("orderNumber", 2).execute();
  expect(await builder().select("orderNumber").where({ id }).first().execute()).toEqual({ orderNumber: 7 });
  await expect(
    strapi.db.transaction(async () => {
      await builder().delete().where({ id }).execute();
      throw new Error("back");
    }),
  ).rejects.toThrow("back");
  expect(await builder().delete().where({ title: "changed" }).execute()).toBe(1);
  await expect(builder().update({}).where({ id }).execute()).rejects.toThrow("Empty .update() call detected!");
  await expect(builder().update({ nothing: 1 }).execute()).rejects.toThrow("no such column: nothing");
  expect(actions).toEqual([]);
  end();
});

test("a copy is independent, and knex has the columns", async () => {
  const one = builder()
    .select("title")
    .where({ orderNumber: { $gt: 0 } });
  const other = one.clone().where({ title: "c" });
  expect([(await one.execute()).length, (await other.execute()).length]).toEqual([2, 1]);
  expect(await other.getKnexQuery()).toEqual([{ title: "c" }]);
  expect(await builder().select(["orderNumber"]).where({ title: "c" }).execute({ mapResults: false })).toEqual([
    { order_number: 2 },
  ]);
  expect(await builder().select("title").getKnexQuery().where("title", "a")).toEqual([{ title: "a" }]);
  expect(() => builder().join({ alias: "t1", targetField: "tags" })).toThrow(
    "join() by targetField of strapi.db.queryBuilder is not supported",
  );
});

test("the database describes itself", async () => {
  const { db } = strapi;
  expect(db.metadata.get(NOTE).attributes.orderNumber.columnName).toBe("order_number");
  expect([...db.metadata.keys()]).toContain("api::tag.tag");
  expect(() => db.metadata.get("none")).toThrow('Metadata for "none" not found');
  expect(await db.getSchemaConnection().hasTable("notes")).toBe(true);
  expect(await db.getSchemaConnection().hasTable("none")).toBe(false);
  expect(await db.entityManager.count(NOTE, { where: { title: "a" } })).toBe(1);
});

test("files are written below the project", async () => {
  const { root } = strapi.dirs.app;
  await strapi.fs.writeAppFile("data/a.txt", "one");
  strapi.fs.appendFile(["data", "a.txt"], " two");
  expect(readFileSync(`${root}/data/a.txt`, "utf8")).toBe("one two");
  await strapi.fs.writeAppFile("../../outside.txt", "x");
  await strapi.fs.writeAppFile("data/../../outside-too.txt", "x");
  expect([existsSync(`${root}/outside.txt`), existsSync(`${root}/outside-too.txt`)]).toEqual([true, true]);
  await strapi.fs.writePluginFile("upload", "a/b.json", "{}");
  expect(existsSync(`${root}/extensions/upload/a/b.json`)).toBe(true);
  await strapi.fs.removeAppFile("data");
  expect(existsSync(`${root}/data`)).toBe(false);
});

test("joined tables, by conditions on their columns", async () => {
  const joined = () => {
    const query = builder();
    const alias = query.getAlias();
    return query.join({
      alias,
      referencedTable: "notes_tags_lnk",
      referencedColumn: "note_id",
      rootColumn: "id",
      rootTable: query.alias,
    });
  };
  const linked = joined()
    .select("title")
    .where({ "t1.tag_id": { $notNull: true } })
    .where({ orderNumber: { $lt: 2 } });
  expect(await linked.execute()).toEqual([{ title: "b" }]);
  expect(await joined().count("t1.tag_id").execute()).toEqual([{ count: 3 }]);
  const raw = await joined()
    .select(["title"])
    .addSelect("t1.tag_id")
    .where({ title: "b" })
    .execute({ mapResults: false });
  expect(Object.keys(raw[0])).toEqual(["title", "tag_id"]);
});

test("link tables are read and written", async () => {
  const links = () => strapi.db.queryBuilder("notes_tags_lnk");
  const [first] = await links().select("*").orderBy("id").execute();
  expect(Object.keys(first)).toEqual(["id", "note_id", "tag_id", "tag_ord"]);
  expect(await links().count().execute()).toEqual([{ count: 3 }]);
  const { note_id, tag_id } = first;
  expect(await links().where({ note_id, tag_id }).delete().execute()).toBe(1);
  const row = { note_id, tag_id };
  expect(await links().insert(row).execute()).toHaveLength(1);
  expect(await links().insert(row).onConflict(["note_id", "tag_id"]).ignore().execute()).toEqual([]);
  expect(
    await links()
      .where({ $or: [{ note_id: { $in: [note_id] } }, { tag_id: -1 }] })
      .count()
      .execute(),
  ).toEqual([{ count: 1 }]);
  expect(() => strapi.db.queryBuilder("nothing")).toThrow('Metadata for "nothing" not found');
});

test("rows that exist are changed or left alone", async () => {
  const tags = () => strapi.db.queryBuilder("api::tag.tag");
  const { id } = await strapi.db.query("api::tag.tag").findOne({ where: { name: "red" } });
  const name = async () => (await strapi.db.query("api::tag.tag").findOne({ where: { id } })).name;
  expect(await tags().insert({ id, name: "ignored" }).onConflict("id").ignore().execute()).toEqual([]);
  expect(await name()).toBe("red");
  expect(await tags().insert({ id, name: "merged" }).onConflict("id").merge(["name"]).execute()).toEqual([{ id }]);
  expect(await name()).toBe("merged");
  await tags()
    .insert([{ id, name: "red" }, { name: "new" }])
    .onConflict(["id"])
    .merge()
    .execute();
  expect([await name(), await tags().where({ name: "new" }).delete().execute()]).toEqual(["red", 1]);
});

test("a rollback that code asks for is not an error, and nothing is written", async () => {
  const calls: string[] = [];
  const result = await strapi.db.transaction(async ({ rollback, onRollback }: Body) => {
    onRollback(() => calls.push("rolled back"));
    await strapi.db.query("api::tag.tag").create({ data: { name: "gone" } });
    await rollback();
    return "done";
  });
  const count = await strapi.db.query("api::tag.tag").count({ where: { name: "gone" } });
  expect([result, calls, count]).toEqual(["done", ["rolled back"], 0]);
});

test("a nested transaction is part of the one around it: neither an error that is caught nor rollback() ends it", async () => {
  const tags = strapi.db.query("api::tag.tag");
  const nested = (work: (handle: Body) => unknown): Promise<unknown> => strapi.db.transaction(work);
  await strapi.db.transaction(async () => {
    const failing = nested(async () => {
      await tags.create({ data: { name: "nested 1" } });
      throw new Error("caught");
    });
    await failing.catch(() => {});
    await nested(async ({ rollback }) => {
      await tags.create({ data: { name: "nested 2" } });
      await rollback();
    });
  });
  const where = { name: { $startsWith: "nested" } };
  expect(await tags.deleteMany({ where })).toEqual({ count: 2 });
  const lost = nested(() =>
    nested(async () => {
      await tags.create({ data: { name: "nested 3" } });
      throw new Error("not caught");
    }),
  );
  await expect(lost).rejects.toThrow("not caught");
  expect(await tags.count({ where })).toBe(0);
});

test("a transaction without a function contains what it is given to, until it is ended", async () => {
  const tags = () => strapi.db.queryBuilder("api::tag.tag");
  const names = async () => (await tags().select("name").execute()).map(({ name }: Body) => name);
  const before = await names();

  const lost = await strapi.db.transaction();
  await tags().insert({ name: "lost" }).transacting(lost.get()).execute();
  expect(await tags().where({ name: "lost" }).count().first().transacting(lost.get()).execute()).toEqual({ count: 1 });
  expect(await names()).toEqual(before);
  await lost.rollback();
  expect(await names()).toEqual(before);

  const kept = await strapi.db.transaction();
  await tags().insert({ name: "kept" }).transacting(kept.get()).execute();
  await kept.get()("tags").where({ name: "kept" }).update({ name: "renamed" });
  await kept.commit();
  expect(await names()).toEqual([...before, "renamed"]);
  expect(tags().where({ name: "renamed" }).delete().transacting(kept.get()).execute()).rejects.toThrow(
    "Transaction query already complete",
  );
});
