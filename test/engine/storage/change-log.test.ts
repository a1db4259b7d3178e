/** The change log: every way of writing is in it, and it follows the tables. */
import { Database } from "bun:sqlite";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { changeLog, enableChangeLog, lastSequence } from "../../../src/engine/storage/change-log/change-log.ts";
import { changesSince } from "../../../src/engine/storage/change-log/changes-since.ts";
import { prune } from "../../../src/engine/storage/change-log/prune.ts";
import { isCompact, tendLog } from "../../../src/engine/storage/change-log/upkeep.ts";
import { readEntries } from "../../../src/engine/storage/change-log/versions.ts";
import { checkDatabase } from "../../../src/engine/storage/check-database.ts";
import type { Layout, Table } from "../../../src/engine/storage/layout.ts";
import { migrate } from "../../../src/engine/storage/migrate.ts";
import { Storage } from "../../../src/engine/storage/storage.ts";
import { Clock } from "../../../src/lib/clock.ts";
import { openProject } from "../../../src/server/project/project.ts";
import { surveyArchive } from "../../../src/transfer/archive/survey.ts";
import { exportArchive } from "../../../src/transfer/export/export-archive.ts";
import { importArchive } from "../../../src/transfer/import/import-archive.ts";
import type { ImportMode } from "../../../src/transfer/import/scope.ts";
import { askAs, signedIn } from "../../admin/signed-in.ts";
import { until } from "../../until.ts";
import { ARTICLE, AUTHOR, KEY, type LoggedApp, loggedApp, TAG } from "./change-log-app.ts";

let app: LoggedApp;
let ask: ReturnType<typeof askAs>;
beforeAll(async () => {
  app = await loggedApp();
  ask = askAs(app, await signedIn(app, KEY));
});
afterAll(() => app.close());

let article: string;
let author: string;
let tag: string;
beforeEach(async () => {
  const created = async (uid: string, data: Record<string, unknown>, status: "draft" | "published" = "published") =>
    (await app.documents(uid).create({ data, status })).documentId as string;
  author = await created(AUTHOR, { name: "a" });
  tag = await created(TAG, { name: "t" });
  article = await created(ARTICLE, { title: "x", block: { text: "b", quotes: [{ text: "q" }] } }, "draft");
});

/** The only row of the article. */
const row = (): number => app.storage.first("SELECT id FROM articles WHERE document_id = ?", [article])![0] as number;
const rowOf = (table: string, document: string): number =>
  app.storage.first(`SELECT max(id) FROM ${table} WHERE document_id = ?`, [document])![0] as number;
const of = (status: string, kind: string, locale = "en"): string => `${ARTICLE} ${article} ${locale} ${status} ${kind}`;
const DRAFT = () => of("draft", "update");
const LINKED = () => of("draft", "link");
const linked = (): string => `${AUTHOR} ${author} - published link`;

/** Statements of another program, on tables as they are. */
function sqlite(...statements: string[]): void {
  using db = new Database(app.file);
  for (const statement of statements) db.run(statement);
}

const quoteRow = (): number => app.storage.first("SELECT max(id) FROM components_part_quote")![0] as number;

