/** Trigram indexes of large tables: searches find the same with and without, whoever writes, and whatever becomes of an index. */
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { DocumentService } from "../../../src/engine/documents/document-service.ts";
import { indexedColumns } from "../../../src/engine/query/search.ts";
import { contains, type Folding } from "../../../src/engine/query/text-match.ts";
import { trigramGroups } from "../../../src/engine/query/trigrams.ts";
import { type ContentType, contentType } from "../../../src/engine/schema/model.ts";
import { rawModel } from "../../../src/engine/schema/raw-model.ts";
import { candidateRows, dropSearchIndexes, LARGE_ROWS } from "../../../src/engine/storage/search-index.ts";
import { Parameters } from "../../../src/engine/storage/sql.ts";
import { openProject, type Project } from "../../../src/server/project/project.ts";
import { projectFolder, typeFile, writeFiles } from "../../project.ts";
import { Random } from "../../random.ts";
import { until } from "../../until.ts";

const ROWS = LARGE_ROWS + 500;
const attributes = {
  title: { type: "string" },
  body: { type: "text" },
  views: { type: "integer" },
  hidden: { type: "string", private: true },
} as const;
const files = (extra = {}) => typeFile("post", { ...attributes, ...extra }, { draftAndPublish: true });

/** Letters whose cases differ between SQLite and JavaScript, marks, NUL, and others. */
const ALPHABET = [..."aikszAIKSZıİſKÅåéÉßẞµμΜσςΣιΙͅвВᲀоОᲂაᲐǅǆǄԩԨꭰᎠᏸ\"'%_*[]^-中文😀𐐀𐐨𐒰𐓘\ue000 ", "e\u0301", "n\u0303"];

let folder: { root: string; remove: () => void };
let project: Project;
const storage = () => project.context.storage;
const type = () => contentType(project.model, "api::post.post");
const posts = () => new DocumentService(project.context, type());
const name = () => `galley_search_${storage().number("posts")}`;
const state = () => storage().meta(`search_index:${storage().number("posts")}`);
const noted = () => Number(storage().first(`SELECT count(*) FROM ${name()}_noted`)![0]);
const count = async (filters: Record<string, unknown>) =>
  (await posts().findMany({ filters, status: "published" })).length;
const containing = (text: string) => count({ title: { $containsi: text } });

/** What a search looks up in the index; undefined: it does without. */
const candidates = (group: string): string | undefined =>
  candidateRows(storage(), "posts", indexedColumns(type()), [group], () => "?");

async function made(): Promise<void> {
  await until("the index is made", () => {
    // while it is worked on, it may be whole between two looks
    return candidates('"wal"') !== undefined && noted() < 200;
  });
}

function fill(random: Random): void {
  const text = () => Array.from({ length: 12 }, () => (random.chance(0.001) ? "\0" : random.pick(ALPHABET))).join("");
  const columns = "document_id, status, created_at, updated_at, published_at, title, body, views";
  const sql = `INSERT INTO posts (${columns}) VALUES (?, 'published', '2026', '2026', '2026', ?, ?, ?)`;
  storage().transaction(() => {
    for (let i = 0; i < ROWS; i++) storage().run(sql, [`doc${i}`, text(), i % 3 ? null : text(), i * 7]);
  });
}

beforeAll(async () => {
  folder = projectFolder(files());
  project = openProject(folder.root, { memory: false, publicRead: false, environment: {} });
  fill(new Random(1));
  expect(candidates('"wal"')).toBeUndefined();
  await made();
});
afterAll(() => {
  project.close();
  folder.remove();
});

