/** `strapi.db.connection`: SQL in the names of Strapi's tables. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Body, componentFile, relation, type TestApp, testApp, typeFile } from "../project.ts";

let app: TestApp;
let strapi: Body;
let knex: Body;
let note: Body;
beforeAll(async () => {
  app = await testApp({
    ...typeFile(
      "note",
      {
        title: { type: "string" },
        viewCount: { type: "integer" },
        isHot: { type: "boolean" },
        startsAt: { type: "datetime" },
        parts: { type: "component", component: "block.text", repeatable: true },
        tags: relation("manyToMany", "tag"),
        cover: { type: "media" },
        parent: relation("manyToOne", "note"),
      },
      { draftAndPublish: true },
    ),
    ...typeFile("tag", { name: { type: "string" } }),
    ...componentFile("block.text", { body: { type: "string" }, about: relation("oneToOne", "note") }),
    "src/index.js": "module.exports = { register({ strapi }) { globalThis.knexCode = strapi; } };",
  });
  strapi = (globalThis as unknown as { knexCode: Body }).knexCode;
  knex = strapi.db.connection;
  const tag = await strapi.documents("api::tag.tag").create({ data: { name: "red" } });
  note = await strapi.documents("api::note.note").create({
    data: {
      title: "a",
      viewCount: 1,
      isHot: true,
      startsAt: "2026-03-04T05:06:07.000Z",
      parts: [{ body: "x" }],
      tags: [tag.documentId],
    },
    status: "published",
  });
});
afterAll(() => app.close());

describe("reads", () => {
  test("columns in snake case, times in milliseconds, flags as numbers, a row for each version", async () => {
    const rows = await knex("notes").select("*").orderBy("id");
    expect(rows.length).toBe(2);
    expect(rows[1]).toMatchObject({
      document_id: note.documentId,
      title: "a",
      view_count: 1,
      is_hot: 1,
      starts_at: Date.parse("2026-03-04T05:06:07.000Z"),
      locale: null,
    });
    expect([rows[0].published_at, typeof rows[1].published_at, typeof rows[1].created_at]).toEqual([
      null,
      "number",
      "number",
    ]);
  });

  test("raw SQL with joins through links, values bound", async () => {
    const rows = await knex.raw(
      "SELECT n.title, t.name FROM notes n JOIN notes_tags_lnk l ON l.note_id = n.id JOIN tags AS t ON t.id = l.tag_id WHERE n.published_at IS NOT NULL AND n.title = ?",
      ["a"],
    );
    expect(rows).toEqual([{ title: "a", name: "red" }]);
  });

  test("links between types with versions, of rows and of components, joined with the rows", async () => {
    const documents = strapi.documents("api::note.note");
    const data = { title: "child", parent: note.documentId, parts: [{ body: "y", about: note.documentId }] };
    const { documentId } = await documents.create({ data, status: "published" });
    const parents = await knex("notes as n")
      .join("notes_parent_lnk as l", "l.note_id", "n.id")
      .join("notes as p", "p.id", "l.inv_note_id")
      .whereNotNull("p.published_at")
      .select("n.title", "p.title as parent");
    expect(parents).toEqual([{ title: "child", parent: "a" }]);
    const about = await knex("notes as n")
      .join("notes_cmps as c", "c.entity_id", "n.id")
      .join("components_block_text_about_lnk as l", "l.text_id", "c.cmp_id")
      .join("notes as a", "a.id", "l.note_id")
      .whereNotNull("a.published_at")
      .select("n.title", "a.title as about");
    expect(about).toEqual([{ title: "child", about: "a" }]);
    await documents.delete({ documentId });
  });

  test("builders: first, count, pluck, subqueries, components, own WITH", async () => {
    expect(await knex("notes").where({ title: "a" }).whereNull("published_at").first("title")).toEqual({ title: "a" });
    expect((await knex("tags").count("* as total"))[0]).toEqual({ total: 1 });
    expect(await knex("tags").pluck("name")).toEqual(["red"]);
    expect(await knex("tags").whereIn("id", knex("notes_tags_lnk").select("tag_id")).select("name")).toEqual([
      { name: "red" },
    ]);
    expect((await knex("notes_cmps").select("field", "component_type"))[0]).toEqual({
      field: "parts",
      component_type: "block.text",
    });
    expect(
      await knex.with("hot", knex("notes").where("is_hot", true)).from("hot").countDistinct("document_id as n"),
    ).toEqual([{ n: 1 }]);
    const known = ["notes", "notes_tags_lnk", "nothing"].map((name) => knex.schema.hasTable(name));
    expect(await Promise.all(known)).toEqual([true, true, false]);
  });

  test("what is not there is an error with its name", async () => {
    await expect(knex("no_such_table").select("*").then()).rejects.toThrow("no such table: no_such_table");
  });
});

describe("writes", () => {
  test("update columns of rows, and count them", async () => {
    const startsAt = new Date("2027-01-02T03:04:05.000Z");
    expect(await knex("notes").where({ title: "a" }).update({ view_count: 5, starts_at: startsAt })).toBe(2);
    const [read] = await strapi.documents("api::note.note").findMany({ status: "published" });
    expect(read).toMatchObject({ viewCount: 5, startsAt: startsAt.toISOString(), title: "a", isHot: true });
    await knex("notes").whereNotNull("published_at").increment("view_count", 2);
    expect((await strapi.documents("api::note.note").findFirst({ status: "published" })).viewCount).toBe(7);
  });

  test("behind comments and expressions are writes, too: cached reads are read again", async () => {
    const views = async () =>
      (await app.call("GET", "/api/notes?fields=viewCount")).body.data.map(({ viewCount }: Body) => viewCount);
    for (let round = 0; round < 3; round++) await views();
    const none = knex("tags").where({ name: "none" }).select("id");
    await knex.with("none", none).from("notes").whereNotIn("id", knex("none").select("id")).update({ view_count: 41 });
    expect(await views()).toEqual([41]);
    await knex.raw("-- (\nWITH x AS (SELECT ')' AS y) UPDATE notes SET view_count = 42, starts_at = 0");
    expect(await views()).toEqual([42]);
    await knex.raw("/* update */ UPDATE notes SET view_count = 7, starts_at = ?", [Date.parse("2027-01-02T03:04:05Z")]);
    expect(await views()).toEqual([7]);
    await expect(knex.raw("WITH x AS (SELECT 1) DELETE FROM galley_links").then()).rejects.toThrow("own table");
  });

  test("rows are inserted, and deleted with their links", async () => {
    const [id] = await knex("tags").insert({ name: "raw" });
    expect(await strapi.db.query("api::tag.tag").findOne({ where: { id } })).toMatchObject({ name: "raw" });
    const [other] = await knex("tags").insert({ name: "other" }).returning(["id", "name"]);
    expect(other).toEqual({ id: Number(id) + 1, name: "other" });
    await knex("notes_tags_lnk").insert({ note_id: note.id, tag_id: id });
    expect(await knex("tags").whereIn("id", [id, other.id]).del()).toBe(2);
    expect(await knex("notes_tags_lnk").where({ tag_id: id })).toEqual([]);
    expect(
      await knex("tags")
        .insert({ id: note.id + 1000, name: "own" })
        .onConflict("id")
        .ignore(),
    ).toEqual([note.id + 1000]);
    await knex("tags")
      .insert({ id: note.id + 1000, name: "again" })
      .onConflict("id")
      .ignore();
    expect(
      await knex("tags")
        .where({ id: note.id + 1000 })
        .pluck("name"),
    ).toEqual(["own"]);
    await knex("tags").where({ name: "own" }).del();
  });

  test("links are added and removed", async () => {
    const tag = await strapi.documents("api::tag.tag").create({ data: { name: "blue" } });
    const names = async () =>
      (await strapi.documents("api::note.note").findFirst({ status: "published", populate: ["tags"] })).tags.map(
        ({ name }: Body) => name,
      );
    await knex("notes_tags_lnk").insert({ note_id: note.id, tag_id: tag.id });
    expect(await names()).toEqual(["red", "blue"]);
    expect(await knex("notes_tags_lnk").where({ note_id: note.id, tag_id: tag.id }).del()).toBe(1);
    expect(await names()).toEqual(["red"]);
  });

  test("links are in the order that is written", async () => {
    const tag = await strapi.documents("api::tag.tag").create({ data: { name: "first" } });
    const read = async () =>
      (await strapi.documents("api::note.note").findFirst({ status: "published", populate: ["tags"] })).tags.map(
        ({ name }: Body) => name,
      );
    await knex("notes_tags_lnk").insert({ note_id: note.id, tag_id: tag.id, tag_ord: 0 });
    expect(await read()).toEqual(["first", "red"]);
    await knex("notes_tags_lnk")
      .where({ note_id: note.id })
      .update({ tag_ord: knex.raw("10 - tag_ord") });
    expect(await read()).toEqual(["red", "first"]);
    const again = { note_id: note.id, tag_id: tag.id, tag_ord: 1 };
    await expect(knex("notes_tags_lnk").insert(again).then()).rejects.toThrow(
      "UNIQUE constraint failed: notes_tags_lnk.note_id, notes_tags_lnk.tag_id",
    );
    await knex("notes_tags_lnk").insert(again).onConflict(["note_id", "tag_id"]).ignore();
    expect(await read()).toEqual(["red", "first"]);
    await knex("notes_tags_lnk").insert(again).onConflict(["note_id", "tag_id"]).merge();
    expect(await read()).toEqual(["first", "red"]);
    await strapi.documents("api::tag.tag").delete({ documentId: tag.documentId });
  });

  test("files are linked to media", async () => {
    const [{ id }] = await knex("files")
      .insert({ name: "a.png", hash: "h", mime: "image/png", size: 1, url: "/a.png", provider: "local" })
      .returning("id");
    const link = { file_id: id, related_id: note.id, related_type: "api::note.note", field: "cover", order: 1 };
    await knex("files_related_mph").insert(link);
    const read = async () =>
      (await strapi.documents("api::note.note").findFirst({ status: "published", populate: ["cover"] })).cover?.name;
    expect(await read()).toBe("a.png");
    expect(await knex("files_related_mph").where({ file_id: id }).del()).toBe(1);
    expect(await read()).toBeUndefined();
  });

  test("rows that exist are changed or kept, as an insert says", async () => {
    const name = async (id: number) => (await knex("tags").where({ id }).first("name"))?.name;
    const id = note.id + 2000;
    const insert = (value: string) => knex("tags").insert({ id, name: value }).onConflict("id");
    expect(await insert("made").merge()).toEqual([id]);
    await insert("merged").merge();
    expect(await name(id)).toBe("merged");
    await insert("ignored").merge({ name: "it's ?" });
    expect(await name(id)).toBe("it's ?");
    await insert("not where").merge().where("tags.id", "<", 0);
    expect(await name(id)).toBe("it's ?");
    const rows = [
      { id, name: "both" },
      { id: id + 1, name: "new" },
    ];
    await knex("tags").insert(rows).onConflict("id").merge(["name"]);
    expect([await name(id), await name(id + 1)]).toEqual(["both", "new"]);
    await expect(knex("tags").insert({ name: "x" }).onConflict("name").merge().then()).rejects.toMatchObject({
      name: "SqliteError",
      code: "SQLITE_ERROR",
      message: expect.stringContaining("does not match any PRIMARY KEY or UNIQUE constraint"),
    });
    await knex("tags")
      .whereIn("id", [id, id + 1])
      .del();
  });

  test("values of changed rows are bound, and leave nothing on the connection", async () => {
    const id = note.id + 3000;
    const sizes = await knex.transaction(async (trx: Body) => {
      const insert = () => trx("tags").insert({ id, name: "made" }).onConflict("id");
      const counts: number[] = [];
      await insert().ignore();
      for (const value of ["a", "b'); DROP TABLE x; --", "nul \0 inside"]) {
        await insert().merge({ name: value }).where("tags.name", "<>", value);
        expect(await trx("tags").where({ id }).first("name")).toEqual({ name: value });
        counts.push((await trx("sqlite_temp_schema").count({ n: "*" }))[0]?.n);
      }
      return counts;
    });
    expect(new Set(sizes).size).toBe(1);
    await knex("tags").where({ id }).del();
  });

  test("what only the document service can write is refused", async () => {
    await expect(knex("files_related_mph").insert({ file_id: 1 }).then()).rejects.toThrow(
      "files_related_mph: no attribute has such links",
    );
    await expect(knex("galley_links").del().then()).rejects.toThrow("Galley's own table");
    const refused = {
      "CREATE INDEX own_files ON files_related_mph (file_id)": "cannot create an index of files_related_mph in Galley",
      "ALTER TABLE notes ADD COLUMN more TEXT": "cannot alter anything of notes in Galley",
      "DROP TABLE galley_links": "galley_links is Galley's own table",
    };
    for (const [sql, message] of Object.entries(refused)) await expect(knex.raw(sql).then()).rejects.toThrow(message);
  });
});

