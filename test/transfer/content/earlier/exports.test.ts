/** Files of an export by an earlier version, of the content of Strapi's archive, are loaded as what they were written from. */
import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { apiTypes, type ContentType } from "../../../../src/engine/schema/model.ts";
import { ProjectError } from "../../../../src/lib/errors.ts";
import { openArchive } from "../../../../src/server/archive.ts";
import type { Project } from "../../../../src/server/project/project.ts";
import { startProject } from "../../../../src/server/start.ts";
import { surveyArchive } from "../../../../src/transfer/archive/survey.ts";
import type { ContentFile } from "../../../../src/transfer/content/content-file.ts";
import { readDocuments } from "../../../../src/transfer/content/read-documents.ts";
import { beginSchemaChange } from "../../../../src/transfer/import/schema-change.ts";
import { schemaFiles } from "../../../../src/transfer/import/schema-files.ts";

const FIXTURES = join(import.meta.dir, "../../fixtures");
const REFERENCE = join(FIXTURES, "reference.tar.gz");
const folder = mkdtempSync(join(tmpdir(), "galley-earlier-exports-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const options = { memory: true, publicRead: true, environment: {} };

/** A project with the schemas of Strapi's archive, and an empty database. */
async function emptyProject(name: string): Promise<string> {
  const root = join(folder, name);
  mkdirSync(root);
  const files = schemaFiles((await surveyArchive({ file: REFERENCE })).schemas.values());
  beginSchemaChange(root, join(root, ".galley/schema-change.json"), files).finish();
  return root;
}

/** A write gives all locales the values that they share, which Strapi does not always do. */
const withoutShared = (type: ContentType, { $locales, ...file }: ContentFile): object => ({
  ...file,
  $locales: Object.entries($locales ?? {}).map(([locale, keys]) => [
    locale,
    Object.entries(keys).filter(([key]) => type.attributes.get(key)?.localized !== false),
  ]),
});

/** All documents, with ids instead of names. */
const documentsOf = ({ context }: Project): unknown =>
  apiTypes(context.model).map((type) => {
    const names = {
      document: (uid: string, id: string) => `${uid} ${id}`,
      media: (id: number) => context.storage.first("SELECT document_id FROM files WHERE id = ?", [id])![0] as string,
    };
    const documents = [...readDocuments(context, type, undefined, names)];
    return [type.uid, documents.map(([id, file]) => [id, withoutShared(type, file)])];
  });

const mediaOf = ({ context }: Project): unknown =>
  context.storage.all(
    "SELECT id, document_id, created_at, updated_at, name, hash, ext, alternativeText FROM files ORDER BY id",
  );

const localesOf = ({ context }: Project): unknown =>
  context.storage.all("SELECT code, name, document_id FROM i18n_locale ORDER BY code");

test("documents, their versions and times, media and locales are as before", async () => {
  const root = await emptyProject("whole");
  const content = join(root, "content");
  mkdirSync(content);
  await Bun.$`tar xzf ${join(FIXTURES, "earlier-export.tar.gz")} -C ${content}`.quiet();
  const from = await openArchive({ file: REFERENCE }, { ...options, announce: () => {} });
  const lines: string[] = [];
  writeFileSync(join(content, "tags.json"), "[]");
  writeFileSync(join(content, "nothing.json"), "[]");
  const { project, content: loaded } = await startProject(root, { ...options, announce: (line) => lines.push(line) });
  expect([...loaded!.documents.values()].reduce((sum, count) => sum + count, 0)).toBe(274);
  expect(loaded!.files).toBe(98);
  expect(lines).toContain("content/tags.json is not loaded, since there are files of documents");
  expect(lines).toContain("content/nothing.json is not loaded: it is named after no content-type");
  expect(documentsOf(project)).toEqual(documentsOf(from));
  expect(localesOf(project)).toEqual(localesOf(from));
  const rows = (found: unknown): unknown[] => (found as unknown[][]).map(([, ...row]) => row);
  expect(rows(mediaOf(project))).toEqual(rows(mediaOf(from)));
  await Promise.all([project.close(), from.close()]);
}, 180_000);

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

test.each([
  ["no JSON", "{", /two.json: is not valid JSON/],
  ["no document", "{}", /two.json: must hold a documentId/],
  ["an unknown attribute", article({ none: 1 }), /two.json: none: .*no such attribute/],
  ["a link to nothing", article({ author: "nobody" }), /there is no author nobody/],
  ["no locale", article({}, { locale: undefined }), /needs a locale/],
  ["a status that is none", article({}, { status: "live" }), /status must be/],
  ["a time that is none", article({}, { createdAt: "today" }), /createdAt is not a valid time/],
  ["the id of another document", article({}), /documentId: is also that of articles\/one.json/],
])("a file is refused with its name: %s", async (name, text, message) => {
  const root = await emptyProject(name);
  mkdirSync(join(root, "content/articles"), { recursive: true });
  writeFileSync(join(root, "content/articles/one.json"), article({}));
  writeFileSync(join(root, "content/articles/two.json"), text);
  const error = await startProject(root, options).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ProjectError);
  expect((error as Error).message).toMatch(message);
});