const ways: Readonly<Record<string, readonly [write: () => unknown, changed: () => string[]]>> = {
  "REST updates a draft": [
    () => app.call("PUT", `/api/articles/${article}?status=draft`, { data: { title: "y" } }),
    () => [DRAFT()],
  ],
  "REST creates and publishes": [
    async () => {
      const { body } = await app.call("POST", "/api/articles", { data: { title: "new" } });
      article = body.data.documentId;
    },
    () => [of("draft", "create"), of("published", "publish")],
  ],
  "REST writes another locale": [
    () => app.call("PUT", `/api/articles/${article}?status=draft&locale=fr`, { data: { title: "y" } }),
    () => [of("draft", "create", "fr")],
  ],
  "GraphQL updates": [
    () =>
      app.call("POST", "/graphql", {
        query: `mutation { updateArticle(documentId: "${article}", status: DRAFT, data: { title: "y" }) { title } }`,
      }),
    () => [DRAFT()],
  ],
  "the page updates": [
    () => ask("PUT", `/content-manager/collection-types/${ARTICLE}/${article}`, { title: "y" }),
    () => [DRAFT()],
  ],
  "own code updates a document": [
    () => app.strapi.documents(ARTICLE).update({ documentId: article, data: { title: "y" } }),
    () => [DRAFT()],
  ],
  "own code updates a row": [
    () => app.strapi.db.query(ARTICLE).update({ where: { id: row() }, data: { title: "y" } }),
    () => [DRAFT()],
  ],
  "own code updates a component's row": [
    () => app.strapi.db.query("part.quote").update({ where: { id: quoteRow() }, data: { text: "y" } }),
    () => [DRAFT()],
  ],
  "own code updates rows by SQL": [
    () => app.strapi.db.connection("articles").update({ title: "y" }).where({ document_id: article }),
    () => [DRAFT()],
  ],
  "own code replaces a row, with another document id": [
    () =>
      app.strapi.db.connection.raw("REPLACE INTO articles (id, document_id, locale) VALUES (?, 'replaced', 'en')", [
        row(),
      ]),
    () => [`${ARTICLE} replaced en draft create`, of("draft", "delete")],
  ],
  "own code links rows by SQL": [
    () =>
      app.strapi.db
        .connection("articles_author_lnk")
        .insert({ article_id: row(), author_id: rowOf("authors", author) }),
    () => [linked(), LINKED()],
  ],
  "the other side of a relation is set": [
    () => app.documents(AUTHOR).update({ documentId: author, data: { articles: [article] } }),
    () => [`${AUTHOR} ${author} - published update`, LINKED()],
  ],
  "an upload becomes the value of a field": [
    () => {
      const body = new FormData();
      body.append("files", new File(["x"], "x.txt"));
      for (const [key, value] of Object.entries({ ref: ARTICLE, refId: String(row()), field: "cover" }))
        body.append(key, value);
      const headers = { authorization: "Bearer test-full-access" };
      return app.handle(new Request("http://localhost/api/upload", { method: "POST", headers, body }));
    },
    () => {
      const [file] = app.storage.first("SELECT document_id FROM files ORDER BY id DESC LIMIT 1")!;
      const [folder] = app.storage.first("SELECT document_id FROM upload_folders")!;
      // the first upload of all makes a folder
      return [
        LINKED(),
        `plugin::upload.file ${file} - published create`,
        `plugin::upload.folder ${folder} - published create`,
      ];
    },
  ],
  "a document is unpublished": [
    async () => {
      await app.documents(TAG).unpublish({ documentId: tag });
    },
    () => [`${TAG} ${tag} - published unpublish`],
  ],
  "a document is deleted": [
    () => app.documents(TAG).delete({ documentId: tag }),
    () => [`${TAG} ${tag} - draft delete`, `${TAG} ${tag} - published delete`],
  ],
  "a document is created and deleted": [
    async () => {
      article = (await app.documents(ARTICLE).create({ data: {} })).documentId as string;
      await app.documents(ARTICLE).delete({ documentId: article });
    },
    () => [of("draft", "delete")],
  ],
  "another program updates a row": [
    () => sqlite(`UPDATE articles SET title = 'y' WHERE document_id = '${article}'`),
    () => [DRAFT()],
  ],
  "another program updates a row of a component in a component": [
    () => sqlite(`UPDATE components_part_quote SET text = 'y' WHERE id = ${quoteRow()}`),
    () => [DRAFT()],
  ],
  "another program deletes a row of a component, and leaves its link": [
    () => sqlite(`DELETE FROM components_part_quote WHERE id = ${quoteRow()}`),
    () => [DRAFT()],
  ],
  "another program deletes the target of a link, and leaves the link": [
    () =>
      sqlite(
        `INSERT INTO galley_links SELECT id, ${row()}, 1, ${rowOf("authors", author)}, 0, 1, NULL FROM galley_names WHERE name = 'articles.author>authors'`,
        `DELETE FROM authors WHERE document_id = '${author}'`,
      ),
    () => [`${AUTHOR} ${author} - published delete`, LINKED()],
  ],
  "another program changes the id of a document": [
    () => sqlite(`UPDATE articles SET document_id = 'moved' WHERE document_id = '${article}'`),
    () => [`${ARTICLE} moved en draft create`, of("draft", "delete")],
  ],
  "another program ignores conflicts": [
    () => {
      const link = `SELECT id, ${row()}, 1, ${rowOf("authors", author)}, 0, 1, NULL FROM galley_names WHERE name = 'articles.author>authors'`;
      sqlite(`INSERT OR IGNORE INTO galley_links ${link}`, `INSERT OR IGNORE INTO galley_links ${link}`);
    },
    () => [linked(), LINKED()],
  ],
};

