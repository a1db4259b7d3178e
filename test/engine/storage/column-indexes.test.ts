/** Large tables get indexes on demand, and lists are up to date. */
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DocumentService } from "../../../src/engine/documents/document-service.ts";
import { contentType } from "../../../src/engine/schema/model.ts";
import { openProject, type Project } from "../../../src/server/project/project.ts";
import { CONFORMANCE, projectFolder, typeFile } from "../../project.ts";

const ROWS = 1500;
let root: string;
let project: Project;
const service = (uid: string) => new DocumentService(project.context, contentType(project.model, uid));

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "galley-test-"));
  cpSync(CONFORMANCE, root, { recursive: true });
  project = openProject(root, { memory: false, publicRead: false, environment: {} });
  const { storage } = project.context;
  const columns = "document_id, status, created_at, updated_at, published_at, label";
  storage.run(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})
     INSERT INTO tags (${columns}) SELECT 'doc' || i, 'published', '2026', '2026', '2026', 'label ' || (i % 7) FROM n`,
  );
});
afterAll(() => {
  project.close();
  rmSync(root, { recursive: true, force: true });
});

const indexes = (like = "%_listed"): string[] =>
  project.context.storage
    .all("SELECT name FROM sqlite_master WHERE type = 'index' AND name LIKE ? ORDER BY name", [like])
    .map(([name]) => String(name));

test("creates an index when a column is first filtered or sorted by", async () => {
  const tags = service("api::tag.tag");
  await tags.findMany({ limit: 5 });
  expect(indexes()).toEqual([]);
  await tags.findMany({ filters: { label: { $contains: "3" } }, limit: 5 });
  expect(indexes()).toEqual(["tags_label_listed"]);
  await tags.findMany({ sort: "createdAt:desc", limit: 5 });
  expect(indexes()).toEqual(["tags_created_at_listed", "tags_label_listed"]);
});

test("reads lists without an index if its name is taken", async () => {
  const { storage } = project.context;
  const list = () => service("api::tag.tag").findMany({ sort: "updatedAt", limit: 5 });
  storage.run("CREATE TABLE Tags_updated_at_LISTED (x)");
  expect(await list()).toHaveLength(5);
  storage.run("DROP TABLE Tags_updated_at_LISTED");
  storage.run("CREATE INDEX tags_updated_at_listed ON categories (updated_at)");
  expect(await list()).toHaveLength(5);
  storage.run("DROP INDEX tags_updated_at_listed");
});

test("creates none for small tables", async () => {
  await service("api::category.category").findMany({ sort: "name", limit: 5 });
  expect(indexes().filter((name) => name.startsWith("categories"))).toEqual([]);
});

test("returns every row once over all pages, in order", async () => {
  const tags = service("api::tag.tag");
  const settings = { defaultLimit: 25, maxLimit: 100, withCount: true } as never;
  const seen: unknown[] = [];
  for (let page = 1; page <= 15; page++) {
    const { documents, total } = await tags.findPage(
      { sort: ["label:desc", "id"], pagination: { page, pageSize: 100 } },
      settings,
    );
    expect(total).toBe(ROWS);
    seen.push(...documents.map(({ label, id }) => `${label} ${String(id).padStart(5, "0")}`));
  }
  expect(new Set(seen).size).toBe(ROWS);
  const labels = seen.map((text) => String(text).slice(0, 7));
  expect(labels).toEqual([...labels].sort().reverse());
});

test("invalidates cached lists on writes", async () => {
  const tags = service("api::tag.tag");
  const params = { filters: { label: { $eq: "mine" } }, sort: "label", limit: 5 };
  for (let round = 1; round <= 5; round++) {
    expect(await tags.count(params)).toBe(round - 1);
    expect(await tags.findMany(params)).toHaveLength(round - 1);
    expect(await tags.findMany(params)).toHaveLength(round - 1);
    const { documentId } = await tags.create({ data: { label: "yours" } });
    await tags.update({ documentId: String(documentId), data: { label: "mine" } });
    expect(await tags.count(params)).toBe(round);
    const found = await tags.findMany(params);
    expect(found.map(({ label }) => label)).toEqual(Array.from({ length: round }, () => "mine"));
  }
});

test("returns the same pages of a very large table before and after its list is cached", async () => {
  const { storage } = project.context;
  storage.run(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
     INSERT INTO tags (document_id, status, created_at, updated_at, published_at, label)
     SELECT 'many' || i, 'published', '2026', '2026', '2026', 'many ' || (i * 7919 % 60000) FROM n`,
  );
  const params = { filters: { label: { $startsWith: "many" } }, sort: ["label", "id"], fields: ["label"] };
  const sorted = storage
    .all("SELECT label FROM tags WHERE label GLOB 'many*' ORDER BY label, id LIMIT 600")
    .map(([label]) => label);
  const settings = { defaultLimit: 25, maxLimit: 100, withCount: true } as never;
  for (let page = 1; page <= 20; page++) {
    const found = await service("api::tag.tag").findPage({ ...params, pagination: { page, pageSize: 30 } }, settings);
    expect(found.total).toBe(60_000);
    expect(found.documents.map(({ label }) => label)).toEqual(sorted.slice((page - 1) * 30, page * 30));
  }
});

