import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DocumentService } from "../../src/engine/documents/document-service.ts";
import { contentType } from "../../src/engine/schema/model.ts";
import { openArchive } from "../../src/server/archive.ts";
import { writeArchive } from "./tar.ts";

const folder = mkdtempSync(join(tmpdir(), "galley-version-4-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const localized = { i18n: { localized: true } };
const schemas = [
  {
    uid: "api::post.post",
    modelType: "contentType",
    kind: "collectionType",
    collectionName: "posts",
    info: { singularName: "post", pluralName: "posts", displayName: "Post" },
    options: { draftAndPublish: true },
    pluginOptions: localized,
    attributes: {
      title: { type: "string", pluginOptions: localized },
      parent: { type: "relation", relation: "oneToOne", target: "api::post.post" },
    },
  },
];
const time = "2023-01-01T00:00:00.000Z";
const post = (id: number, title: string, locale: string, publishedAt: string | null) => ({
  type: "api::post.post",
  id,
  data: { title, locale, publishedAt, createdAt: time, updatedAt: time },
});
const circular = (field: string, left: number, right: number) => ({
  kind: "relation.circular",
  relation: "oneToOne",
  left: { type: "api::post.post", ref: left, field },
  right: { type: "api::post.post", ref: right },
});
const lines = (rows: readonly object[]): string => rows.map((row) => JSON.stringify(row)).join("\n");
const locale = (id: number, code: string) => ({ type: "plugin::i18n.locale", id, data: { code, name: code } });

test("rows of version 4 become documents: localizations together, published ones with a draft", async () => {
  const file = await writeArchive(join(folder, "four.tar.gz"), [
    { name: "metadata.json", content: JSON.stringify({ createdAt: time, strapi: { version: "4.25.1" } }) },
    { name: "schemas/schemas_00001.jsonl", content: lines(schemas) },
    {
      name: "entities/entities_00001.jsonl",
      content: lines([
        locale(1, "en"),
        locale(2, "fr"),
        post(1, "one", "en", time),
        post(2, "un", "fr", null),
        post(3, "two", "en", time),
        post(4, "trois", "fr", time),
      ]),
    },
    {
      name: "links/links_00001.jsonl",
      content: lines([
        circular("localizations", 1, 2),
        circular("localizations", 2, 1),
        circular("parent", 3, 1),
        circular("parent", 4, 2),
      ]),
    },
  ]);
  const project = await openArchive({ file }, { memory: true, publicRead: true, environment: {} });
  const posts = new DocumentService(project.context, contentType(project.model, "api::post.post"));
  const published = await posts.findMany({ status: "published", sort: "title", locale: "en", populate: "parent" });
  expect(published.map(({ title }) => title)).toEqual(["one", "two"]);
  expect(published[1]).toMatchObject({ parent: { title: "one" }, publishedAt: time });
  const drafts = await posts.findMany({ status: "draft", locale: "en", sort: "title", populate: "parent" });
  expect(drafts.map(({ title, publishedAt }) => [title, publishedAt])).toEqual([
    ["one", null],
    ["two", null],
  ]);
  expect(drafts[1]).toMatchObject({ parent: { title: "one", publishedAt: null } });
  const french = await posts.findMany({ status: "draft", locale: "fr", populate: "parent" });
  expect(french).toMatchObject([
    { title: "un", documentId: drafts[0]!.documentId },
    // a draft is linked from the draft of the published row that linked it
    { title: "trois", parent: { title: "un" } },
  ]);
  expect(drafts[0]!.documentId).not.toBe(drafts[1]!.documentId);
  await project.close();
});
