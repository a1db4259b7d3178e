import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DocumentService } from "../../src/engine/documents/document-service.ts";
import { openArchive } from "../../src/server/archive.ts";
import { exportFolder } from "../../src/server/content-sync/export-folder.ts";
import { openProject, type Project } from "../../src/server/project/project.ts";
import { surveyArchive } from "../../src/transfer/archive/survey.ts";
import { exportArchive } from "../../src/transfer/export/export-archive.ts";
import { schemaRows } from "../../src/transfer/export/schemas.ts";
import { type ImportOptions, importArchive } from "../../src/transfer/import/import-archive.ts";
import { unreadBySurvey } from "../../src/transfer/import/unread.ts";
import { pushTo } from "../../src/transfer/remote/push.ts";
import { receiver } from "./receiver.ts";
import { type TarEntry, writeArchive } from "./tar.ts";

const folder = mkdtempSync(join(tmpdir(), "galley-left-out-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const POST = "api::post.post";
const type = (name: string, attributes: object) => ({
  uid: `api::${name}.${name}`,
  modelType: "contentType",
  kind: "collectionType",
  collectionName: `${name}s`,
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  options: { draftAndPublish: false },
  attributes,
});
const component = (name: string, attributes: object) => ({
  uid: `a.${name}`,
  modelType: "component",
  collectionName: `components_a_${name}s`,
  info: { displayName: name },
  attributes,
});
const text = { type: "string" };
const zone = (...names: string[]) => ({ type: "dynamiczone", components: names.map((name) => `a.${name}`) });
const other = { type: "relation", relation: "manyToMany", target: POST };

/** What the archive has, and what the project has. */
const theirs = [
  type("post", {
    title: text,
    gone: text,
    sections: zone("part", "gone"),
    part: { type: "component", component: "a.part" },
    links: other,
  }),
  type("gone", { title: text }),
  component("part", { name: text, gone: text }),
  component("gone", { name: text }),
];
const own = [
  type("post", { title: text, note: text, sections: zone("part"), part: { type: "component", component: "a.part" } }),
  type("local", { title: text, posts: other }),
  component("part", { name: text, note: text }),
];

let projects = 0;
function emptyProject(): string {
  const root = join(folder, `project-${++projects}`);
  for (const { uid, modelType, ...definition } of own) {
    const [first, second] = uid.replace("api::", "").split(".") as [string, string];
    const file =
      modelType === "component"
        ? `src/components/${first}/${second}.json`
        : `src/api/${first}/content-types/${second}/schema.json`;
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), JSON.stringify(definition));
  }
  return root;
}

const rows = (stage: string, values: readonly object[]): TarEntry => ({
  name: `${stage}/${stage}_00001.jsonl`,
  content: values.map((value) => JSON.stringify(value)).join("\n"),
});
const metadata = {
  name: "metadata.json",
  content: '{"createdAt":"2026-01-01T00:00:00.000Z","strapi":{"version":"5.54.0"}}',
};
const post = (id: number, data: object) => ({ type: POST, id, data: { documentId: `post${id}`, ...data } });
const file = (id: number, data: object) => ({
  type: "plugin::upload.file",
  id,
  data: {
    documentId: `file${id}`,
    name: "a.png",
    hash: "a",
    ext: ".png",
    mime: "image/png",
    size: 1,
    url: "/uploads/a.png",
    provider: "local",
    ...data,
  },
});

async function importInto(
  project: Project,
  name: string,
  entries: readonly TarEntry[],
  options: Partial<ImportOptions> = {},
) {
  const source = { file: await writeArchive(join(folder, `${name}.tar.gz`), [metadata, ...entries]) };
  const survey = await surveyArchive(source);
  const { context, uploads } = project;
  return importArchive(
    source,
    survey,
    { context, uploads },
    { mode: "replace", unread: unreadBySurvey(survey, context.model), ...options },
  );
}

const open = (root: string): Project => openProject(root, { memory: false, publicRead: false, environment: {} });

