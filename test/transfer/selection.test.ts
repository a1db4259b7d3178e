import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { API_FOLDER_META } from "../../src/engine/media/folders.ts";
import type { RelationAttribute, Schema } from "../../src/engine/schema/model.ts";
import { DEFAULT_LOCALE } from "../../src/engine/storage/core-store.ts";
import { openArchive } from "../../src/server/archive.ts";
import { openProject, type Project } from "../../src/server/project/project.ts";
import { readEntries } from "../../src/transfer/archive/entries.ts";
import { readLines } from "../../src/transfer/archive/lines.ts";
import type { Entity, LinkRow } from "../../src/transfer/archive/shapes.ts";
import { surveyArchive } from "../../src/transfer/archive/survey.ts";
import { exportArchive } from "../../src/transfer/export/export-archive.ts";
import { type ImportOptions, importArchive } from "../../src/transfer/import/import-archive.ts";
import { pushTo } from "../../src/transfer/remote/push.ts";
import { EVERYTHING, Selection, type SelectionOptions } from "../../src/transfer/selection.ts";
import { CONFORMANCE } from "../project.ts";
import { receiver } from "./receiver.ts";

const folder = mkdtempSync(join(tmpdir(), "galley-selection-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Written by Strapi's `strapi export`. */
const REFERENCE = join(import.meta.dir, "fixtures/reference.tar.gz");
const [ARTICLE, AUTHOR, FILE, FOLDER, LOCALE, USER] = [
  "api::article.article",
  "api::author.author",
  "plugin::upload.file",
  "plugin::upload.folder",
  "plugin::i18n.locale",
  "plugin::users-permissions.user",
] as const;

interface Contents {
  readonly entities: readonly Entity[];
  readonly links: readonly LinkRow[];
  readonly configuration: readonly unknown[];
  readonly schemas: readonly unknown[];
  readonly assets: readonly string[];
}

async function contentsOf(file: string): Promise<Contents> {
  const found = { entities: [], links: [], configuration: [], schemas: [] } as Record<string, unknown[]>;
  const assets: string[] = [];
  for await (const { parsedPath, path, content } of readEntries({ file })) {
    if (parsedPath.kind === "asset") assets.push(parsedPath.name);
    if (parsedPath.kind !== "rows") continue;
    for await (const { value } of readLines(path, content, (text) => new Error(text) as never))
      found[parsedPath.stage]!.push(value);
  }
  return { ...(found as unknown as Contents), assets: assets.toSorted() };
}

const sourceOf = ({ context, schema, settings, uploads }: Project, selection: Selection) => ({
  context,
  schema,
  settings,
  uploadFolder: uploads.path,
  selection,
});

let exports = 0;
async function exported(project: Project, selection = EVERYTHING): Promise<Contents> {
  const file = join(folder, `export-${++exports}.tar`);
  await exportArchive(sourceOf(project, selection), { file });
  return contentsOf(file);
}

let source: Project;
let all: Contents;
beforeAll(async () => {
  source = await openArchive({ file: REFERENCE }, { memory: true, publicRead: false, environment: {} });
  all = await exported(source);
});
afterAll(() => source.close());

/** Yields "uid id" of the components in a row. */
function* componentsOf(schema: Schema, data: Readonly<Record<string, unknown>>): Generator<string> {
  for (const attribute of schema.attributes.values()) {
    if (attribute.kind !== "component" && attribute.kind !== "zone") continue;
    for (const part of [data[attribute.name] ?? []].flat() as Record<string, unknown>[]) {
      const uid = attribute.kind === "component" ? attribute.component : String(part.__component);
      yield `${uid} ${part.id}`;
      yield* componentsOf(source.model.components.get(uid)!, part);
    }
  }
}

type Case = readonly [options: SelectionOptions, stages: string, hasType: (uid: string) => boolean];
const cases: Readonly<Record<string, Case>> = {
  everything: [{}, "entities links assets configuration", () => true],
  content: [{ only: ["content"] }, "entities links", () => true],
  files: [{ only: ["files"] }, "assets", () => false],
  config: [{ only: ["config"] }, "configuration", () => false],
  "content and config": [{ only: ["content", "config"] }, "entities links configuration", () => true],
  "all but files": [{ exclude: ["files"] }, "entities links configuration", () => true],
  "all but content": [{ exclude: ["content"] }, "assets configuration", () => false],
  "all but the media library": [
    { exclude: ["media-library"] },
    "entities links configuration",
    (uid) => uid !== FILE && uid !== FOLDER,
  ],
  nothing: [{ exclude: ["content", "files", "config"] }, "", () => false],
  "one type, and so no files": [{ onlyTypes: [ARTICLE] }, "entities links configuration", (uid) => uid === ARTICLE],
  "one type and its files": [
    { onlyTypes: [ARTICLE, AUTHOR, FILE] },
    "entities links assets configuration",
    (uid) => [ARTICLE, AUTHOR, FILE].includes(uid as typeof FILE),
  ],
  "one type, and files that were asked for": [
    { only: ["content", "files"], onlyTypes: [ARTICLE] },
    "entities links assets",
    (uid) => uid === ARTICLE,
  ],
  "all types but one": [{ excludeTypes: [ARTICLE] }, "entities links assets configuration", (uid) => uid !== ARTICLE],
  "all types but files": [{ excludeTypes: [FILE] }, "entities links assets configuration", (uid) => uid !== FILE],
};

describe("an export has the stages and rows that are selected, links with both ends, and all schemas", () => {
  for (const [name, [options, stages, hasType]] of Object.entries(cases))
    test(name, async () => {
      const selected = await exported(source, new Selection(options));
      const has = (stage: string): boolean => stages.split(" ").includes(stage);
      const entities = all.entities.filter(({ type }) => hasType(type));
      const components = new Set(
        entities.flatMap(({ type, data }) => [...componentsOf(source.model.types.get(type)!, data)]),
      );
      const links = all.links.filter(({ left, right }) =>
        [left, right].every(({ type, ref }) =>
          source.model.types.has(type) ? hasType(type) : components.has(`${type} ${ref}`),
        ),
      );
      expect(selected).toEqual({
        schemas: all.schemas,
        entities,
        links: has("links") ? links : [],
        assets: has("assets") ? all.assets : [],
        configuration: has("configuration") ? all.configuration : [],
      });
    });
});

test("links of a component go with its document, although it is no content-type", async () => {
  const { links } = await exported(source, new Selection({ onlyTypes: [ARTICLE, FILE] }));
  expect(links.some(({ left, right }) => left.type === FILE && !right.type.includes("::"))).toBe(true);
});

let copies = 0;
async function emptyProject(): Promise<Project> {
  const root = join(folder, `project-${++copies}`);
  cpSync(join(CONFORMANCE, "src"), join(root, "src"), { recursive: true });
  const project = openProject(root, { memory: false, publicRead: false, environment: {} });
  await project.idle();
  return project;
}

async function importInto(project: Project, file: string, options: Partial<ImportOptions> = {}) {
  const { context, uploads } = project;
  return importArchive({ file }, await surveyArchive({ file }), { context, uploads }, { mode: "replace", ...options });
}

/** A project with the content of Strapi, with a change in each of these types, and in the settings. */
const CHANGED: ReadonlySet<string> = new Set([ARTICLE, AUTHOR, FILE, LOCALE, USER]);
async function changedProject(): Promise<Project> {
  const project = await emptyProject();
  await importInto(project, REFERENCE);
  const { storage } = project.context;
  storage.run("UPDATE articles SET title = 'changed'");
  storage.run("UPDATE authors SET name = 'changed ' || id");
  storage.run("UPDATE files SET caption = 'changed'");
  storage.run("UPDATE i18n_locale SET name = 'changed'");
  storage.run("UPDATE up_users SET username = 'changed ' || id");
  writeFileSync(join(project.uploads.path!, project.uploads.list().toSorted()[0]!), "changed");
  storage.setMeta(DEFAULT_LOCALE, "fr");
  storage.setMeta(API_FOLDER_META, "900");
  return project;
}

/** Without ids, which a replaced row does not keep if others stay. */
const rowsOf = (rows: readonly Entity[], uid: string) =>
  rows
    .filter(({ type }) => type === uid)
    .map(({ data }) => JSON.stringify(data).replaceAll(/"id":\d+/g, ""))
    .toSorted();

describe("an import replaces what is selected, and everything else stays", () => {
  for (const [name, [options, stages, hasType]] of Object.entries(cases))
    test(name, async () => {
      const project = await changedProject();
      const before = await exported(project);
      const filesBefore = project.uploads.list().toSorted();
      const result = await importInto(project, REFERENCE, {
        selection: new Selection(options),
        isStrict: options.onlyTypes !== undefined,
      });
      const after = await exported(project);
      for (const uid of project.model.types.keys()) {
        const [theirs, ours, now] = [all, before, after].map(({ entities }) => rowsOf(entities, uid));
        expect(now).toEqual(hasType(uid) ? theirs! : ours!);
        expect(Bun.deepEquals(theirs, ours)).toBe(!CHANGED.has(uid));
      }
      const has = (stage: string): boolean => stages.split(" ").includes(stage);
      expect([project.context.defaultLocale(), result.assets]).toEqual([
        has("configuration") ? "en" : "fr",
        has("assets") ? all.assets.length : 0,
      ]);
      expect(project.uploads.list().toSorted()).toEqual(filesBefore);
      const bytes = await Bun.file(join(project.uploads.path!, filesBefore[0]!)).text();
      expect(bytes === "changed").toBe(!has("assets"));
      expect(project.context.storage.meta(API_FOLDER_META) === "900").toBe(!hasType(FOLDER));
      expect(result.kept).toEqual([]);
      await project.close();
    });
});

test("links of documents that stay lead to the new rows of their targets; links of replaced documents are not selected", async () => {
  const project = await changedProject();
  const { context, model } = project;
  const author = model.types.get(ARTICLE)!.attributes.get("author") as RelationAttribute;
  const sql =
    "SELECT l.owner, t.document_id, t.name FROM galley_links l JOIN authors t ON t.id = l.target WHERE l.field = ? ORDER BY 1, 2";
  const authors = () => context.storage.all(sql, [context.storage.number(author.link.field)]).map(String);
  const before = authors();
  expect([before.length, before.every((line) => line.includes("changed"))]).toEqual([8, true]);
  await importInto(project, REFERENCE, { selection: new Selection({ onlyTypes: [AUTHOR] }) });
  const after = authors();
  expect([after.length, after.some((line) => line.includes("changed"))]).toEqual([8, false]);
  const targets = (lines: readonly string[]) => lines.map((line) => line.split(",").slice(0, 2));
  expect(targets(after)).toEqual(targets(before));
  const { links } = await exported(project);
  expect(links.filter(({ left }) => left.type === AUTHOR && left.field === "profile")).toEqual([]);
  await project.close();
});

test("merging adds only what is selected", async () => {
  const project = await emptyProject();
  const { entities } = await importInto(project, REFERENCE, {
    mode: "merge",
    selection: new Selection({ onlyTypes: [AUTHOR] }),
  });
  expect([...entities.keys()]).toEqual([AUTHOR]);
  await project.close();
});

describe("a push deletes and sends what is selected", () => {
  const every = (hasType: (uid: string) => boolean) =>
    [...new Set([LOCALE, ...all.entities.map(({ type }) => type)])].filter(hasType);
  for (const [name, [options, stages, hasType]] of Object.entries(cases))
    test(name, async () => {
      const { received, steps, restores, address, server } = receiver(all.schemas as { uid: string }[]);
      const selection = new Selection(options);
      const has = (stage: string): boolean => stages.split(" ").includes(stage);
      const sent = await exported(source, selection);
      await pushTo(address, sourceOf(source, selection), { token: "t" });
      expect(received as object).toEqual({ entities: sent.entities, links: sent.links });
      // the settings are read first
      const order = ["entities", "assets", "links", "configuration"].filter(has);
      expect(steps).toEqual(has("configuration") ? ["configuration", ...order] : order);
      expect(restores).toHaveLength(1);
      const { entities, ...rest } = restores[0] as { entities: { include?: string[]; exclude: string[] } };
      expect(rest).toEqual({
        assets: has("assets"),
        configuration: { webhook: has("configuration"), coreStore: has("configuration") },
      } as object);
      expect(entities.exclude).toEqual([]);
      if (["everything", "all but files"].includes(name) || name === "content and config")
        expect(entities.include).toBeUndefined();
      else {
        expect(entities.include!.every(hasType)).toBe(true);
        expect(entities.include).toEqual(expect.arrayContaining(every(hasType)));
      }
      await server.stop(true);
    });
});