describe("is logged:", () => {
  for (const [name, [write, changed]] of Object.entries(ways))
    test(name, async () => {
      const entries = await app.changedBy(write);
      expect(entries.sort()).toEqual(changed().sort());
    });
});

test("writes of another process are logged", async () => {
  const script = `new (require("bun:sqlite").Database)(${JSON.stringify(app.file)}).run("UPDATE articles SET title = 'p' WHERE document_id = '${article}'")`;
  const changed = await app.changedBy(() => Bun.spawn([process.execPath, "-e", script]).exited);
  expect(changed).toEqual([DRAFT()]);
});

test("a transaction that is rolled back leaves no entry", async () => {
  const before = lastSequence(app.storage);
  const refused = await app.call("PUT", `/api/articles/${article}`, { data: { title: "y", author: "nobody" } });
  expect(refused.status).toBe(400);
  const update = () => app.storage.run("UPDATE articles SET title = 'y'");
  expect(() =>
    app.storage.transaction(() => {
      update();
      throw new Error("rolled back");
    }),
  ).toThrow("rolled back");
  expect(lastSequence(app.storage)).toBe(before);
  update();
  expect(lastSequence(app.storage)).toBeGreaterThan(before);
});

describe("an import", () => {
  const imported = async (mode: ImportMode): Promise<string[]> => {
    const project = openProject(app.root, { memory: false, publicRead: false, environment: {} });
    const { context, schema, settings, uploads } = project;
    const source = { file: join(app.root, `${mode}.tar.gz`) };
    await exportArchive({ context, schema, settings, uploadFolder: uploads.path }, source);
    await app.documents(ARTICLE).delete({ documentId: article });
    const survey = await surveyArchive(source);
    const changed = await app.changedBy(() => importArchive(source, survey, { context, uploads }, { mode }));
    await project.close();
    return changed;
  };

  test("that merges logs the documents of the archive", async () => {
    const changed = await imported("merge");
    expect(changed).toContain(of("draft", "create"));
    // it has written every row of the archive
    expect(changed).toContain(`${AUTHOR} ${author} - published update`);
    expect(changed.filter((entry) => !entry.includes(" "))).toEqual([]);
  });

  test("that replaces logs whole types, and later writes again", async () => {
    const changed = await imported("replace");
    expect(changed).toContain(ARTICLE);
    expect(changed.filter((entry) => entry.includes(" "))).toEqual([]);
    expect(await app.changedBy(() => sqlite("UPDATE authors SET name = 'z'"))).toContain(
      `${AUTHOR} ${author} - published update`,
    );
  });
});