const content = [
  rows("schemas", theirs),
  rows("entities", [
    post(1, {
      title: "one",
      gone: "lost",
      createdAt: "2026-01-01T00:00:00.000Z",
      sections: [
        { id: 1, __component: "a.part", name: "kept", gone: "lost" },
        { id: 1, __component: "a.gone", name: "lost" },
        { id: 2, __component: "a.gone", name: "lost" },
      ],
      part: { id: 2, name: "kept" },
    }),
    post(2, { title: "two", gone: null, unheard: 0 }),
    { type: "api::gone.gone", id: 1, data: { documentId: "gone1", title: "lost" } },
  ]),
  rows("links", [
    {
      kind: "relation.circular",
      relation: "manyToMany",
      left: { type: POST, ref: 1, field: "links" },
      right: { type: POST, ref: 2 },
    },
    {
      kind: "relation.basic",
      relation: "manyToMany",
      left: { type: "api::local.local", ref: 1, field: "posts" },
      right: { type: "api::gone.gone", ref: 1 },
    },
  ]),
];
const losses = [
  "1 rows of api::gone.gone, which this project does not have",
  "1 values of api::post.post.gone, which this project does not have",
  "1 values of a.part.gone, which this project does not have",
  "1 values of api::post.post.unheard, which this project does not have",
  "2 components of api::post.post.sections: a.gone, which this project does not have",
  "1 links of api::post.post.links, which this project does not have",
  "1 links of api::local.local.posts: api::gone.gone, which this project does not have",
];

test("an import counts what it leaves out by type and field; a strict one changes nothing then", async () => {
  const project = open(emptyProject());
  const { leftOut } = await importInto(project, "losses", content);
  expect(leftOut.toSorted()).toEqual(losses.toSorted());
  const rowsBefore = project.context.storage.all("SELECT * FROM posts");
  const refused = importInto(project, "strict", content, { isStrict: true });
  await expect(refused).rejects.toThrow(/would be left out: 1 values of api::post.post.gone[\s\S]*would be left out/);
  expect(project.context.storage.all("SELECT * FROM posts")).toEqual(rowsBefore);
  // without losses, strict makes no difference
  const complete = [rows("schemas", own), rows("entities", [post(1, { title: "complete" })])];
  expect((await importInto(project, "complete", complete, { isStrict: true })).leftOut).toEqual([]);
  await project.close();
});

test("links to the administrators that wrote a row are not counted; a relation of the type to them is", async () => {
  const project = open(emptyProject());
  const link = (field: string) => ({
    kind: "relation.basic",
    relation: "oneToOne",
    left: { type: POST, ref: 1, field },
    right: { type: "admin::user", ref: 1 },
  });
  const links = rows("links", ["createdBy", "updatedBy", "editor"].map(link));
  const { leftOut } = await importInto(project, "writers", [
    rows("schemas", own),
    rows("entities", [post(1, { title: "one" })]),
    links,
  ]);
  expect(leftOut).toEqual(["1 links of api::post.post.editor, which this project does not have"]);
  await project.close();
});

test("of several rows for one version of a document the first is imported, and links lead to it", async () => {
  const project = open(emptyProject());
  const link = (pos: number, to: number) => ({
    kind: "relation.basic",
    relation: "manyToMany",
    left: { type: "api::local.local", ref: 1, field: "posts", pos },
    right: { type: POST, ref: to },
  });
  const repeated = [
    rows("schemas", own),
    rows("entities", [
      post(1, { title: "first", part: { id: 1, name: "first" } }),
      post(2, { title: "other" }),
      post(3, { title: "repeated", documentId: "post1", part: { id: 2, name: "repeated" } }),
      { type: "api::local.local", id: 1, data: { documentId: "local1", title: "links" } },
    ]),
    rows("links", [link(1, 3), link(2, 2), link(3, 1)]),
  ];
  const { leftOut } = await importInto(project, "repeated", repeated);
  const { storage } = project.context;
  expect(leftOut).toEqual([
    `1 rows of ${POST}, whose document has an earlier row in the same locale and status`,
    "1 links that repeat another one at a later position",
  ]);
  expect(storage.all("SELECT id, title FROM posts ORDER BY id")).toEqual([
    [1, "first"],
    [2, "other"],
  ]);
  expect(storage.all("SELECT name FROM components_a_parts")).toEqual([["first"]]);
  const field = storage.number("locals.posts>posts");
  expect(storage.all("SELECT target FROM galley_links WHERE field = ? ORDER BY position", [field])).toEqual([[1], [2]]);
  await expect(importInto(project, "repeated", repeated, { isStrict: true })).rejects.toThrow(
    "would be left out: 1 rows",
  );
  await project.close();
});