test("an index has no private text, for whoever searches, and who searches that finds it without", async () => {
  const whole = contentType(rawModel(project.model), "api::post.post");
  expect(indexedColumns(type())).toEqual(["document_id", "locale", "title", "body", "views"]);
  expect(indexedColumns(whole)).toEqual(indexedColumns(type()));
  storage().run("UPDATE posts SET hidden = 'only here' WHERE document_id = 'doc7'");
  const found = (search: string, schema: ContentType) =>
    new DocumentService({ ...project.context, model: rawModel(project.model) }, schema).findMany({
      _q: search,
      status: "published",
    });
  expect(await found("only here", whole)).toMatchObject([{ documentId: "doc7" }]);
  expect(await posts().findMany({ _q: "only here", status: "published" })).toEqual([]);
});

/** The rows that contain the text, of a column or of all. */
function scan(column: string, text: string, folding: Folding): unknown[] {
  const params = new Parameters();
  const sql = `SELECT id FROM posts WHERE ${contains(folding)(column, text, params.bind)} ORDER BY id`;
  return storage().all(sql, params.params).flat();
}

test("finds what a scan finds, in any script and case", () => {
  const random = new Random(2);
  const titles = storage().all("SELECT title FROM posts").flat() as string[];
  let looked = 0;
  for (let i = 0; i < 60; i++) {
    const characters = [...random.pick(titles)];
    const start = random.below(characters.length - 3);
    const part = characters.slice(start, start + 3 + random.below(5)).join("");
    const text = random.pick([part, part.toLowerCase(), part.toUpperCase(), part.replaceAll("i", "ı")]);
    for (const folding of ["exact", "folded"] as const) {
      const groups = trigramGroups(text, folding);
      if (groups.length === 0) continue;
      looked++;
      const found = storage().all(`SELECT rowid FROM ${name()} WHERE ${name()} MATCH ?`, [
        `${groups.join(" AND ")} OR "\ue000\ue000\ue000"`,
      ]);
      const ids = new Set(found.flat());
      for (const column of ["title", "body", "document_id", "CAST(views AS TEXT)", "CAST(id AS TEXT)"])
        expect({ text, lost: scan(column, text, folding).filter((id) => !ids.has(id as number)) }).toEqual({
          text,
          lost: [],
        });
    }
  }
  expect(looked).toBeGreaterThan(100);
});

test("every letter is looked for in all the ways in which the tokenizer may have folded its cases", () => {
  const db = new Database(":memory:");
  db.run("CREATE VIRTUAL TABLE f USING fts5(text, tokenize='trigram', content='', contentless_delete=1, detail=none)");
  const cases = new Map<string, string[]>();
  for (let code = 1; code < 0x1_20_00; code++) {
    if (code >= 0xd800 && code < 0xe000) continue;
    const each = String.fromCodePoint(code);
    if (each.toUpperCase() === each && each.toLowerCase() === each) continue;
    cases.set(each.toUpperCase(), [...(cases.get(each.toUpperCase()) ?? []), each]);
  }
  const groups = [...cases.values()].filter(({ length }) => length > 1);
  const insert = db.query("INSERT INTO f (rowid, text) VALUES (?, ?)");
  const all = groups.flat();
  db.transaction(() => {
    for (const [row, each] of all.entries()) insert.run(row, `中${each}文`);
  })();
  const find = db.query<unknown, [string]>("SELECT rowid FROM f WHERE f MATCH ?");
  const lost: string[] = [];
  for (const group of groups) {
    const rows = new Set(find.values(trigramGroups(`中${group[0]}文`, "folded").join(" AND ")).flat());
    for (const each of group) if (!rows.has(all.indexOf(each))) lost.push(each);
  }
  expect(lost).toEqual([]);
  expect(all.length).toBeGreaterThan(2_500);
  db.close();
});

