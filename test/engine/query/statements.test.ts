/** The number of statements of a request depends on the shape of the query, not on the number of rows. */
import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import { DocumentService } from "../../../src/engine/documents/document-service.ts";
import { contentType } from "../../../src/engine/schema/model.ts";
import { type App, createApp } from "../../../src/server/app.ts";
import { openProject, type Project } from "../../../src/server/project/project.ts";
import { CONFORMANCE, FULL } from "../../project.ts";

let project: Project;
let app: App;
beforeAll(async () => {
  project = openProject(CONFORMANCE, { memory: true, publicRead: false, environment: {} });
  app = createApp(project);
  await project.idle();
  const documents = (uid: string) => new DocumentService(project.context, contentType(project.model, uid));
  const make = async (uid: string, count: number, data: (index: number) => Record<string, unknown>) => {
    const ids: string[] = [];
    for (let index = 0; index < count; index++) {
      const document = await documents(uid).create({ data: data(index), status: "published" });
      ids.push(document.documentId as string);
    }
    return ids;
  };
  const categories = await make("api::category.category", 3, (i) => ({ name: `c${i}` }));
  const tags = await make("api::tag.tag", 5, (i) => ({ label: `t${i}` }));
  const authors = await make("api::author.author", 3, (i) => ({ name: `a${i}` }));
  await make("api::article.article", 60, (i) => ({
    title: `article ${i}`,
    category: categories[i % 3],
    author: authors[i % 3],
    tags: [tags[i % 5], tags[(i + 1) % 5]],
    seo: { metaTitle: "m" },
    links: [{ label: "l" }],
    sections: [
      { __component: "shared.quote", body: "q" },
      { __component: "shared.rich-text", body: "r" },
      { __component: "basic.card", heading: "h", link: { label: "x" }, items: [{ name: "i" }] },
    ],
  }));
});
afterAll(() => project.close());

async function cost(path: string): Promise<{ statements: number; rows: number }> {
  const { storage } = project.context;
  const get = () => app.handle(new Request(`http://localhost${path}`, { headers: FULL }));
  // the first request fills caches; writing invalidates those that depend on content
  await get();
  storage.setMeta("test", "");
  await app.handle(new Request("http://localhost/api/articles?filters[id]=0", { headers: FULL }));
  const before = storage.statements;
  const response = await get();
  const { data } = (await response.json()) as { data: unknown[] };
  expect(response.status).toBe(200);
  return { statements: storage.statements - before, rows: data.length };
}

test("runs at most five statements for a list of 25 with three populated fields, besides authentication", async () => {
  const bare = await cost("/api/tags?pagination[withCount]=false&fields=label&filters[id]=0");
  const { statements, rows } = await cost("/api/articles?populate=author,category,tags");
  expect(rows).toBe(25);
  expect(statements - (bare.statements - 1)).toBeLessThanOrEqual(5);
});

const deep =
  "/api/articles?populate[author][populate]=avatar&populate[category][populate]=parent&populate[tags][populate]=articles" +
  "&populate[links][populate]=article&populate[sections][on][shared.quote]=true&populate[sections][on][shared.rich-text]=true" +
  "&populate[sections][on][basic.card][populate]=*";

test("runs as many statements for fifty documents as for two", async () => {
  const costs = [];
  for (const size of [2, 10, 50]) costs.push(await cost(`${deep}&pagination[pageSize]=${size}`));
  expect(costs.map(({ rows }) => rows)).toEqual([2, 10, 50]);
  expect(new Set(costs.map(({ statements }) => statements)).size).toBe(1);
});

test("reads no rows of other versions for a filter through a relation", async () => {
  const { storage } = project.context;
  const all = spyOn(storage, "all");
  await cost("/api/articles?filters[category][name]=c1&filters[title][$ne]=x");
  const found = all.mock.calls.map(([sql]) => sql).find((sql) => sql.includes('"categories"'));
  all.mockRestore();
  const plan = storage.db.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${found}`).all();
  expect(plan.map(({ detail }) => detail).join("\n")).toContain(
    "COVERING INDEX articles_version (status=? AND locale=? AND rowid=?)",
  );
});

test("reads localizations only when there is a second locale", async () => {
  const path = "/api/articles?populate=localizations&filters[title]=article%201";
  const before = await cost(path);
  const documents = new DocumentService(project.context, contentType(project.model, "api::article.article"));
  const article = await documents.findFirst({ filters: { title: "article 1" } });
  const documentId = String(article?.documentId);
  await documents.update({ documentId, locale: "fr", data: { title: "deux" }, status: "published" });
  const after = await cost(path);
  expect(after.statements).toBe(before.statements + 1);
  const response = await app.handle(new Request(`http://localhost${path}`, { headers: FULL }));
  expect(await response.json()).toMatchObject({ data: [{ localizations: [{ locale: "fr", title: "deux" }] }] });
  await documents.delete({ documentId, locale: "fr" });
  expect((await cost(path)).statements).toBe(before.statements);
});

test("a filter looks at the rows of a large table once when it finds less than a page", async () => {
  const large = openProject(CONFORMANCE, { memory: true, publicRead: false, environment: {} });
  const { storage } = large.context;
  // about as many as the highest id
  storage.run(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
     INSERT INTO tags (id, document_id, status, created_at, updated_at, published_at, label)
     SELECT 100000 + i, 'large' || i, 'published', '2026', '2026', '2026', 'large ' || i FROM n`,
  );
  const server = createApp(large);
  const all = spyOn(storage, "all");
  const list = async (query: string) => {
    all.mockClear();
    const response = await server.handle(new Request(`http://localhost/api/tags?${query}`, { headers: FULL }));
    const { meta } = (await response.json()) as { meta: { pagination: { total: number } } };
    const texts = all.mock.calls.map(([sql]) => sql).filter((sql) => /instr|LIKE/.test(sql));
    return { total: meta.pagination.total, scans: texts.join().split(' FROM "tags" t').length - 1 };
  };
  expect(await list("filters[label][$contains]=large 119")).toEqual({ total: 11, scans: 1 });
  expect(await list("_q=large 118")).toEqual({ total: 11, scans: 1 });
  expect(await list("filters[label][$contains]=large 11")).toEqual({ total: 111, scans: 2 });
  all.mockRestore();
  await large.close();
});