describe("the log of a database", () => {
  const storages: Storage[] = [];
  afterEach(() => {
    for (const storage of storages.splice(0)) storage.close();
  });
  const table = (uid: string, columns: readonly string[] = [], links: Table["links"] = []): Table => ({
    ...{ uid, modelType: uid.startsWith("api::") ? "contentType" : "component" },
    ...{ draftAndPublish: true, localized: false, links, fields: links.map(({ link }) => link.field) },
    columns: Object.fromEntries(columns.map((name) => [name, { type: "string", affinity: "TEXT", indexed: false }])),
  });
  const holds = (field: string): Table["links"] => [
    {
      name: "part",
      kind: "component",
      link: { field, side: "owner", polymorphic: false },
      many: false,
      target: "a.part",
    },
  ];
  const layout: Layout = {
    posts: table("api::post.post", ["title"]),
    notes: table("api::note.note", [], holds("notes.part>parts")),
    parts: table("a.part", ["text"]),
  };
  const insert = (storage: Storage, name: string, document: string): unknown =>
    storage.run(`INSERT INTO ${name} (document_id, status, created_at, updated_at) VALUES (?, 'draft', '', '')`, [
      document,
    ]);
  const opened = (): Storage => {
    const storage = Storage.open(":memory:");
    storages.push(storage);
    migrate(storage, layout, "en");
    return storage;
  };
  const logged = (): Storage => {
    const storage = opened();
    enableChangeLog(storage);
    return storage;
  };
  const schema = (storage: Storage): unknown[] =>
    storage.all("SELECT type, name FROM sqlite_schema WHERE name LIKE 'galley_change%'");
  const ids = (storage: Storage, since: number): unknown =>
    changesSince(storage, since)?.documents.map(({ documentId }) => documentId);
  const ALL = { count: 1_000, ageMs: 1_000 };

  test("does not exist until it is enabled", () => {
    const storage = opened();
    expect(schema(storage)).toEqual([]);
    expect(() => changesSince(storage, 0)).toThrow("not enabled");
    enableChangeLog(storage);
    // of each table and the links three triggers, of the component and the default locale two, three tables and two indexes
    expect(schema(storage).length).toBe(4 * 3 - 1 + 2 + 5);
    checkDatabase(storage);
  });

  test("is not changed by another start, and repaired if triggers are of another version", () => {
    const storage = logged();
    const version = () => storage.first("PRAGMA schema_version")![0] as number;
    const before = version();
    enableChangeLog(storage);
    expect(version()).toBe(before);
    storage.run("DROP TRIGGER galley_change_links_insert");
    storage.setMeta("change_log", JSON.stringify({ ...changeLog(storage), madeFor: "0 other" }));
    enableChangeLog(storage);
    // nothing else was replaced
    expect(version()).toBe(before + 2);
    expect(schema(storage).length).toBe(4 * 3 - 1 + 2 + 5);
  });

  test("follows new, renamed and changed tables, and names the types whose schema differs", () => {
    const storage = logged();
    insert(storage, "posts", "a");
    const migrated = (next: Layout): readonly string[] | undefined => {
      const before = lastSequence(storage);
      migrate(storage, next, "en");
      return changesSince(storage, before)?.types;
    };
    const renamed = { stories: layout.posts!, notes: layout.notes!, parts: layout.parts! };
    expect(migrated(renamed)).toEqual(["api::post.post"]);
    const added = { ...renamed, tags: table("api::tag.tag"), parts: table("a.part", ["text", "size"]) };
    expect(migrated(added)).toEqual(["api::note.note", "api::tag.tag"]);
    const before = lastSequence(storage);
    for (const name of ["stories", "tags"]) insert(storage, name, name);
    expect(ids(storage, before)).toEqual(["stories", "tags"]);
    // the rows of a removed type are shown nowhere
    migrate(storage, { notes: added.notes!, parts: added.parts }, "en");
    const removed = lastSequence(storage);
    insert(storage, "stories", "gone");
    expect(lastSequence(storage)).toBe(removed);
    checkDatabase(storage);
  });

  test("names types whose tables an older Galley has created", () => {
    const storage = logged();
    storage.run("DROP TRIGGER galley_change_1_delete");
    insert(storage, storage.findName(1)!, "unrecorded");
    storage.setMeta("change_log", JSON.stringify({ ...changeLog(storage), madeFor: "1 other" }));
    const before = lastSequence(storage);
    enableChangeLog(storage);
    expect(changesSince(storage, before)!.types).toEqual([layout[storage.findName(1)!]!.uid]);
  });

  test("has columns for the values of the type with most of them, also of types that are added later", () => {
    const storage = logged();
    const wide = Array.from({ length: 20 }, (_, index) => `c${index}`);
    migrate(storage, { ...layout, wides: table("api::wide.wide", wide) }, "en");
    insert(storage, "wides", "a");
    storage.run("UPDATE wides SET c0 = 'it''s, a', c18 = x'00ff', c19 = 1.0");
    const since = lastSequence(storage);
    storage.run("DELETE FROM wides");
    const [entry] = readEntries(storage, since, 10);
    const nulls = Array.from({ length: 17 }, () => "NULL");
    expect(entry!.at(-1)).toEqual(["''", "'it''s, a'", ...nulls, "X'00FF'", "'1.0'"]);
  });

  test("is compacted once nobody writes", async () => {
    const storage = logged();
    let written = 0;
    const write = (count: number): void =>
      storage.transaction(() => {
        for (let i = 0; i < count; i++) insert(storage, "posts", String(written++));
      });
    write(2_000);
    tendLog(storage, new Clock(), 50);
    const end = performance.now() + 500;
    while (performance.now() < end) {
      write(1);
      await Bun.sleep(5);
    }
    expect(changeLog(storage)!.compacted).toBe(0);
    await until("the log is compacted", () => isCompact(storage));
    expect(storage.first("SELECT count(*) FROM galley_changes")).toEqual([1]);
  });

  test("is in snapshots", () => {
    const storage = logged();
    insert(storage, "posts", "a");
    const copy = Storage.fromSnapshot(storage.snapshot());
    storages.push(copy);
    copy.loadNumbers();
    enableChangeLog(copy);
    insert(copy, "posts", "b");
    expect([ids(copy, 0), ids(storage, 0)]).toEqual([["a", "b"], ["a"]]);
  });

  test("is read in parts", () => {
    const storage = logged();
    for (const name of "abcde") insert(storage, "posts", name);
    const first = changesSince(storage, 0, 2)!;
    expect([first.hasMore, first.documents.length]).toEqual([true, 2]);
    const second = changesSince(storage, first.sequence, 3)!;
    expect(ids(storage, first.sequence)).toEqual(["c", "d", "e"]);
    expect(changesSince(storage, second.sequence)).toEqual({
      ...{ sequence: lastSequence(storage), hasMore: false, documents: [], types: [] },
    });
  });

  test("keeps one entry for each version, and is read as before", () => {
    const storage = logged();
    for (const name of "abc") insert(storage, "posts", name);
    for (let count = 0; count < 20; count++) storage.run("UPDATE posts SET title = ? WHERE document_id = 'b'", [count]);
    storage.run("DELETE FROM posts WHERE document_id = 'c'");
    const read = (since: number) => changesSince(storage, since);
    const before = [read(0), read(1)];
    expect(prune(storage, ALL, 0)).toBe(false);
    expect(
      storage.first("SELECT (SELECT count(*) FROM galley_changes), (SELECT count(*) FROM galley_changed)"),
    ).toEqual([1, 3]);
    expect([read(0), read(1)]).toEqual(before);
    const last = lastSequence(storage);
    insert(storage, "posts", "d");
    expect(lastSequence(storage)).toBe(last + 1);
    expect(ids(storage, last)).toEqual(["d"]);
    expect(ids(storage, 0)).toEqual(["a", "b", "c", "d"]);
    expect(read(0)!.documents[2]!.versions).toEqual([{ locale: null, status: "draft", kind: "delete" }]);
  });

  test("forgets by age and by count, and says so", () => {
    const storage = logged();
    insert(storage, "posts", "a");
    prune(storage, ALL, 0);
    insert(storage, "posts", "b");
    prune(storage, ALL, 1_000);
    expect(ids(storage, 0)).toEqual(["a", "b"]);
    prune(storage, ALL, 1_001);
    const types = (since: number) => changesSince(storage, since)!.types;
    expect([types(0), ids(storage, 0), types(1), ids(storage, 1)]).toEqual([["api::post.post"], ["b"], [], ["b"]]);
    for (const name of "cde") insert(storage, "posts", name);
    prune(storage, { ...ALL, count: 2 }, 1_001);
    expect([types(2), types(3), ids(storage, 3)]).toEqual([["api::post.post"], [], ["d", "e"]]);
    expect(changesSince(storage, lastSequence(storage) + 1)).toBeUndefined();
  });

  test("forgets a part at a time", () => {
    const storage = logged();
    storage.transaction(() => {
      for (let count = 0; count < 501; count++) insert(storage, "posts", String(count));
    });
    expect([prune(storage, ALL, 0), prune(storage, ALL, 0)]).toEqual([true, false]);
    expect((ids(storage, 401) as string[]).length).toBe(100);
  });
});