describe("written rows are found", () => {
  test("once they are created, changed, published and deleted", async () => {
    const created = await posts().create({ data: { title: "A zebra crossing", body: "quagga" } });
    const documentId = String(created.documentId);
    await posts().publish({ documentId });
    expect(await containing("zebra")).toBe(1);
    expect(noted()).toBeGreaterThan(0);
    await posts().update({ documentId, data: { title: "A pelican crossing" } });
    await posts().publish({ documentId });
    expect([await containing("zebra"), await containing("pelican")]).toEqual([0, 1]);
    expect((await posts().findMany({ _q: "QUAGGA", status: "published" })).length).toBe(1);
    await posts().delete({ documentId });
    expect([await containing("pelican"), await count({ $or: [{ body: { $contains: "quagga" } }] })]).toEqual([0, 0]);
  });

  test("from other programs, also with REPLACE and other ids", async () => {
    const other = new Database(storage().db.filename);
    const columns = "document_id, status, created_at, updated_at, published_at, title";
    other.run(`INSERT INTO posts (id, ${columns}) VALUES (-5, 'f1', 'published', '', '', '', 'foreign okapi')`);
    expect(await containing("okapi")).toBe(1);
    other.run(
      `INSERT OR REPLACE INTO posts (id, ${columns}) VALUES (-5, 'f1', 'published', '', '', '', 'foreign tapir')`,
    );
    other.run("UPDATE OR IGNORE posts SET id = -6 WHERE id = -5");
    expect([await containing("okapi"), await containing("tapir")]).toEqual([0, 1]);
    other.run("DELETE FROM posts WHERE id < 0");
    expect(await containing("tapir")).toBe(0);
    other.close();
  });

  test("before and after many of them are worked off in the background", async () => {
    storage().run("UPDATE posts SET title = title || ' wombat' WHERE id BETWEEN 100 AND 399");
    const found = scan("title", "wombat", "folded").length;
    expect(found).toBeGreaterThan(290);
    expect(await containing("WOMBAT")).toBe(found);
    await made();
    expect(await containing("wombat")).toBe(found);
    storage().run("UPDATE posts SET title = 'plain' WHERE id BETWEEN 100 AND 399");
    expect(await containing("wombat")).toBe(0);
    await made();
    await until("all noted rows are worked off", () => noted() === 0);
    expect(storage().all(`SELECT rowid FROM ${name()} WHERE ${name()} MATCH '"omb" AND "bat"'`)).toEqual([]);
  });

  test("in an index of few parts, however many writes there were", async () => {
    const parts = () => Number(storage().first(`SELECT count(DISTINCT segid) FROM ${name()}_idx`)![0]);
    let most = 0;
    for (let round = 0; round < 40; round++) {
      storage().run("UPDATE posts SET title = title || 'x' WHERE id BETWEEN 400 AND 649");
      candidates('"wal"');
      await until("the noted rows are worked off", () => noted() === 0);
      most = Math.max(most, parts());
    }
    expect(most).toBeLessThan(25);
    const settings = storage().all(`SELECT k, v FROM ${name()}_config WHERE k = 'automerge'`);
    expect(settings).toEqual([["automerge", 0]]);
  }, 30_000);

  test("a write of other columns notes nothing", async () => {
    const before = noted();
    storage().run("UPDATE posts SET updated_at = '2027' WHERE id < 50");
    expect(noted()).toBe(before);
  });
});