describe("transactions", () => {
  const views = async () => (await knex("notes").whereNull("published_at").first("view_count")).view_count;

  test("are committed or rolled back as a whole, with documents", async () => {
    await knex.transaction(async (trx: Body) => {
      await trx("notes").update({ view_count: 10 });
      expect((await trx("notes").first("view_count")).view_count).toBe(10);
    });
    const fail = async () =>
      await knex.transaction(async (trx: Body) => {
        await trx("notes").update({ view_count: 20 });
        throw new Error("not this time");
      });
    await expect(fail()).rejects.toThrow("not this time");
    expect(await views()).toBe(10);
  });

  test("statements belong to the transaction that they run in", async () => {
    const failed = strapi.db.transaction(async ({ trx }: Body) => {
      await strapi.db.connection("notes").transacting(trx).update({ view_count: 30 });
      expect(await views()).toBe(30);
      throw new Error("taken back");
    });
    await expect(failed).rejects.toThrow("taken back");
    expect(await views()).toBe(10);
  });
});

describe("tables of the code", () => {
  /** Builders of knex are not promises. */
  const run = async (query: PromiseLike<unknown>): Promise<unknown> => query;
  const createMarks = async (add: (table: Body) => void): Promise<void> =>
    knex.schema.createTable("marks", (table: Body) => {
      table.increments("id");
      // named like a table of content
      table.string("tags");
      add(table);
    });
  const marks = () => knex("marks").orderBy("id").pluck("tags");

  test("their foreign keys refer to rows of content, and follow publication, as in Strapi", async () => {
    await createMarks((table) => table.integer("note_id").references("id").inTable("notes").onDelete("CASCADE"));
    const notes = strapi.documents("api::note.note");
    const { documentId } = await notes.create({ data: { title: "marked" }, status: "published" });
    for (const { id, published_at } of await knex("notes").where({ document_id: documentId }).orderBy("id"))
      await knex("marks").insert({ tags: published_at === null ? "draft" : "published", note_id: id });
    expect(await marks()).toEqual(["draft", "published"]);
    await expect(run(knex("marks").insert({ note_id: 999_999 }))).rejects.toMatchObject({
      code: "SQLITE_CONSTRAINT_FOREIGNKEY",
    });
    await notes.publish({ documentId });
    expect(await marks()).toEqual(["draft"]);
    await notes.delete({ documentId });
    expect(await marks()).toEqual([]);
    await knex.schema.alterTable("marks", (table: Body) => void table.string("notes"));
    expect(Object.keys(await knex("marks").columnInfo())).toEqual(["id", "tags", "note_id", "notes"]);
    await knex.schema.dropTable("marks");
    expect(await knex.schema.hasTable("marks")).toBe(false);
  });

  test("a row that one without a cascade refers to is not deleted", async () => {
    await createMarks((table) => table.integer("tag_id").references("tags.id"));
    const { id, documentId } = await strapi.documents("api::tag.tag").create({ data: { name: "kept" } });
    await knex("marks").insert({ tag_id: id });
    const deleted = strapi.documents("api::tag.tag").delete({ documentId });
    await expect(deleted).rejects.toMatchObject({ code: "SQLITE_CONSTRAINT_FOREIGNKEY" });
    await knex.schema.dropTable("marks");
    expect(await strapi.documents("api::tag.tag").delete({ documentId })).toMatchObject({ documentId });
  });

  test("none refers to a table that Galley does not have, and no table of content is changed", async () => {
    const refused = createMarks((table) => table.integer("link_id").references("id").inTable("notes_tags_lnk"));
    await expect(refused).rejects.toThrow("strapi.db.connection cannot create anything of");
    await expect(run(knex.schema.dropTable("notes"))).rejects.toThrow("cannot drop anything of notes");
    const added = knex.schema.alterTable("notes", (table: Body) => void table.string("more"));
    await expect(run(added)).rejects.toThrow("cannot alter anything of notes");
    const qualified = knex.schema.withSchema("main").dropTable("notes");
    await expect(run(qualified)).rejects.toThrow("cannot drop anything of notes");
  });
});