describe("a list filtered through a relation", () => {
  const ARTICLES = 600;
  const articles = () => service("api::article.article");
  /** Published versions and drafts, which differ, of documents in two categories and in none. */
  const rows = Array.from({ length: ARTICLES }, (_, i) => ({
    documentId: `article${i}`,
    category: i % 3,
    published: { id: 2 * i + 2, views: (i * 7919) % 101 },
    draft: { id: 2 * i + 1, views: (i * 104_729) % 89 },
  }));
  const categories = ["none", "first", "second"];

  beforeAll(async () => {
    const { storage } = project.context;
    const ids: unknown[] = [null];
    for (const slug of categories.slice(1)) {
      const { id } = await service("api::category.category").create({ data: { name: slug, slug } });
      ids.push(id);
    }
    const field = storage.number("articles.category>categories");
    const kind = storage.number("categories");
    storage.transaction(() => {
      for (const { documentId, category, published, draft } of rows) {
        for (const [status, { id, views }] of Object.entries({ published, draft })) {
          storage.run(
            `INSERT INTO articles (id, document_id, locale, status, created_at, updated_at, published_at, title, views)
             VALUES (?, ?, 'en', ?, '2026', '2026', '2026', ?, ?)`,
            [id, documentId, status, `title ${id}`, views],
          );
          if (category > 0) {
            storage.run("INSERT INTO galley_links VALUES (?, ?, 1, ?, ?, 1, NULL)", [
              field,
              id,
              ids[category] as number,
              kind,
            ]);
          }
        }
      }
    });
  });

  /** The documents of a version that match, by their views, largest first. */
  const expected = (status: "published" | "draft", match: (category: string, views: number) => boolean) =>
    rows
      .filter((row) => match(categories[row.category] ?? "", row[status].views))
      .map((row) => ({ id: row[status].id, views: row[status].views }))
      .sort((a, b) => b.views - a.views || a.id - b.id)
      .map(({ id }) => id);
  const idsOf = async (params: Record<string, unknown>) => (await articles().findMany(params)).map(({ id }) => id);
  const sorted = { sort: ["views:desc"], fields: ["views"], limit: 1000 };

  for (const status of ["published", "draft"] as const) {
    const first = { category: { slug: { $eq: "first" } } };
    test(`finds the ${status} versions, and counts them`, async () => {
      const filters = { ...first, views: { $gte: 40 } };
      const found = expected(status, (category, views) => category === "first" && views >= 40);
      expect(await idsOf({ ...sorted, status, filters })).toEqual(found);
      expect(await articles().count({ status, filters })).toBe(found.length);
    });
    test(`finds those that are not behind the relation, ${status}`, async () => {
      const without = { category: { slug: { $null: true } }, views: { $lt: 70 } };
      expect(await idsOf({ ...sorted, status, filters: without })).toEqual(
        expected(status, (category, views) => category === "none" && views < 70),
      );
      // null equals nothing, and differs from nothing
      const others = { category: { slug: { $ne: "first" } }, views: { $lt: 70 } };
      expect(await idsOf({ ...sorted, status, filters: others })).toEqual(
        expected(status, (category, views) => category === "second" && views < 70),
      );
    });
    test(`compares columns that no index has, ${status}`, async () => {
      const filters = { ...first, title: { $ne: "title 8" }, rating: { $null: true } };
      expect(await idsOf({ ...sorted, status, filters })).toEqual(
        expected(status, (category) => category === "first").filter((id) => id !== 8),
      );
    });
  }

  test("shares its total with those in another order, and with the total alone", async () => {
    const settings = { defaultLimit: 25, maxLimit: 100, withCount: true } as never;
    const { storage } = project.context;
    const all = spyOn(storage, "all");
    const filters = { category: { slug: { $eq: "first" } } };
    const { total } = await articles().findPage({ filters, sort: ["views:desc"], status: "published" }, settings);
    expect(total).toBe(ARTICLES / 3);
    const texts = all.mock.calls.map(([sql]) => sql);
    all.mockRestore();
    expect(texts.filter((sql) => /^SELECT count\(\*\) FROM "articles"/.test(sql))).toEqual([]);
  });

  test("creates one lookup index for all lists that it covers", async () => {
    const like = "articles_%_looked_up";
    expect(indexes(like)).toEqual(["articles_views_looked_up", "articles_rating+title+views_looked_up"].sort());
    await idsOf({ filters: { category: { slug: "first" }, title: { $startsWith: "title" } }, sort: "views", limit: 3 });
    expect(indexes(like)).toHaveLength(2);
    expect(indexes("articles_%_listed")).toEqual([]);
  });

  test("recreates an index that was dropped", async () => {
    const { storage } = project.context;
    const filters = { category: { slug: { $eq: "first" } }, views: { $gte: 40 } };
    const found = await idsOf({ ...sorted, status: "published", filters });
    storage.run("DROP INDEX articles_views_looked_up");
    expect(await idsOf({ ...sorted, status: "published", filters })).toEqual(found);
    expect(indexes("articles_views_looked_up")).toHaveLength(1);
    const other = new Database(join(root, ".galley/content.db"));
    other.run("DROP INDEX articles_views_looked_up");
    other.close();
    await Bun.sleep(1);
    expect(await idsOf({ ...sorted, status: "published", filters: { ...filters, views: { $gte: 41 } } })).toHaveLength(
      expected("published", (category, views) => category === "first" && views >= 41).length,
    );
  });
});

