/** Large tables get indexes for what is asked for, and lists stay true to the content. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { DocumentService } from "../../src/documents/document-service.ts";
import { contentType } from "../../src/schema/model.ts";
import { openProject, type Project } from "../../src/server/project.ts";
import { CONFORMANCE } from "../project.ts";

const ROWS = 1500;
let project: Project;
const service = (uid: string) => new DocumentService(project.context, contentType(project.model, uid));

beforeAll(() => {
  project = openProject(CONFORMANCE, { memory: true, publicRead: false, environment: {} });
  const { storage } = project.context;
  const columns = "document_id, status, created_at, updated_at, published_at, label";
  storage.run(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})
     INSERT INTO tags (${columns}) SELECT 'doc' || i, 'published', '2026', '2026', '2026', 'label ' || (i % 7) FROM n`,
  );
});
afterAll(() => project.close());

const indexes = (): string[] =>
  project.context.storage
    .all("SELECT name FROM sqlite_master WHERE type = 'index' AND name LIKE '%_listed' ORDER BY name")
    .map(([name]) => String(name));

test("an index is made for a column when it is first filtered or sorted by, and not before", async () => {
  const tags = service("api::tag.tag");
  await tags.findMany({ limit: 5 });
  expect(indexes()).toEqual([]);
  await tags.findMany({ filters: { label: { $contains: "3" } }, limit: 5 });
  expect(indexes()).toEqual(["tags_label_listed"]);
  await tags.findMany({ sort: "createdAt:desc", limit: 5 });
  expect(indexes()).toEqual(["tags_created_at_listed", "tags_label_listed"]);
});

test("small tables have none", async () => {
  await service("api::category.category").findMany({ sort: "name", limit: 5 });
  expect(indexes().filter((name) => name.startsWith("categories"))).toEqual([]);
});

test("pages of one list come in order, each row once, and its length is their sum", async () => {
  const tags = service("api::tag.tag");
  const settings = { defaultLimit: 25, maxLimit: 100, withCount: true } as never;
  const seen: unknown[] = [];
  for (let page = 1; page <= 15; page++) {
    const { documents, total } = tags.findPage(
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

test("what a write changes shows in the next list, whatever was remembered", async () => {
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

test("pages of a very large table are the same before and after its list is remembered", async () => {
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
    const found = service("api::tag.tag").findPage({ ...params, pagination: { page, pageSize: 30 } }, settings);
    expect(found.total).toBe(60_000);
    expect(found.documents.map(({ label }) => label)).toEqual(sorted.slice((page - 1) * 30, page * 30));
  }
});