describe("errors and descriptions", () => {
  test("errors have Strapi's name, and only their code as an enumerable property", async () => {
    const error = await knex.raw("SELEC 1").then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(Object.keys(error)).toEqual(["code"]);
    expect([error.name, error.code, String(error)]).toEqual([
      "SqliteError",
      "SQLITE_ERROR",
      'SqliteError: SELEC 1 - near "SELEC": syntax error',
    ]);
  });

  test("columns have Strapi's types, in its order", async () => {
    const info = await knex("notes").columnInfo();
    const types = Object.fromEntries(Object.entries<Body>(info).map(([name, { type }]) => [name, type]));
    expect(types).toEqual({
      id: "integer",
      document_id: "varchar",
      title: "varchar",
      view_count: "integer",
      is_hot: "boolean",
      starts_at: "datetime",
      created_at: "datetime",
      updated_at: "datetime",
      published_at: "datetime",
      created_by_id: "integer",
      updated_by_id: "integer",
      locale: "varchar",
    });
    expect(Object.keys(info).slice(-3)).toEqual(["created_by_id", "updated_by_id", "locale"]);
    expect(await knex("notes_tags_lnk").columnInfo("note_id")).toMatchObject({ type: "integer", nullable: true });
    expect((await knex.raw("PRAGMA table_info(notes)"))[0]).toEqual({
      cid: 0,
      name: "id",
      type: "INTEGER",
      notnull: 1,
      dflt_value: null,
      pk: 1,
    });
  });
});

test("the cause of an error of SQL that only PostgreSQL has says so; the message is the database's own", async () => {
  const errorOf = async (query: PromiseLike<unknown>): Promise<Error> => {
    try {
      await query;
    } catch (error) {
      return error as Error;
    }
    throw new Error("no error");
  };
  const reasonOf = async (query: PromiseLike<unknown>) => ((await errorOf(query)).cause as Error).message;
  const reason = "is PostgreSQL's, and the database is SQLite";
  expect(await reasonOf(knex.raw("SELECT count(*)::int FROM notes"))).toBe(`::int ${reason}`);
  expect(await reasonOf(knex("notes").whereRaw("title ILIKE ?", ["a"]))).toBe(`ILIKE ${reason}`);
  expect(await reasonOf(knex.raw("SELECT date_trunc('day', created_at) FROM notes"))).toBe(`date_trunc ${reason}`);
  expect((await errorOf(knex("notes").whereRaw("title ILIKE ?", ["a"]))).message).toEndWith(
    '- near "ILIKE": syntax error',
  );
  expect(await reasonOf(knex.raw("SELECT 'a::text' FROM nowhere"))).toBe("no such table: nowhere");
});
