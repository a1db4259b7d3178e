import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DocumentService } from "../../src/engine/documents/document-service.ts";
import { contentType } from "../../src/engine/schema/model.ts";
import { openArchive } from "../../src/server/archive.ts";
import { metadata, writeArchive } from "./tar.ts";

const folder = mkdtempSync(join(tmpdir(), "galley-row-order-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const POST = "api::post.post";
const schema = {
  uid: POST,
  modelType: "contentType",
  kind: "collectionType",
  collectionName: "posts",
  info: { singularName: "post", pluralName: "posts", displayName: "Post" },
  options: { draftAndPublish: false },
  attributes: {
    title: { type: "string" },
    next: { type: "relation", relation: "oneToOne", target: POST },
  },
};
const time = "2023-01-01T00:00:00.000Z";
const lines = (rows: readonly object[]): string => rows.map((row) => JSON.stringify(row)).join("\n");
const post = (id: number) => ({
  type: POST,
  id,
  data: { documentId: `p${id}`, title: `post ${id}`, createdAt: time, updatedAt: time, publishedAt: time },
});
const next = (from: number, to: number) => ({
  kind: "relation.circular",
  relation: "oneToOne",
  left: { type: POST, ref: from, field: "next" },
  right: { type: POST, ref: to },
});

const archiveOf = (name: string, ids: readonly number[], links: readonly object[]): Promise<string> =>
  writeArchive(join(folder, `${name}.tar.gz`), [
    metadata,
    { name: "schemas/schemas_00001.jsonl", content: lines([schema]) },
    { name: "entities/entities_00001.jsonl", content: lines(ids.map(post)) },
    { name: "links/links_00001.jsonl", content: lines(links) },
  ]);

const options = { memory: true, publicRead: true, environment: {} };

test("rows are listed in the order of their lines, and their links lead to the same rows", async () => {
  const ids = [5, 9, 2, 12, 1, 10];
  const links = ids.map((id, index) => next(id, ids[(index + 1) % ids.length]!));
  const project = await openArchive({ file: await archiveOf("unordered", ids, links) }, options);
  const posts = new DocumentService(project.context, contentType(project.model, POST));
  const found = await posts.findMany({ populate: "next" });
  expect(found.map(({ documentId }) => documentId)).toEqual(ids.map((id) => `p${id}`));
  expect(found.map((row) => (row.next as { documentId: string }).documentId)).toEqual(
    ids.map((_, index) => `p${ids[(index + 1) % ids.length]}`),
  );
  await project.close();
});

for (const [name, ids] of [
  ["next to each other", [1, 2, 2]],
  ["before the ids stop ascending", [3, 5, 4, 3]],
  ["after the ids stopped ascending", [3, 5, 4, 4]],
] as const) {
  test(`a row that is there twice is refused: ${name}`, async () => {
    const file = await archiveOf(name.replaceAll(" ", "-"), ids, []);
    await expect(openArchive({ file }, options)).rejects.toThrow(/has the api::post.post with id \d twice/);
  });
}