describe("the index is not used", () => {
  const uses = async (filters: Record<string, unknown>, query = {}): Promise<boolean> => {
    const all = storage().all;
    const texts: string[] = [];
    storage().all = function (sql, params) {
      texts.push(sql);
      return all.call(this, sql, params);
    };
    await posts().findMany({ filters, status: "published", limit: 10, ...query });
    storage().all = all;
    return texts.some((sql) => sql.includes(`IN (SELECT rowid FROM ${name()}`));
  };

  test("but where it can find few rows", async () => {
    expect(await uses({ title: { $containsi: "walrus" } })).toBe(true);
    expect(await uses({ $or: [{ title: { $contains: "walrus" } }, { body: { $contains: "walrus" } }] })).toBe(true);
    expect(await uses({}, { _q: "walrus" })).toBe(true);
    expect(await uses({ title: { $containsi: "wa" } })).toBe(false);
    expect(await uses({ title: { $notContainsi: "walrus" } })).toBe(false);
    expect(await uses({ $not: { title: { $containsi: "walrus" } } })).toBe(false);
    expect(await uses({ documentId: { $contains: "doc" } })).toBe(false);
    expect(await uses({ createdAt: { $contains: "2026" } })).toBe(false);
  });

  test("and the planner takes it where it is", () => {
    const rows = candidates('"wal"');
    const sql = `SELECT t.id FROM posts t WHERE t.status = ? AND t.locale IS NULL AND t.id IN (${rows}) AND t.title LIKE ? ORDER BY +t.id LIMIT 10`;
    // a statement that explains keeps the table open
    const other = new Database(storage().db.filename);
    using statement = other.prepare<{ detail: string }, string[]>(`EXPLAIN QUERY PLAN ${sql}`);
    const plan = statement.all("published", '"wal"', "%wal%").map(({ detail }) => detail);
    expect(plan).toContain("SEARCH t USING INTEGER PRIMARY KEY (rowid=?)");
  });
});

describe("the index is made again", () => {
  const statements: Readonly<Record<string, () => string>> = {
    "without a trigger": () => `DROP TRIGGER ${name()}_delete`,
    "without its table": () => `DROP TABLE ${name()}`,
    "without the table of noted rows": () => `DROP TABLE ${name()}_noted`,
    "half made by a process that was killed": () =>
      `UPDATE galley_meta SET value = '3000' WHERE key = 'search_index:${storage().number("posts")}'`,
    "for a column with another name": () => "ALTER TABLE posts RENAME COLUMN body TO body2",
  };
  for (const [what, statement] of Object.entries(statements)) {
    test(what, async () => {
      if (what.startsWith("half")) storage().run(`DELETE FROM ${name()} WHERE rowid > 3000`);
      storage().run(statement());
      if (what.endsWith("name")) {
        storage().run("ALTER TABLE posts RENAME COLUMN body2 TO body");
        storage().run("ALTER TABLE posts RENAME COLUMN title TO headline");
        storage().run("ALTER TABLE posts RENAME COLUMN body TO title");
        storage().run("ALTER TABLE posts RENAME COLUMN headline TO body");
      }
      const expected = scan("title", "ab", "folded").length;
      expect(await containing("ab")).toBe(expected);
      const wanted = scan("title", "aik", "folded").length;
      expect(await containing("aik")).toBe(wanted);
      await made();
      expect(await containing("aik")).toBe(wanted);
    });
  }

  test("damaged", async () => {
    const own = storage();
    const { first } = own;
    own.first = function (sql, params) {
      if (sql.includes("MATCH")) throw new Error("database disk image is malformed");
      return first.call(this, sql, params);
    };
    expect(await containing("ibex")).toBe(0);
    own.first = first;
    expect(state()).toBeUndefined();
    await made();
  });

  test("after an edit of the schema, and not for tables that did not change", async () => {
    const reopen = (schema: Record<string, string>): void => {
      project.close();
      writeFiles(folder.root, schema);
      project = openProject(folder.root, { memory: false, publicRead: false, environment: {} });
    };
    reopen(typeFile("note", { text: { type: "string" } }));
    expect(state()).toBe("done");
    reopen(files({ subtitle: { type: "string" } }));
    expect(state()).toBeUndefined();
    storage().run("UPDATE posts SET subtitle = 'caracal' WHERE id = 77");
    const search = async () => (await posts().findMany({ _q: "caracal", status: "published" })).length;
    expect(await search()).toBe(1);
    await made();
    expect(await search()).toBe(1);
  });

  test("once dropped", async () => {
    storage().transaction(() => dropSearchIndexes(storage()));
    const left = storage().all("SELECT name FROM sqlite_schema WHERE name GLOB 'galley_search_*'");
    expect(left).toEqual([]);
    expect(await containing("aik")).toBe(scan("title", "aik", "folded").length);
    await made();
  });
});
