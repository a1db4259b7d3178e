/**
 * The floor: a server written by hand for the bench's articles and for nothing else, over Galley's database file. Its
 * answers are Galley's byte for byte; it knows neither permissions nor parameters beyond those it is asked with, and
 * sends no header but the content type.
 *
 *   bun scripts/bench/floor.ts DATABASE PORT
 */
import { Database } from "bun:sqlite";
import { populateAll } from "./floor-populate.ts";

const [file, port] = process.argv.slice(2);
if (!file || !port) throw new Error("usage: floor.ts DATABASE PORT");

const db = new Database(file, { readwrite: true });
db.run("PRAGMA busy_timeout = 10000");
db.run("PRAGMA cache_size = -16000");

/** A row of the database, its columns already named as in answers. */
interface Article extends Record<string, unknown> {
  readonly id: number;
  featured: unknown;
  content: unknown;
  metadata: unknown;
}

const COLUMNS = `id, document_id AS documentId, title, slug, excerpt, body, content, kind, views, rating, featured,
  publishDate, metadata, created_at AS createdAt, updated_at AS updatedAt, published_at AS publishedAt, locale`;
const PUBLISHED = "status = 'published' AND locale = 'en'";

// the page's ids first, so that whole articles are neither sorted nor skipped
const pageByViews = db.prepare<Article, [number, number]>(
  `SELECT ${COLUMNS} FROM articles WHERE id IN
    (SELECT id FROM articles WHERE ${PUBLISHED} ORDER BY views, id LIMIT ? OFFSET ?) ORDER BY views, id`,
);
const countAll = db.prepare<{ total: number }, []>(`SELECT count(*) AS total FROM articles WHERE ${PUBLISHED}`);
// the plus keeps SQLite from taking an index of versions for one that is as good
const byDocument = db.prepare<Article, [string]>(
  `SELECT ${COLUMNS} FROM articles WHERE document_id = ? AND +status = 'published' AND +locale = 'en'`,
);
const byTitle = db.prepare<Article, [string, number]>(
  `SELECT ${COLUMNS} FROM articles WHERE ${PUBLISHED} AND title LIKE ? ESCAPE '\\' ORDER BY id LIMIT ?`,
);
const countByTitle = db.prepare<{ total: number }, [string]>(
  `SELECT count(*) AS total FROM articles WHERE ${PUBLISHED} AND title LIKE ? ESCAPE '\\'`,
);
const populate = populateAll(db);

const json = (text: unknown): unknown => (text === null ? null : JSON.parse(text as string));

function finish(article: Article): Article {
  article.featured = article.featured === null ? null : article.featured === 1;
  article.content = json(article.content);
  article.metadata = json(article.metadata);
  return article;
}

function createPage(data: readonly Article[], page: number, pageSize: number, total: number) {
  return { data, meta: { pagination: { page, pageSize, pageCount: Math.ceil(total / pageSize), total } } };
}

function list(page: number, pageSize: number, populated: boolean) {
  const articles = pageByViews.all(pageSize, (page - 1) * pageSize).map(finish);
  if (populated) populate(articles);
  return createPage(articles, page, pageSize, countAll.get()?.total ?? 0);
}

function search(text: string, pageSize: number) {
  const pattern = `%${text.replace(/[\\%_]/g, "\\$&")}%`;
  const articles = byTitle.all(pattern, pageSize).map(finish);
  return createPage(articles, 1, pageSize, countByTitle.get(pattern)?.total ?? 0);
}

const HEADERS = { "content-type": "application/json; charset=utf-8" };
const answer = (body: unknown): Response => new Response(JSON.stringify(body), { headers: HEADERS });

Bun.serve({
  hostname: "127.0.0.1",
  port: Number(port),
  routes: {
    "/api/articles": ({ url }) => {
      const { searchParams: query } = new URL(url);
      const pageSize = Number(query.get("pagination[pageSize]") ?? 25);
      const text = query.get("filters[title][$containsi]");
      if (text !== null) return answer(search(text, pageSize));
      return answer(list(Number(query.get("pagination[page]") ?? 1), pageSize, query.get("populate") === "*"));
    },
    "/api/articles/:documentId": ({ params }) => {
      const article = byDocument.get(params.documentId);
      return article ? answer({ data: finish(article), meta: {} }) : new Response("Not Found", { status: 404 });
    },
    // what the same request costs when nothing is left to do for it
    "/static": answer(list(1, 25, true)),
  },
});