test("drafts of a type that has none here are hidden where there is a published row, which links to them lead to", async () => {
  const project = open(emptyProject());
  const time = "2026-01-01T00:00:00.000Z";
  const link = (pos: number, to: number) => ({
    kind: "relation.basic",
    relation: "manyToMany",
    left: { type: "api::local.local", ref: 1, field: "posts", pos },
    right: { type: POST, ref: to },
  });
  const { leftOut } = await importInto(project, "drafts", [
    rows("schemas", own),
    rows("entities", [
      post(1, { title: "secret", publishedAt: null }),
      post(2, { title: "public", publishedAt: time, documentId: "post1" }),
      post(3, { title: "never published", publishedAt: null }),
      { type: "api::local.local", id: 1, data: { documentId: "local1", title: "links" } },
    ]),
    rows("links", [link(1, 1), link(2, 3)]),
  ]);
  expect(leftOut).toEqual([]);
  const local = project.context.model.types.get("api::local.local")!;
  const posts = project.context.model.types.get(POST)!;
  const found = await new DocumentService(project.context, posts).findMany({ sort: "title" });
  expect(found.map(({ title }) => title)).toEqual(["never published", "public"]);
  const [first] = await new DocumentService(project.context, local).findMany({ populate: "posts" });
  expect(first).toMatchObject({ posts: [{ title: "public" }, { title: "never published" }] });
  await project.close();
});

test("an import says how many media files of its records are neither in the archive nor on the disk", async () => {
  const project = open(emptyProject());
  const record = { hash: "c", url: "https://cdn.example.com/c.png", provider: "aws-s3" };
  const records = rows("entities", [file(1, {}), file(2, { hash: "b" }), file(3, record)]);
  expect((await importInto(project, "no-files", [rows("schemas", own), records])).notes).toEqual([
    "not in the uploads folder: 2 media files, such as a.png",
  ]);
  await project.close();
});

test("types and attributes that are only here stay, with their links to documents that are replaced", async () => {
  const project = open(emptyProject());
  const { storage } = project.context;
  await importInto(project, "first", [
    rows("schemas", own),
    rows("entities", [
      post(1, {
        title: "early",
        note: "mine",
        sections: [{ id: 5, __component: "a.part", name: "kept", note: "mine" }],
      }),
      post(7, { title: "gone at the source" }),
      { type: "api::local.local", id: 3, data: { documentId: "local3", title: "here" } },
    ]),
    rows("links", [
      {
        kind: "relation.basic",
        relation: "manyToMany",
        left: { type: "api::local.local", ref: 3, field: "posts", pos: 1 },
        right: { type: POST, ref: 1 },
      },
      {
        kind: "relation.basic",
        relation: "manyToMany",
        left: { type: "api::local.local", ref: 3, field: "posts", pos: 2 },
        right: { type: POST, ref: 7 },
      },
    ]),
  ]);
  const { kept } = await importInto(project, "second", content);
  expect(kept).toEqual([
    { name: "api::local.local", count: 1, unit: "rows", reason: "absent" },
    { name: "api::post.post.note", count: 1, unit: "values", reason: "absent" },
    { name: "a.part.note", count: 1, unit: "values", reason: "absent" },
  ]);
  expect(storage.all("SELECT id, document_id, title, note FROM posts ORDER BY id")).toEqual([
    [1, "post1", "one", "mine"],
    [2, "post2", "two", null],
  ]);
  expect(storage.all("SELECT name, note FROM components_a_parts ORDER BY id")).toEqual([
    ["kept", "mine"],
    ["kept", null],
  ]);
  const linked = `SELECT l.target FROM galley_links l WHERE l.owner = 3 AND l.field =
    (SELECT id FROM galley_names WHERE name = 'locals.posts>posts')`;
  expect(storage.all(linked)).toEqual([[1]]);
  // everything is replaced if that is wanted
  await importInto(project, "third", content, { unread: { types: new Map(), attributes: new Map() } });
  expect(storage.first("SELECT count(*) FROM locals")).toEqual([0]);
  await project.close();
});

