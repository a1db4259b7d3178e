/** Archives that are sound, but unlike those that an export writes. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGalley } from "../../src/index.ts";
import { schemaDifferences } from "../../src/transfer/import/schema-files.ts";
import { Random } from "../random.ts";
import { metadata, type TarEntry, writeArchive } from "./tar.ts";

const folder = mkdtempSync(join(tmpdir(), "galley-unusual-"));
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
    part: { type: "component", component: "a.part" },
    parts: { type: "component", component: "a.part", repeatable: true },
    next: { type: "relation", relation: "oneToOne", target: POST },
    picture: { type: "media" },
  },
};
const component = (name: string, attributes: object) => ({
  uid: `a.${name}`,
  modelType: "component",
  collectionName: `components_a_${name}s`,
  info: { displayName: name },
  attributes,
});
const part = component("part", {
  name: { type: "string" },
  inner: { type: "component", component: "a.inner" },
  post: { type: "relation", relation: "oneToOne", target: POST },
});
const inner = component("inner", { name: { type: "string" } });

const rows = (stage: string, ...values: readonly object[]): TarEntry => ({
  name: `${stage}/${stage}_00001.jsonl`,
  content: values.map((value) => JSON.stringify(value)).join("\n"),
});
const schemas = rows("schemas", schema, part, inner);
const post = (id: number, data: object) => ({ type: POST, id, data: { documentId: `post${id}`, ...data } });
const link = (type: string, ref: number, field: string, to: number) => ({
  kind: "relation.basic",
  relation: "oneToOne",
  left: { type, ref, field },
  right: { type: POST, ref: to },
});

async function posts(name: string, entries: readonly TarEntry[]): Promise<unknown> {
  const archive = await writeArchive(join(folder, `${name}.tar.gz`), [metadata, schemas, ...entries]);
  await using galley = await createGalley({ archive, publicRead: true });
  const populate = "populate[part][populate]=*&populate[parts][populate]=*&populate[next]=true&populate[picture]=true";
  const answer = await galley.fetch(`/api/posts?${populate}&sort=documentId`);
  return ((await answer.json()) as { data: unknown }).data;
}

test("components that documents share become one for each, and their links lead from the last", async () => {
  const shared = { id: 1, name: "shared", inner: { id: 1, name: "deep" } };
  const found = await posts("shared", [
    rows(
      "entities",
      post(1, { part: shared }),
      post(2, { part: shared, parts: [{ id: 2, name: "own" }, shared] }),
      post(3, { part: { id: 3, name: "own" } }),
    ),
    rows("links", link("a.part", 1, "post", 3)),
  ]);
  const copy = { name: "shared", inner: { name: "deep" } };
  expect(found).toMatchObject([
    { part: { ...copy, post: null } },
    { part: { ...copy, post: null }, parts: [{ name: "own" }, { ...copy, post: { documentId: "post3" } }] },
    { part: { id: 3, name: "own" } },
  ]);
  const ids = (found as { part: { id: number } }[]).map((one) => one.part.id);
  expect(new Set(ids).size).toBe(3);
});

test("links to and from missing rows lead nowhere where rows get other ids, as in archives from PostgreSQL", async () => {
  const entries = [1, 5, 2, 3].map((id) => post(id, { title: `${id}` }));
  // the rows 2 and 3 get the ids 6 and 7
  const links = [
    link(POST, 1, "next", 7),
    link(POST, 6, "next", 5),
    link(POST, 3, "next", 2),
    link(POST, 5, "next", 4),
  ];
  expect(await posts("order", [rows("entities", ...entries), rows("links", ...links)])).toMatchObject([
    { title: "1", next: null },
    { title: "2", next: null },
    { title: "3", next: { title: "2" } },
    { title: "5", next: null },
  ]);
});

test("without settings, the default locale is one that the archive has", async () => {
  const localized = { ...schema, pluginOptions: { i18n: { localized: true } } };
  const archive = await writeArchive(join(folder, "locales.tar.gz"), [
    metadata,
    rows("schemas", localized, part, inner),
    rows(
      "entities",
      { type: "plugin::i18n.locale", id: 1, data: { code: "fr", name: "French (fr)" } },
      post(1, { title: "un", locale: "fr" }),
    ),
  ]);
  await using galley = await createGalley({ archive, publicRead: true });
  const answer = await galley.fetch("/api/posts");
  expect(((await answer.json()) as { data: unknown }).data).toMatchObject([{ title: "un", locale: "fr" }]);
});

test("links before entities, and large files that are not read again for them", async () => {
  const random = new Random(7);
  const content = Buffer.from(Uint8Array.from({ length: 9_000_000 }, () => random.below(256)));
  const record = { name: "a.bin", hash: "a", ext: ".bin", mime: "application/octet-stream", size: 1, url: "/a.bin" };
  const found = await posts("links-first", [
    { name: "assets/metadata/a.bin.json", content: JSON.stringify({ id: 1, ...record }) },
    { name: "assets/uploads/a.bin", content },
    rows("links", link(POST, 1, "next", 2), {
      kind: "relation.morph",
      relation: "morphToMany",
      left: { type: "plugin::upload.file", ref: 1, field: "related" },
      right: { type: POST, ref: 2, field: "picture", pos: 1 },
    }),
    rows("entities", post(1, {}), post(2, {}), {
      type: "plugin::upload.file",
      id: 1,
      data: { documentId: "file", provider: "local", ...record },
    }),
  ]);
  expect(found).toMatchObject([
    { next: { documentId: "post2" }, picture: null },
    { next: null, picture: { name: "a.bin" } },
  ]);
});

test("rows from before an attribute was added have its default, also in components; what is null stays null", async () => {
  const count = { type: "integer", default: 3 };
  const types = rows(
    "schemas",
    { ...schema, attributes: { ...schema.attributes, count } },
    component("part", { name: { type: "string", default: "a name" } }),
  );
  const archive = await writeArchive(join(folder, "defaults.tar.gz"), [
    metadata,
    types,
    rows("entities", post(1, { part: { id: 1 } }), post(2, { count: null, part: { id: 2, name: null } })),
  ]);
  await using galley = await createGalley({ archive, publicRead: true });
  const answer = await galley.fetch("/api/posts?populate=part&sort=id");
  const { data } = (await answer.json()) as { data: unknown[] };
  expect(data).toMatchObject([
    { count: 3, part: { name: "a name" } },
    { count: null, part: { name: null } },
  ]);
});

test("a custom field is what is behind it, when schemas are compared", () => {
  const text = JSON.stringify({ ...schema, attributes: {} });
  const archived = (attributes: object) => new Map([[POST, { ...JSON.parse(text), attributes }]]);
  const raw = (attributes: object) =>
    ({ types: [{ uid: POST, definition: { ...JSON.parse(text), attributes } }], components: [] }) as never;
  const editor = { type: "customField", customField: "plugin::ckeditor5.CKEditor" };
  const other = { type: "customField", customField: "plugin::x.y" };
  const theirs = archived({ a: { ...editor, type: "richtext" }, b: { ...other, type: "json" } });
  const ours = raw({ a: editor, b: other });
  expect(schemaDifferences(theirs, ours)).toEqual([`${POST}: b is json in the archive, text here`]);
  expect(schemaDifferences(theirs, ours, { "plugin::x.y": "json" })).toEqual([]);
});

test("entries with one position in the list of their target keep the order of the archive, as in Strapi", async () => {
  const type = (name: string, attributes: object) => ({
    ...schema,
    uid: `api::${name}.${name}`,
    collectionName: `${name}s`,
    info: { singularName: name, pluralName: `${name}s`, displayName: name },
    attributes,
  });
  const many = { type: "relation", relation: "manyToMany" };
  const item = (name: string, id: number) => ({
    type: `api::${name}.${name}`,
    id,
    data: { documentId: `${name}${id}` },
  });
  const linked = (owner: number, pos: number, target = 1) => ({
    kind: "relation.basic",
    relation: "manyToMany",
    left: { type: "api::page.page", ref: owner, field: "tags", pos: 1 },
    right: { type: "api::tag.tag", ref: target, field: "pages", pos },
  });
  // more than one statement's links lie between two equal positions
  const others = Array.from({ length: 150 }, (_, index) => linked(index + 1, 1, 2));
  const archive = await writeArchive(join(folder, "ties.tar.gz"), [
    metadata,
    rows(
      "schemas",
      type("page", { tags: { ...many, target: "api::tag.tag", inversedBy: "pages" } }),
      type("tag", { pages: { ...many, target: "api::page.page", mappedBy: "tags" } }),
    ),
    rows("entities", item("tag", 1), item("tag", 2), ...Array.from({ length: 150 }, (_, n) => item("page", n + 1))),
    rows(
      "links",
      linked(5, 2),
      linked(4, 1),
      linked(3, 1),
      linked(9, 2),
      ...others,
      linked(2, 2),
      linked(7, 1),
      linked(1, 1.5),
    ),
  ]);
  await using galley = await createGalley({ archive, publicRead: true });
  const answer = await galley.fetch("/api/tags?populate=pages&sort=documentId");
  const { data } = (await answer.json()) as { data: { pages: { id: number }[] }[] };
  expect(data[0]!.pages.map(({ id }) => id)).toEqual([4, 3, 7, 1, 5, 9, 2]);
  expect(data[1]!.pages.map(({ id }) => id)).toEqual(others.map(({ left }) => left.ref));
});