test("rows that are found by a unique value or a document id need no other index", async () => {
  const { storage } = project.context;
  const columns = "document_id, status, locale, created_at, updated_at, published_at, title, slug, views";
  storage.run(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})
     INSERT INTO articles (${columns}) SELECT 'a' || i, 'published', 'en', '2026', '2026', '2026', 'Title', 's' || i, 1 FROM n`,
  );
  const titles = async (filters: object) =>
    (
      await service("api::article.article").findMany({
        filters,
        status: "published",
        locale: "en",
        sort: "views",
        limit: 5,
      })
    ).length;
  expect(await titles({ slug: "s7", title: { $contains: "T" } })).toBe(1);
  expect(await titles({ slug: { $in: ["s7", "s8", "none"] } })).toBe(2);
  expect(await titles({ $and: [{ documentId: "a9" }, { views: { $lt: 5 } }] })).toBe(1);
  expect(indexes("articles%listed")).toEqual([]);
  // most rows may have none, and any of a list may hold
  await titles({ slug: { $null: true } });
  await titles({ $or: [{ slug: "s7" }, { title: "Title" }] });
  expect(indexes("articles%listed")).toEqual(["articles_slug+views_listed", "articles_views_listed"]);
  storage.run("DELETE FROM articles");
});

describe("lists that are filtered and sorted by several columns", () => {
  const COLUMNS = ["label", "size", "kind", "day", "color"];
  const attributes = Object.fromEntries(COLUMNS.map((name) => [name, { type: "string" }]));
  const value = (row: number, at: number): string => `v${(row * (7 + at)) % (3 + 2 * at)}`;
  const folder = projectFolder(typeFile("thing", attributes));
  const own = openProject(folder.root, { memory: false, publicRead: false, environment: {} });
  const { storage } = own.context;
  const things = new DocumentService(own.context, contentType(own.model, "api::thing.thing"));
  storage.transaction(() => {
    for (let row = 1; row <= ROWS; row++)
      storage.run(
        `INSERT INTO things (document_id, status, created_at, updated_at, published_at, ${COLUMNS}) VALUES (?, 'published', '2026', '2026', '2026', ?, ?, ?, ?, ?)`,
        [`t${row}`, ...COLUMNS.map((_, at) => value(row, at))],
      );
  });
  afterAll(() => {
    own.close();
    folder.remove();
  });
  const made = () =>
    storage
      .all("SELECT name FROM sqlite_schema WHERE type = 'index' AND name LIKE '%_listed' ORDER BY name")
      .map(([name]) => String(name).replace(/^things_|_listed$/g, ""));
  const find = (filters: object, sort: string) => things.findMany({ filters, sort, status: "published", limit: 7 });
  const wanted = (column: number, equal: string, sort: number) =>
    Array.from({ length: ROWS }, (_, index) => index + 1)
      .filter((row) => value(row, column) === equal)
      .sort((a, b) => (value(b, sort) > value(a, sort) ? 1 : value(b, sort) < value(a, sort) ? -1 : a - b))
      .slice(0, 7)
      .map((row) => `t${row}`);

  test("have one index, by which nothing else is read", async () => {
    const all = spyOn(storage, "all");
    const found = await find({ kind: "v1", size: { $gte: "v0" } }, "day:desc");
    expect(found.map(({ documentId }) => documentId)).toEqual(wanted(2, "v1", 3));
    const [sql, params] = all.mock.calls.find(([text]) => text.startsWith("SELECT t.id"))!;
    all.mockRestore();
    expect(made()).toEqual(["kind+day+size"]);
    using statement = storage.db.prepare<{ detail: string }, never[]>(`EXPLAIN QUERY PLAN ${sql}`);
    const plan = statement.all(...(params as never[])).map(({ detail }) => detail);
    expect(plan[0]).toContain("USING COVERING INDEX things_kind+day+size_listed (status=? AND locale=? AND kind=?");
  });

  test("that begins with the columns of other lists", async () => {
    await find({ kind: "v0" }, "id");
    await find({ kind: "v2" }, "day");
    expect(made()).toEqual(["kind+day+size"]);
  });

  test("each get one per column, once there are some indexes of several", async () => {
    for (const [at, column] of COLUMNS.entries())
      for (const [other, sort] of COLUMNS.entries()) {
        if (at === other) continue;
        const found = await find({ [column]: "v1" }, `${sort}:desc`);
        expect(found.map(({ documentId }) => documentId)).toEqual(wanted(at, "v1", other));
      }
    expect(made().filter((name) => name.includes("+"))).toHaveLength(6);
    expect(made().filter((name) => !name.includes("+")).length).toBeGreaterThan(2);
    expect(made().length).toBeLessThanOrEqual(12);
  });
});
