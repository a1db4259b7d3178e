/** The content that is asked for: categories, tags, authors, and articles that use them. */
import type { Database } from "bun:sqlite";
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createGalley } from "../../src/index.ts";
import { PROJECT } from "./project.ts";
import type { Ids } from "./works.ts";

const CATEGORIES = 50;
const TAGS = 200;
const AUTHORS = 100;
/** Above, rows of so many articles are copied in SQL: a document through the service takes its time. */
export const MAX_BY_SERVICE = 20_000;
export const BY_SERVICE = 10_000;
/** More than any load asks for. */
const MAX_IDS = 100_000;

type Create = (plural: string, data: Readonly<Record<string, unknown>>) => Promise<string>;

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

function articleData(i: number, categories: readonly string[], tags: readonly string[], authors: readonly string[]) {
  const own = new Set([tags[i % TAGS], tags[(i * 7 + 1) % TAGS], tags[(i * 13 + 2) % TAGS]]);
  return {
    title: `Article number ${i}`,
    slug: `article-number-${i}`,
    excerpt: "An excerpt of some length. ".repeat(4),
    body: "Lorem ipsum dolor sit amet. ".repeat(60),
    content: [{ type: "paragraph", children: [{ type: "text", text: "Hello world ".repeat(20) }] }],
    kind: ["news", "guide", "opinion"][i % 3],
    views: i,
    rating: (i % 50) / 10,
    featured: i % 2 === 0,
    publishDate: `20${10 + (i % 16)}-0${1 + (i % 9)}-1${i % 10}`,
    metadata: { a: i, b: ["x", "y"] },
    category: categories[i % CATEGORIES],
    author: authors[i % AUTHORS],
    tags: [...own],
    seo: { metaTitle: `Meta ${i}`, metaDescription: "Description" },
    sections: [
      { __component: "shared.quote", title: "Q", body: "quote" },
      { __component: "shared.rich-text", body: "rich **text**" },
    ],
  };
}

/** Makes the content through whatever creates documents, some at a time. */
export async function createContent(create: Create, articles: number, width: number): Promise<Ids> {
  const each = async (count: number, plural: string, data: (i: number) => Readonly<Record<string, unknown>>) => {
    const ids: string[] = [];
    let next = 0;
    const worker = async (): Promise<void> => {
      for (let i = next++; i < count; i = next++) ids[i] = await create(plural, data(i));
    };
    await Promise.all(range(width).map(worker));
    return ids;
  };
  const categories = await each(CATEGORIES, "categories", (i) => ({
    name: `Category ${i}`,
    slug: `category-${i}`,
    rank: i,
  }));
  const tags = await each(TAGS, "tags", (i) => ({ label: `Tag ${i}`, color: "#00ff00" }));
  const authors = await each(AUTHORS, "authors", (i) => ({
    name: `Author ${i}`,
    email: `a${i}@example.com`,
    bio: "bio ".repeat(30),
  }));
  const ids = await each(articles, "articles", (i) => articleData(i, categories, tags, authors));
  return { articles: ids, categories, tags };
}

const uids: Readonly<Record<string, string>> = {
  categories: "api::category.category",
  tags: "api::tag.tag",
  authors: "api::author.author",
  articles: "api::article.article",
};

/** Copies all articles, with what belongs to them, until there are `articles`: a multiple of `made`. */
function multiply(run: (sql: string) => void, made: number, articles: number): void {
  const copies = articles / made;
  const numbers = `(WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < ${copies - 1}) SELECT k FROM n)`;
  // two rows a document, draft and published; ids of copies lie beyond those of the originals
  const tables = ["articles", "components_shared_seos", "components_shared_quotes", "components_shared_rich_texts"];
  const step = made * 2 + 1000;
  for (const table of tables) {
    const own = table === "articles";
    run(`CREATE TEMP TABLE copied AS SELECT * FROM ${table}`);
    run(`CREATE TEMP TABLE numbered AS SELECT k, c.* FROM copied c, ${numbers}`);
    const changes = own
      ? `id = id + k * ${step}, document_id = document_id || k, title = title || ' of ' || k, slug = slug || '-' || k, views = views + k * ${made}`
      : `id = id + k * ${step}`;
    run(`UPDATE numbered SET ${changes}`);
    run("ALTER TABLE numbered DROP COLUMN k");
    run(`INSERT INTO ${table} SELECT * FROM numbered`);
    run("DROP TABLE numbered");
    run("DROP TABLE copied");
  }
  const fields = "(SELECT id FROM galley_names WHERE name LIKE 'articles.%')";
  const shared =
    "(SELECT id FROM galley_names WHERE name GLOB 'articles.category*' OR name GLOB 'articles.author*' OR name GLOB 'articles.tags*')";
  run(
    `INSERT INTO galley_links (field, owner, position, target, kind, inverse)
     SELECT field, owner + k * ${step}, position, CASE WHEN field IN ${shared} THEN target ELSE target + k * ${step} END, kind, inverse
     FROM (SELECT * FROM galley_links WHERE field IN ${fields}), ${numbers}`,
  );
}

/** Copies the content that is made by the service until there are `articles`. */
async function makeCopies(cache: string, articles: number, unfinished: string): Promise<Ids> {
  const { folder, ids } = await makeContent(cache, BY_SERVICE);
  cpSync(folder, unfinished, { recursive: true });
  const app = await createGalley({ project: unfinished, memory: false, environment: {} });
  const db = app.database() as Database;
  db.transaction(() => multiply((sql) => void db.run(sql), BY_SERVICE, articles))();
  const all = "SELECT document_id FROM articles WHERE status = 'published' ORDER BY id LIMIT ?";
  const rows = db.query<unknown, [number]>(all).values(MAX_IDS) as [string][];
  await app.close();
  return { ...ids, articles: rows.map(([id]) => id) };
}

async function makeByService(articles: number, unfinished: string): Promise<Ids> {
  cpSync(PROJECT, unfinished, { recursive: true });
  const app = await createGalley({ project: unfinished, memory: false, environment: {} });
  const create: Create = async (plural, data) => {
    const uid = uids[plural];
    if (!uid) throw new Error(`The bench's project has no ${plural}`);
    return (await app.documents(uid).create({ data, status: "published" })).documentId as string;
  };
  const ids = await createContent(create, articles, 1);
  await app.close();
  return ids;
}

/** A project folder with content for Galley; made once, then taken from `cache`. */
export async function makeContent(cache: string, articles: number): Promise<{ folder: string; ids: Ids }> {
  const folder = join(cache, `galley-${articles}`);
  const idsFile = join(folder, "ids.json");
  if (existsSync(idsFile)) return { folder, ids: JSON.parse(readFileSync(idsFile, "utf8")) as Ids };
  const unfinished = `${folder}.part`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(cache, { recursive: true });
  const ids =
    articles > MAX_BY_SERVICE
      ? await makeCopies(cache, articles, unfinished)
      : await makeByService(articles, unfinished);
  writeFileSync(join(unfinished, "ids.json"), JSON.stringify(ids));
  renameSync(unfinished, folder);
  return { folder, ids };
}
