import { afterAll, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DocumentService } from "../../src/engine/documents/document-service.ts";
import { apiTypes, contentType } from "../../src/engine/schema/model.ts";
import { createGalley, type Galley } from "../../src/index.ts";
import { ProjectError } from "../../src/lib/errors.ts";
import { openArchive } from "../../src/server/archive.ts";
import type { Project } from "../../src/server/project/project.ts";
import { startProject } from "../../src/server/start.ts";
import { surveyArchive } from "../../src/transfer/archive/survey.ts";
import { exportFiles } from "../../src/transfer/files/export-files.ts";
import { documentNames } from "../../src/transfer/files/file-names.ts";
import { SchemaChange } from "../../src/transfer/import/schema-change.ts";
import { schemaFiles } from "../../src/transfer/import/schema-files.ts";
import { ADMIN, configFile, projectFolder, relation, typeFile } from "../project.ts";

const REFERENCE = join(import.meta.dir, "fixtures/reference.tar.gz");
const folder = mkdtempSync(join(tmpdir(), "galley-files-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const options = { memory: true, publicRead: true, environment: {} };

const exported = ({ context, schema, settings, uploads }: Project, to: string) =>
  exportFiles({ context, schema, settings, uploadFolder: uploads.path }, to);

/** Contents by path. */
const contents = (root: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(root, { recursive: true, encoding: "utf8" })
      .filter((name) => statSync(join(root, name)).isFile())
      .sort()
      .map((name) => [name, readFileSync(join(root, name)).toString("base64")]),
  );

/** A project with the schemas of Strapi's archive, and an empty database. */
async function emptyProject(name: string): Promise<string> {
  const root = join(folder, name);
  mkdirSync(root);
  const files = schemaFiles((await surveyArchive({ file: REFERENCE })).schemas.values());
  SchemaChange.begin(root, join(root, ".galley/schema-change.json"), files).finish();
  return root;
}

/** Everything that the document service shows of a type. */
async function shown({ context, model }: Project): Promise<unknown[]> {
  const all: unknown[] = [];
  for (const type of apiTypes(model))
    for (const status of ["draft", "published"] as const)
      for (const locale of type.localized ? ["en", "fr", "de"] : [undefined]) {
        const found = await new DocumentService(context, type).findMany({
          status,
          ...(locale ? { locale } : {}),
          populate: "*",
          pagination: { pageSize: 1000 },
        });
        all.push([
          type.uid,
          status,
          locale,
          JSON.parse(JSON.stringify(found, (key, value) => (key === "id" ? 0 : value))),
        ]);
      }
  return all;
}

test("files that an empty database is loaded from are written again byte by byte, and show the same content", async () => {
  const root = await emptyProject("round");
  const from = await openArchive({ file: REFERENCE }, options);
  const first = await exported(from, join(root, "content"));
  expect(first.documents).toBeGreaterThan(50);
  expect(first.media).toBeGreaterThan(2);
  const before = await shown(from);
  await from.close();

  const { project, content } = await startProject(root, options);
  expect([...content!.documents.values()].reduce((sum, count) => sum + count, 0)).toBe(first.documents);
  const again = join(folder, "again");
  await exported(project, again);
  expect(Object.keys(contents(again))).toEqual(Object.keys(contents(join(root, "content"))));
  expect(readFileSync(join(again, ".export.json"), "utf8")).toBe(
    readFileSync(join(root, "content/.export.json"), "utf8"),
  );
  expect(contents(again)).toEqual(contents(join(root, "content")));
  expect(await shown(project)).toEqual(before);

  const unchanged = await exported(project, again);
  expect([unchanged.changed, unchanged.removed]).toEqual([0, 0]);

  writeFileSync(join(again, "articles/mine.json"), "{}");
  const articles = new DocumentService(project.context, contentType(project.model, "api::article.article"));
  const [one] = await articles.findMany({ status: "draft" });
  await articles.delete({ documentId: one!.documentId as string, locale: "*" });
  const less = await exported(project, again);
  expect(less.removed).toBe(1);
  expect(existsSync(join(again, "articles/mine.json"))).toBe(true);
  await project.close();
}, 180_000);

test("a document without drafts that leads to one with drafts does so in both versions, and files keep their order", async () => {
  const { root, remove } = projectFolder({
    ...typeFile("person", { name: { type: "string" } }, { draftAndPublish: true }),
    ...typeFile("note", { owner: relation("manyToOne", "person") }),
    ...configFile(),
  });
  const upload = async ({ fetch }: Galley, name: string): Promise<void> => {
    const body = new FormData();
    body.set("files", new File([name], name));
    expect((await fetch("/api/upload", { method: "POST", headers: ADMIN, body })).status).toBe(201);
  };
  const read = async (galley: Galley): Promise<unknown> => {
    const owners = ["draft", "published"] as const;
    const notes = galley.documents<{ owner: { name: string } }>("api::note.note");
    const found = await Promise.all(owners.map((status) => notes.findFirst({ status, populate: "owner" })));
    const files = (await (await galley.fetch("/api/upload/files", { headers: ADMIN })).json()) as File[];
    return [found.map((note) => note!.owner.name), files.map(({ name }) => name)];
  };
  {
    await using galley = await createGalley({ project: root, memory: false });
    const person = await galley.documents("api::person.person").create({ data: { name: "Ada" }, status: "published" });
    await galley.documents("api::person.person").update({ ...person, data: { name: "Ada, changed" } } as never);
    await galley.documents("api::note.note").create({ data: { owner: person.documentId } });
    for (const name of ["b.txt", "a.txt"]) await upload(galley, name);
    expect(await read(galley)).toEqual([
      ["Ada, changed", "Ada"],
      ["b.txt", "a.txt"],
    ]);
  }
  const { project } = await startProject(root, { ...options, memory: false });
  await exported(project, join(root, "content"));
  await project.close();
  await using again = await createGalley({ project: root });
  expect(await read(again)).toEqual([
    ["Ada, changed", "Ada"],
    ["b.txt", "a.txt"],
  ]);
  remove();
});

test("names are plain, bounded, and unique without letter case", async () => {
  const project = await openArchive({ file: REFERENCE }, options);
  const type = [...project.model.types.values()].find(
    ({ attributes }) => attributes.has("slug") || attributes.has("title"),
  )!;
  await project.close();
  const name = type.attributes.has("slug") ? "slug" : "title";
  const names = (...titles: readonly string[]) => {
    const documents = titles.map((title, index) => [`id${index}abcdefghij`, { [name]: title }] as const);
    return [...documentNames(type, new Map(documents)).values()];
  };
  expect(names("Ünïcode & more!", "con", "x".repeat(500), "…", "../../etc")).toEqual([
    "unicode-more",
    "con-",
    "x".repeat(60),
    "id3abcdefghij",
    "etc",
  ]);
  expect(names("Same", "SAME", "other")).toEqual(["same-id0abcde", "same-id1abcde", "other"]);
});

const article = (data: object, more: object = {}): string =>
  JSON.stringify({
    documentId: "one",
    versions: [
      {
        locale: "en",
        status: "draft",
        createdAt: "2026-01-01T00:00:00.000Z",
        updatedAt: "2026-01-01T00:00:00.000Z",
        data,
        ...more,
      },
    ],
  });

const refused: readonly (readonly [string, string, RegExp])[] = [
  ["no JSON", "{", /one.json: is not valid JSON/],
  ["no document", "{}", /one.json: must hold a documentId/],
  ["an unknown attribute", article({ none: 1 }), /one.json: none: .*no such attribute/],
  ["a link to nothing", article({ author: "nobody" }), /there is no author nobody/],
  ["no locale", article({}, { locale: undefined }), /needs a locale/],
  ["a status that is none", article({}, { status: "live" }), /status must be/],
  ["a time that is none", article({}, { createdAt: "today" }), /createdAt/],
];

for (const [name, text, message] of refused)
  test(`a file is refused with its name: ${name}`, async () => {
    const root = await emptyProject(name);
    mkdirSync(join(root, "content/articles"), { recursive: true });
    writeFileSync(join(root, "content/articles/one.json"), text);
    const error = await startProject(root, options).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(ProjectError);
    expect((error as Error).message).toMatch(message);
  });

test("what is not loaded beside files of documents is said", async () => {
  const root = await emptyProject("beside");
  const source = await openArchive({ file: REFERENCE }, options);
  await exported(source, join(root, "content"));
  await source.close();
  writeFileSync(join(root, "content/tags.json"), "[]");
  writeFileSync(join(root, "content/nothing.json"), "[]");
  const lines: string[] = [];
  const { project } = await startProject(root, { ...options, announce: (line) => lines.push(line) });
  expect(lines).toContain("content/tags.json is not loaded, since there are files of documents");
  expect(lines).toContain("content/nothing.json is not loaded: it is named after no content-type");
  await project.close();
});

test("an export refuses to replace files that were changed since they were loaded or written", async () => {
  const root = await emptyProject("changed");
  const to = join(root, "content");
  const from = await openArchive({ file: REFERENCE }, options);
  await exported(from, to);
  await from.close();

  // changed between the export and the load: that is what the database holds
  const manifest = JSON.parse(readFileSync(join(to, ".export.json"), "utf8")) as { locales: object[]; files: string[] };
  expect(manifest.locales[0]).toMatchObject({ documentId: expect.any(String) });
  const [edited, removed, single] = manifest.files.filter((path) => path.startsWith("articles/")) as [
    string,
    string,
    string,
  ];
  const read = (path: string): string => readFileSync(join(to, path), "utf8");
  const edit = (path: string): void => writeFileSync(join(to, path), `${read(path)}\n`);
  edit(edited);
  const { project } = await startProject(root, options);
  const { context } = project;
  expect(context.storage.all("SELECT code, document_id FROM i18n_locale ORDER BY code")).toEqual(
    (manifest.locales as { code: string; documentId: string }[]).map(({ code, documentId }) => [code, documentId]),
  );
  expect((await exported(project, to)).changed).toBe(1);

  // changed after it
  edit(edited);
  edit(removed);
  edit(single);
  const articles = new DocumentService(context, contentType(project.model, "api::article.article"));
  const { documentId } = JSON.parse(read(removed)) as { documentId: string };
  await articles.delete({ documentId, locale: "*" });
  const before = contents(to);
  const refused = exported(project, to);
  await expect(refused).rejects.toThrow(
    new RegExp(`${edited}: was changed since.*[\\s\\S]*${removed}: was changed since`),
  );
  await expect(refused).rejects.toThrow("--yes replaces these files");
  expect(contents(to)).toEqual(before);
  const source = { context, schema: project.schema, settings: project.settings, uploadFolder: project.uploads.path };
  const forced = await exportFiles(source, to, { replacesChanges: true });
  expect([forced.changed >= 2, forced.removed, existsSync(join(to, removed))]).toEqual([true, 1, false]);
  expect((await exported(project, to)).changed).toBe(0);

  // a database that has neither loaded nor written a folder does not know what is in its files
  const other = await openArchive({ file: REFERENCE }, options);
  edit(single);
  await expect(exported(other, to)).rejects.toThrow("was changed since");
  await other.close();
  await project.close();
}, 180_000);
