/** Schema changes between starts: no data is lost, changes are reported, and failed migrations are rolled back. */

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { Storage } from "../../../src/engine/storage/storage.ts";
import { createGalley, type Galley } from "../../../src/index.ts";
import { openProject } from "../../../src/server/project/project.ts";
import { ADMIN, componentFile, configFile, createCall, projectFolder, typeFile, writeFiles } from "../../project.ts";

type Files = Record<string, string>;
const POST = "api::post.post";
const post = (attributes: Record<string, Record<string, unknown>>, options = {}) =>
  typeFile("post", attributes, options);
const string = { type: "string" };

/** Starts once per schema on the same database; answers the changes that the last start told. */
class Life {
  readonly #folder = projectFolder(configFile());
  galley: Galley | undefined;

  async start(files: Files): Promise<string[]> {
    await this.galley?.close();
    rmSync(join(this.#folder.root, "src"), { recursive: true, force: true });
    writeFiles(this.#folder.root, files);
    const options = { memory: false, publicRead: false, environment: {} };
    const project = openProject(this.#folder.root, options);
    const told = project.changes.map(({ table, text }) => `${table} ${text}`);
    project.close();
    this.galley = await createGalley({ project: this.#folder.root, memory: false, environment: {} });
    return told;
  }

  documents(uid = POST) {
    return this.galley!.documents(uid);
  }

  call(method: string, path: string, body?: unknown) {
    return createCall(this.galley!, ADMIN)(method, path, body);
  }

  database<T>(look: (db: Database) => T): T {
    const db = new Database(join(this.#folder.root, ".galley/content.db"));
    try {
      return look(db);
    } finally {
      db.close();
    }
  }

  async end(): Promise<void> {
    await this.galley?.close();
    this.#folder.remove();
  }
}

const lifetime = (name: string, live: (life: Life) => Promise<void>): void =>
  test(name, async () => {
    const life = new Life();
    try {
      await live(life);
    } finally {
      await life.end();
    }
  });

lifetime("an added attribute is null in old rows, and a second start changes nothing", async (life) => {
  expect(await life.start(post({ title: string }))).toEqual([]);
  await life.documents().create({ data: { title: "a" } });
  expect(await life.start(post({ title: string, size: { type: "integer", default: 3 } }))).toEqual([
    "posts size is new",
  ]);
  expect(await life.documents().findFirst()).toMatchObject({ title: "a", size: null });
  expect(await life.start(post({ title: string, size: { type: "integer", default: 3 } }))).toEqual([]);
});

lifetime("indexes that lists asked for go with the type of their column", async (life) => {
  const size = (type: string) => post({ title: string, size: { type } });
  await life.start(size("integer"));
  await life.documents().create({ data: { title: "a", size: 7 } });
  const indexes = `SELECT name FROM sqlite_schema WHERE name LIKE 'posts_%_listed' OR name LIKE 'posts_%_looked_up'`;
  life.database((db) => {
    db.run("CREATE INDEX posts_size_listed ON posts (status, locale, size)");
    db.run('CREATE INDEX "posts_size+title_looked_up" ON posts (id, status, locale, size, title)');
    db.run("CREATE INDEX posts_title_looked_up ON posts (id, status, locale, title)");
  });
  await life.start(size("string"));
  expect(life.database((db) => db.query(indexes).values())).toEqual([["posts_title_looked_up"]]);
  expect(await life.documents().findFirst({ filters: { size: "7" } })).toMatchObject({ title: "a", size: "7" });
});

lifetime("a removed attribute keeps its values, and has them again when it is back", async (life) => {
  await life.start(post({ title: string, text: string }));
  await life.documents().create({ data: { title: "a", text: "kept" } });
  expect(await life.start(post({ title: string }))).toEqual([
    "posts text is gone from the schema; its column and values are kept",
  ]);
  expect(await life.documents().findFirst()).not.toHaveProperty("text");
  expect(await life.start(post({ title: string, text: string }))).toEqual([
    "posts text is back, with the values it had",
  ]);
  expect(await life.documents().findFirst()).toMatchObject({ text: "kept" });
});

lifetime("a changed type converts what converts and keeps the rest", async (life) => {
  await life.start(post({ value: string }));
  for (const value of ["5", "no number", null, "007"]) await life.documents().create({ data: { value } });
  expect(await life.start(post({ value: { type: "integer" } }))).toEqual([
    "posts value is integer instead of string: 2 of 3 values converted; 1 did not and stay in the column value$string",
  ]);
  const values = async () => (await life.documents().findMany({ sort: "id" })).map(({ value }) => value);
  expect(await values()).toEqual([5, null, null, 7]);
  await life.documents().create({ data: { value: 12 } });
  await life.start(post({ value: string }));
  expect(await values()).toEqual(["5", "no number", null, "007", "12"]);
});

lifetime("every other type change converts by the rules of writing", async (life) => {
  const changes: [from: Record<string, unknown>, value: unknown, to: Record<string, unknown>, expected: unknown][] = [
    [{ type: "integer" }, 1, { type: "boolean" }, true],
    [{ type: "boolean" }, true, { type: "string" }, "true"],
    [{ type: "json" }, { a: 1 }, { type: "text" }, '{"a":1}'],
    [string, '{"a":1}', { type: "json" }, { a: 1 }],
    [string, "2024-02-29T10:00:00Z", { type: "datetime" }, "2024-02-29T10:00:00.000Z"],
    [{ type: "datetime" }, "2024-02-29T10:00:00Z", { type: "date" }, "2024-02-29"],
    [{ type: "decimal" }, 1.5, { type: "integer" }, null],
    [{ type: "biginteger" }, "12", { type: "integer" }, 12],
    [string, "not an address", { type: "email" }, "not an address"],
  ];
  const attributes = (side: 0 | 2) => Object.fromEntries(changes.map((change, index) => [`v${index}`, change[side]]));
  await life.start(post(attributes(0)));
  await life.documents().create({ data: Object.fromEntries(changes.map(([, value], index) => [`v${index}`, value])) });
  expect((await life.start(post(attributes(2)))).length).toBe(changes.length);
  expect(await life.documents().findFirst()).toMatchObject(
    Object.fromEntries(changes.map(([, , , expected], index) => [`v${index}`, expected])),
  );
});

lifetime("a renamed type folder takes its content and relations along", async (life) => {
  const tags = { tags: { type: "relation", relation: "manyToMany", target: "api::tag.tag" } };
  const tag = typeFile("tag", { label: string });
  await life.start({ ...post({ title: string, ...tags }), ...tag });
  const { documentId } = await life.documents("api::tag.tag").create({ data: { label: "t" } });
  await life.documents().create({ data: { title: "a", tags: [documentId] } });
  const told = await life.start({ ...typeFile("story", { title: string, ...tags }), ...tag });
  expect(told).toContain("storys was called posts; its content moved along");
  expect(await life.documents("api::story.story").findFirst({ populate: "tags" })).toMatchObject({
    title: "a",
    tags: [{ label: "t" }],
  });
});

lifetime("a new type may have the name that a renamed one had", async (life) => {
  await life.start(post({ title: { type: "string", unique: true } }));
  await life.documents().create({ data: { title: "a" } });
  const story = typeFile("story", { title: { type: "string", unique: true } });
  await life.start(story);
  expect(await life.start({ ...story, ...post({ title: { type: "string", unique: true } }) })).toEqual([
    "posts is new",
  ]);
  expect(await life.documents("api::story.story").findFirst()).toMatchObject({ title: "a" });
  expect(await life.documents().count()).toBe(0);
});

lifetime("a type that goes keeps its rows for when it is back", async (life) => {
  const other = typeFile("other", { name: string, size: { type: "integer" } });
  await life.start({ ...post({ title: string }), ...other });
  await life.documents().create({ data: { title: "a" } });
  expect(await life.start(other)).toEqual(["posts is gone from the schema; its table and rows are kept"]);
  expect(await life.start({ ...post({ title: string }), ...other })).toEqual(["posts is back, with the rows it had"]);
  expect(await life.documents().findFirst()).toMatchObject({ title: "a" });
});

lifetime(
  "a type that gets drafts has one for each document; one that loses them keeps unpublished documents",
  async (life) => {
    const rows = { rows: { type: "component", component: "part.row", repeatable: true } };
    const row = componentFile("part.row", { name: string });
    await life.start({ ...post({ title: string, ...rows }), ...row });
    await life.documents().create({ data: { title: "a", rows: [{ name: "r" }] } });
    await life.start({ ...post({ title: string, ...rows }, { draftAndPublish: true }), ...row });
    for (const status of ["draft", "published"] as const) {
      expect(await life.documents().findMany({ status, populate: "*" })).toMatchObject([
        { title: "a", rows: [{ name: "r" }] },
      ]);
    }
    await life.documents().create({ data: { title: "draft only" }, status: "draft" });
    const told = await life.start({ ...post({ title: string, ...rows }), ...row });
    expect(told).toEqual([
      "posts has no drafts any more: 1 unpublished rows are the documents now, 1 drafts are kept but not shown",
    ]);
    expect((await life.documents().findMany({ sort: "title" })).map(({ title }) => title)).toEqual(["a", "draft only"]);
  },
);

lifetime("relations of drafts outlive a change of their target to a type without drafts, and back", async (life) => {
  const tag = { type: "relation", target: "api::tag.tag" };
  const relations = {
    tags: { ...tag, relation: "manyToMany" },
    main: { ...tag, relation: "oneToOne" },
    any: { type: "relation", relation: "morphToMany" },
    rows: { type: "component", component: "part.row", repeatable: true },
  };
  const files = (draftAndPublish: boolean) => ({
    ...post(relations, { draftAndPublish: true }),
    ...typeFile("tag", { title: string }, { draftAndPublish }),
    ...componentFile("part.row", { tag: { ...tag, relation: "oneToOne" } }),
  });
  await life.start(files(true));
  const { documentId } = await life.documents("api::tag.tag").create({ data: { title: "t" }, status: "published" });
  const any = [{ __type: "api::tag.tag", documentId }];
  const data = { tags: [documentId], main: documentId, any, rows: [{ tag: documentId }] };
  await life.documents().create({ data, status: "published" } as never);
  const shown = { title: "t" };
  for (const hasDrafts of [true, false, true, true, false]) {
    await life.start(files(hasDrafts));
    for (const status of ["draft", "published"] as const) {
      const populate = { tags: true, main: true, any: true, rows: { populate: "*" } };
      expect(await life.documents().findMany({ status, populate } as never)).toMatchObject([
        { tags: [shown], main: shown, any: [shown], rows: [{ tag: shown }] },
      ]);
    }
  }
});

lifetime("a type gets its own rows back when it and others have had each other's tables", async (life) => {
  const item = (collectionName: string) => typeFile("item", { name: string }, { collectionName });
  const first = post({ title: string, size: string });
  await life.start(first);
  await life.documents().create({ data: { title: "kept", size: "1" } });
  await life.start({ ...post({ title: string, size: string }, { collectionName: "items" }), ...item("posts") });
  await life.start({ ...post({ title: string }, { collectionName: "posts_1" }), ...item("posts") });
  await life.start(item("posts"));
  await life.start(first);
  expect(await life.documents().findMany({})).toMatchObject([{ title: "kept", size: "1" }]);
  // a type that took the rows of one that was gone gives them back
  await life.start(item("posts"));
  await life.start(item("posts_version"));
  await life.start(first);
  expect(await life.documents().findMany({})).toMatchObject([{ title: "kept", size: "1" }]);
});

lifetime("a table may be called as an index of one that goes in the same change", async (life) => {
  await life.start({ ...post({ title: string }), ...typeFile("tag", { title: string }) });
  await life.documents("api::tag.tag").create({ data: { title: "t" } });
  life.database((db) => db.run("CREATE INDEX tags_title_listed ON tags (status, locale, title)"));
  await life.start(typeFile("tag", { title: string }, { collectionName: "posts_version" }));
  await life.start(typeFile("tag", { title: string }, { collectionName: "tags_title_listed" }));
  expect(await life.documents("api::tag.tag").findMany({})).toMatchObject([{ title: "t" }]);
});

lifetime("a type that becomes localized is in the default locale, and back", async (life) => {
  const title = { type: "string", pluginOptions: { i18n: { localized: true } } };
  await life.start(post({ title }));
  await life.documents().create({ data: { title: "a" } });
  expect(await life.start(post({ title }, { localized: true }))).toEqual(["posts is localized now: 1 rows are in en"]);
  const { documentId } = (await life.documents().findFirst())!;
  await life.documents().update({ documentId: documentId as string, locale: "fr", data: { title: "fr" } });
  expect(await life.start(post({ title }))).toEqual([
    "posts is no longer localized; 1 rows in other locales are kept but not shown",
  ]);
  expect((await life.documents().findMany()).map(({ title }) => title)).toEqual(["a"]);
});

lifetime("names of Galley's own columns and words of SQL work", async (life) => {
  const names = ["status", "group", "select", "order"];
  await life.start(post(Object.fromEntries(names.map((name) => [name, string]))));
  const data = Object.fromEntries(names.map((name) => [name, name]));
  expect(await life.documents().create({ data })).toMatchObject(data);
  expect((await life.call("GET", "/api/posts?filters[status]=status&sort=order,group")).body.data[0]).toMatchObject(
    data,
  );
});

test("rolls back a migration that fails", async () => {
  const { root, remove } = projectFolder({ ...configFile(), ...post({ title: string }) });
  const first = await createGalley({ project: root, memory: false, environment: {} });
  await first.documents(POST).create({ data: { title: "a" } });
  await first.close();
  // somebody else's table stands where the new type wants its own
  const db = new Database(join(root, ".galley/content.db"));
  db.run("CREATE TABLE others (x)");
  const schema = () => db.query("SELECT name, sql FROM sqlite_master ORDER BY name").all();
  const before = schema();
  writeFiles(root, { ...post({ title: string, more: string }), ...typeFile("other", { name: string }) });
  expect(createGalley({ project: root, memory: false, environment: {} })).rejects.toThrow();
  expect(schema()).toEqual(before);
  db.close();
  writeFiles(root, post({ title: string }));
  rmSync(join(root, "src/api/other"), { recursive: true });
  const again = await createGalley({ project: root, memory: false, environment: {} });
  expect(await again.documents(POST).findFirst()).toMatchObject({ title: "a" });
  await again.close();
  remove();
});

test("runs transactions atomically, joins an outer one, and refuses promises", async () => {
  const storage = Storage.open(":memory:");
  storage.run("CREATE TABLE t (x)");
  const rows = () => storage.all("SELECT x FROM t ORDER BY x").flat();
  expect(() =>
    storage.transaction(() => {
      storage.run("INSERT INTO t VALUES (1)");
      storage.transaction(() => storage.run("INSERT INTO t VALUES (2)"));
      throw new Error("no");
    }),
  ).toThrow("no");
  expect(() => storage.transaction(async () => storage.run("INSERT INTO t VALUES (3)"))).toThrow(
    "must not be asynchronous",
  );
  await storage.rehearse(() => storage.run("INSERT INTO t VALUES (4)"));
  expect(rows()).toEqual([]);
  storage.transaction(() => storage.run("INSERT INTO t VALUES (5)"));
  expect(rows()).toEqual([5]);
  storage.close();
});

lifetime("a database from before documents had authors gets their columns, and says nothing about it", async (life) => {
  await life.start(post({ title: string }));
  const { documentId } = await life.documents().create({ data: { title: "kept" } });
  await life.galley!.close();
  life.galley = undefined;
  life.database((db) => {
    for (const key of ["layout", "layout_history"]) {
      const { admin_users: _, ...layout } = JSON.parse(
        (db.query("SELECT value FROM galley_meta WHERE key = ?").get(key) as { value: string }).value,
      ) as Record<string, { columns: Record<string, unknown> }>;
      for (const [table, { columns }] of Object.entries(layout))
        for (const column of ["created_by_id", "updated_by_id"]) {
          if (!(column in columns)) continue;
          delete columns[column];
          if (key === "layout") db.run(`ALTER TABLE "${table}" DROP COLUMN ${column}`);
        }
      db.run("UPDATE galley_meta SET value = ? WHERE key = ?", [JSON.stringify(layout), key]);
      db.run("DROP TABLE IF EXISTS admin_users");
      if (key === "layout") db.run("UPDATE galley_meta SET value = '' WHERE key IN ('checked', 'applied')");
    }
  });
  expect(await life.start(post({ title: string }))).toEqual([]);
  const columns = life.database((db) => db.query("SELECT name FROM pragma_table_info('posts')").values().flat());
  expect(columns).toContain("created_by_id");
  expect(await life.documents().findOne({ documentId: String(documentId) })).toMatchObject({ title: "kept" });
});
