/**
 * The floor: a server written by hand for the bench's content and requests and for nothing else, over Galley's database file,
 * as fast as Bun and SQLite allow. Its answers are Galley's, with their headers except cache tags, ETag and check of the token; it has
 * no other permissions, and no parameters beyond those it is asked with. It is the only one that writes, so that it need not ask for
 * the writes of others.
 *
 *   bun scripts/bench/floor/server.ts PROJECT PORT
 */
import { join } from "node:path";
import { DATABASE, TOKEN } from "../project.ts";
import { ARTICLES, openDatabase, type Row } from "./database.ts";
import { lists } from "./lists.ts";
import { readOrder } from "./order.ts";
import { readOthers } from "./others.ts";
import { document, openArticle } from "./text.ts";
import { uploads } from "./upload.ts";
import { writes } from "./writes.ts";

const [project, port] = process.argv.slice(2);
if (!project || !port) throw new Error("usage: server.ts PROJECT PORT");

const SOURCES = {
  "connect-src": "'self' https:",
  "img-src": "'self' data: blob: https://market-assets.strapi.io",
  "media-src": "'self' data: blob:",
  "default-src": "'self'",
  "base-uri": "'self'",
  "font-src": "'self' https: data:",
  "form-action": "'self'",
  "frame-ancestors": "'self'",
  "object-src": "'none'",
  "script-src": "'self'",
  "script-src-attr": "'none'",
  "style-src": "'self' https: 'unsafe-inline'",
};
const ALL = {
  "access-control-allow-credentials": "true",
  "access-control-allow-origin": "",
  "content-security-policy": Object.entries(SOURCES)
    .map((source) => source.join(" "))
    .join(";"),
  "content-type": "application/json; charset=utf-8",
  "referrer-policy": "no-referrer",
  "strict-transport-security": "max-age=31536000; includeSubDomains",
  vary: "Origin",
  "x-content-type-options": "nosniff",
  "x-dns-prefetch-control": "off",
  "x-download-options": "noopen",
  "x-frame-options": "SAMEORIGIN",
  "x-permitted-cross-domain-policies": "none",
  "x-powered-by": "Galley",
};
const ofWrites = new Headers(ALL);
const ofReads = new Headers({ ...ALL, "cache-control": "private, no-cache" });
const ofGraphql = new Headers({ ...ALL, "access-control-allow-origin": "*", "cache-control": "no-store" });

const database = openDatabase(join(project, DATABASE));
const others = readOthers(database);
const order = readOrder(database);
const read = lists(database, order, others);
// the plus keeps SQLite from taking an index of versions for one that is as good
const byDocument = database.prepare(
  `SELECT ${ARTICLES} FROM articles WHERE document_id = ? AND +status = 'published' AND +locale = 'en'`,
);

/** Whole answers by URL, for URLs that come again; as many bytes as Galley keeps. */
const kept = new Map<string, { readonly content: Blob; readonly headers: Headers }>();
const MAX_KEPT_BYTES = 16_777_216;
let keptBytes = 0;

const write = writes(database, others, (old, article) => {
  order.replace(old, article);
  kept.clear();
  keptBytes = 0;
});
const upload = uploads(database, project);

const AUTHORIZATION = `Bearer ${TOKEN}`;
const isAllowed = ({ headers }: Request): boolean => headers.get("authorization") === AUTHORIZATION;
const refuse = (): Response => new Response("Unauthorized", { status: 401 });

const numberIn = (url: string, pattern: RegExp, otherwise: number): number =>
  Number(pattern.exec(url)?.[1] ?? otherwise);
const PAGE = /pagination%5Bpage%5D=(\d+)/;
const PAGE_SIZE = /pagination%5BpageSize%5D=(\d+)/;
const TITLE = /filters%5Btitle%5D%5B\$containsi%5D=([^&]*)/;
const CATEGORY = /filters%5Bcategory%5D%5Bslug%5D%5B\$eq%5D=([^&]*)&filters%5Bviews%5D%5B\$gte%5D=(\d+)/;

function listText(url: string): string {
  const size = numberIn(url, PAGE_SIZE, 25);
  const category = CATEGORY.exec(url);
  if (category) return read.deep(category[1]!, Number(category[2]), size);
  const title = TITLE.exec(url);
  if (title) return read.search(decodeURIComponent(title[1]!), size);
  return read.list(numberIn(url, PAGE, 1), size, url.includes("populate=*"));
}

/** Hashed as Galley does. */
function respond(text: string): { content: string; headers: Headers } {
  const headers = new Headers(ofReads);
  headers.set("etag", `W/"${Bun.hash(text).toString(36)}"`);
  return { content: text, headers };
}

function list(request: Request): Response {
  if (!isAllowed(request)) return refuse();
  const { url } = request;
  const cached = kept.get(url);
  if (cached) return new Response(cached.content, { headers: cached.headers });
  const { content, headers } = respond(listText(url));
  if (!url.includes("&n=") && keptBytes + content.length < MAX_KEPT_BYTES) {
    kept.set(url, { content: new Blob([content]), headers });
    keptBytes += content.length;
  }
  return new Response(content, { headers });
}

Bun.serve({
  hostname: "127.0.0.1",
  port: Number(port),
  routes: {
    "/api/articles": {
      GET: list,
      POST: async (request) => {
        if (!isAllowed(request)) return refuse();
        const { data } = (await request.json()) as { data: Parameters<typeof write.create>[0] };
        return new Response(write.create(data), { status: 201, headers: ofWrites });
      },
    },
    "/api/articles/:documentId": {
      GET: (request) => {
        if (!isAllowed(request)) return refuse();
        const [row] = byDocument.values(request.params.documentId) as Row[];
        if (!row) return new Response("Not Found", { status: 404 });
        const { content, headers } = respond(document(openArticle(row)));
        return new Response(content, { headers });
      },
      PUT: async (request) => {
        if (!isAllowed(request)) return refuse();
        const { documentId } = request.params;
        const { data } = (await request.json()) as { data: { views?: number } };
        return new Response(write.update(documentId, data.views), { headers: ofWrites });
      },
    },
    "/graphql": {
      POST: async (request) => {
        if (!isAllowed(request)) return refuse();
        const { query } = (await request.json()) as { query: string };
        const least = numberIn(query, /gte: (\d+)/, 0);
        return new Response(read.graphql(least, numberIn(query, /limit: (\d+)/, 10)), { headers: ofGraphql });
      },
    },
    "/api/upload": {
      POST: async (request) => {
        if (!isAllowed(request)) return refuse();
        const form = await request.formData();
        return new Response(await upload(form.get("files") as File), { status: 201, headers: ofWrites });
      },
    },
  },
});