test("an archive without content removes none; a media file whose bytes it lacks keeps those that are here", async () => {
  const project = open(emptyProject());
  const { storage } = project.context;
  const asset = (name: string): TarEntry[] => [
    { name: `assets/metadata/${name}.png.json`, content: JSON.stringify({ ...file(1, { hash: name }).data, id: 1 }) },
    { name: `assets/uploads/${name}.png`, content: name },
  ];
  const media = [
    rows("schemas", own),
    rows("entities", [file(1, {}), file(2, { hash: "b" }), post(1, { title: "one" })]),
  ];
  await importInto(project, "media", [...media, ...asset("a"), ...asset("b")]);
  const settings = rows("configuration", [
    { type: "core-store", value: { key: "plugin_i18n_default_locale", value: "en", type: "string" } },
  ]);
  const { kept } = await importInto(project, "settings", [rows("schemas", own), settings]);
  expect(kept).toContainEqual({ name: POST, count: 1, unit: "rows", reason: "noContent" });
  expect(storage.all("SELECT title FROM posts")).toEqual([["one"]]);
  await importInto(project, "bytes", [...media, ...asset("b")]);
  expect(project.uploads.list().toSorted()).toEqual(["a.png", "b.png"]);
  const withoutRecord = [rows("schemas", own), rows("entities", [file(2, { hash: "b" })]), ...asset("b")];
  await importInto(project, "record", withoutRecord);
  expect(project.uploads.list()).toEqual(["b.png"]);
  await project.close();
});

test("names and URLs of media that lead out of the folder are named, also where an archive is served", async () => {
  const hostile = [
    rows("schemas", own),
    rows("entities", [
      file(1, { hash: "../../evil", url: "/uploads/../../evil.png" }),
      file(2, { formats: { small: { hash: "..\\small", ext: ".png", url: "/uploads/small.png" } } }),
    ]),
  ];
  const expected = [
    '1 media file records with the name "../../evil.png", which cannot be the name of a file there',
    '1 media file records with the URL "/uploads/../../evil.png", which leads out of the uploads folder',
    '1 media file records with the name "..\\\\small.png", which cannot be the name of a file there',
  ];
  const project = open(emptyProject());
  expect((await importInto(project, "hostile", hostile)).leftOut.toSorted()).toEqual(expected.toSorted());
  await project.close();
  const lines: string[] = [];
  const served = await openArchive(
    { file: join(folder, "hostile.tar.gz") },
    { memory: true, publicRead: false, environment: {}, announce: (line) => lines.push(line) },
  );
  for (const line of expected) expect(lines).toContain(`left out: ${line}`);
  await served.close();
});

const FILE = "plugin::upload.file";

test("a push counts what the server does not have, sends the rest, and changes nothing there if it is strict", async () => {
  const project = open(emptyProject());
  const { context, schema, settings, uploads } = project;
  await importInto(project, "push", [
    rows("schemas", own),
    rows("entities", [
      file(1, {}),
      post(1, {
        title: "one",
        note: "lost",
        sections: [{ id: 1, __component: "a.part", name: "lost" }],
        part: { id: 2, name: "kept", note: "lost" },
      }),
      { type: "api::local.local", id: 3, data: { documentId: "local3", title: "lost" } },
    ]),
    rows("links", [
      {
        kind: "relation.basic",
        relation: "manyToMany",
        left: { type: "api::local.local", ref: 3, field: "posts", pos: 1 },
        right: { type: POST, ref: 1 },
      },
    ]),
  ]);
  const system = Object.fromEntries(
    ["name", "hash", "ext", "mime", "size", "url", "provider"].map((name) => [name, text]),
  );
  const there = [
    { ...type("file", { ...system, folderPath: text }), uid: FILE },
    type("post", { title: text, part: { type: "component", component: "a.part" }, sections: zone("other") }),
    component("part", { name: text }),
  ];
  const source = { context, schema, settings, uploadFolder: uploads.path };
  const { received, actions, address, server } = receiver(there);
  const losses = [
    "1 rows of api::local.local",
    "1 values of api::post.post.note",
    "1 values of a.part.note",
    "1 components of api::post.post.sections: a.part",
    "1 links of api::local.local.posts",
  ].map((line) => `${line}, which ${address.root} does not have`);
  const isOther = (line: string) => !/plugin::|admin::/.test(line);
  losses.push('1 media files "a.png", which the uploads folder does not have');
  const strict = pushTo(address, source, { token: "t", isStrict: true });
  await expect(strict).rejects.toThrow(`${address.root}: would be left out: ${losses[0]}`);
  expect(actions).not.toContain("beforeTransfer");
  expect(received.entities).toEqual([]);
  const { leftOut } = await pushTo(address, source, { token: "t" });
  expect(leftOut.filter(isOther).toSorted()).toEqual(losses.toSorted());
  expect(actions).toContain("beforeTransfer");
  const posts = (received.entities as { type: string; data: object }[]).filter((row) => row.type === POST);
  expect(posts.map(({ data }) => data)).toMatchObject([{ title: "one", sections: [], part: { name: "kept" } }]);
  expect(JSON.stringify(received)).not.toContain("lost");
  expect(JSON.stringify(received)).not.toContain('"posts"');
  await server.stop(true);
  await project.close();
});

test("a push with a token that may not pull leaves the settings there, and says so", async () => {
  const project = open(emptyProject());
  const { context, schema, settings, uploads } = project;
  const source = { context, schema, settings, uploadFolder: uploads.path };
  const { steps, restores, address, server } = receiver(schemaRows(schema, context.model) as { uid: string }[], false);
  await expect(pushTo(address, source, { token: "t", isStrict: true })).rejects.toThrow(
    "would be left out: the settings",
  );
  expect(steps).toEqual([]);
  const { leftOut } = await pushTo(address, source, { token: "t" });
  expect(leftOut.at(-1)).toContain("the settings, since the token may not pull");
  expect(steps).toEqual(["entities", "assets", "links"]);
  expect(restores.at(-1)).toMatchObject({
    entities: { include: expect.arrayContaining([POST]) },
    configuration: { webhook: false, coreStore: false },
  });
  await server.stop(true);
  await project.close();
});

test("an export names media files whose bytes are missing", async () => {
  const project = open(emptyProject());
  const { context, schema, settings, uploads } = project;
  const formats = { small: { hash: "small_a", ext: ".png", url: "/uploads/small_a.png" } };
  await importInto(project, "missing", [
    rows("schemas", own),
    rows("entities", [
      file(1, { formats }),
      file(2, { hash: "b", provider: "cloudinary", url: "https://x.example/b" }),
    ]),
  ]);
  const expected = ["a.png", "small_a.png"].map(
    (name) => `1 media files "${name}", which the uploads folder does not have`,
  );
  const source = { context, schema, settings, uploadFolder: uploads.path };
  expect(await exportArchive(source, { file: join(folder, "missing-out.tar") })).toMatchObject({
    assets: 0,
    leftOut: expected,
  });
  const { leftOut } = await exportFolder(source, join(folder, "missing-files"));
  expect(leftOut).toEqual(["a.png", "b.png"].map((name) => expected[0]!.replace("a.png", name)));
  await project.close();
});
