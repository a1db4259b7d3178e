/** Names of files under the rules of each system. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkEdit } from "../../src/admin/builder/apply.ts";
import { SchemaEdit } from "../../src/admin/builder/schema-edit.ts";
import { PublicFiles } from "../../src/engine/media/public-files.ts";
import { isAlias, isDeviceName, sameFile } from "../../src/lib/file-names.ts";
import { isAssetName } from "../../src/transfer/archive/paths.ts";
import type { ArchiveSchema } from "../../src/transfer/archive/shapes.ts";
import { schemaFiles } from "../../src/transfer/import/schema-files.ts";

test.each(["CON", "nul", "aux.txt", "com1", "LPT¹.json", "con ", "prn. .txt", "conin$"])("%s is a device", (name) => {
  expect([isDeviceName(name), isAssetName(name)]).toEqual([true, false]);
});

test.each(["console", "com", "com10", "nullable.txt", "my-con", "auxiliary"])("%s is none", (name) => {
  expect(isDeviceName(name)).toBe(false);
});

test("names that are one file, by system", () => {
  const pairs = [
    ["a.txt", "A.TXT"],
    ["a.txt", "a.txt. ."],
    ["é.txt", "e\u0301.txt"],
    ["a.txt", "b.txt"],
  ] as const;
  const same = (platform: NodeJS.Platform) =>
    pairs.map(([one, other]) => sameFile(one, platform) === sameFile(other, platform));
  expect(same("linux")).toEqual([false, false, false, false]);
  expect(same("darwin")).toEqual([true, false, true, false]);
  expect(same("win32")).toEqual([true, true, false, false]);
});

test.each(["GALLEY~1", "a.txt::$DATA", "a.txt.", "a.txt ", "NUL"])(
  "%s leads to another file on Windows only",
  (step) => {
    expect([isAlias(step, "win32"), isAlias(step, "linux"), isAlias(step, "darwin")]).toEqual([true, false, false]);
  },
);

describe("files that are served", () => {
  const folder = mkdtempSync(join(tmpdir(), "galley-names-"));
  const uploads = join(folder, "uploads");
  // a system that does not tell letter case apart shows the same files under both names
  for (const place of [uploads, join(folder, "Uploads"), join(folder, "ENV~1")]) mkdirSync(place, { recursive: true });
  for (const name of ["uploads/page.html", "Uploads/page.html", "ENV~1/a.txt", "a.txt "])
    writeFileSync(join(folder, name), "x");
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const find = (path: string, platform: NodeJS.Platform) =>
    new PublicFiles({
      publicFolder: folder,
      uploads: () => [uploads],
      maxAge: 60,
      favicon: { paths: [], maxAge: 0 },
      platform,
    }).find(path);

  test("uploads have one URL, however it is spelled", async () => {
    expect(await find("/uploads/page.html", "darwin")).toMatchObject({ isUpload: true });
    for (const path of [
      "/%55ploads/page.html",
      "/UPLOADS/page.html",
      "/upload%53/page.html",
      "/upload%C5%BF/page.html",
    ])
      expect([path, await find(path, "darwin")]).toEqual([path, undefined]);
  });

  test("other names of a file are none on Windows", async () => {
    for (const path of ["/ENV~1/a.txt", "/a.txt%20"]) {
      expect([path, await find(path, "win32")]).toEqual([path, undefined]);
      expect(await find(path, "linux")).toMatchObject({ isUpload: false });
    }
  });
});

describe("schema files of an archive", () => {
  const schema = (uid: string): ArchiveSchema => ({ uid, modelType: "contentType", attributes: {} }) as ArchiveSchema;

  test("a type that is a device is refused on Windows", () => {
    const schemas = [schema("api::aux.aux")];
    expect(() => schemaFiles(schemas, "win32")).toThrow("cannot be a file on Windows");
    expect([...schemaFiles(schemas, "linux").keys()]).toEqual(["src/api/aux/content-types/aux/schema.json"]);
  });

  test("types whose names differ in case only are refused where they are one file", () => {
    const schemas = [schema("api::post.post"), schema("api::Post.post")];
    for (const platform of ["win32", "darwin"] as const)
      expect(() => schemaFiles(schemas, platform)).toThrow("is one file for api::post.post and api::Post.post");
    expect(schemaFiles(schemas, "linux").size).toBe(2);
  });
});

test("the content-type builder makes no type or component on Windows that is a device there", () => {
  const services = { settings: { galley: {} } } as Parameters<typeof checkEdit>[0];
  const info = { displayName: "Row" };
  const devices: readonly (readonly [file: string, category: string])[] = [
    ["src/components/con/row.json", "con"],
    ["src/components/part/nul.json", "part"],
  ];
  for (const [file, category] of devices) {
    const edit = new SchemaEdit({ types: [], components: [] });
    const definition = { collectionName: "rows", info, attributes: {} };
    edit.put({ uid: `${category}.row`, file, category, definition }, {});
    expect(() => checkEdit(services, edit, "win32")).toThrow(`${file} cannot be a file on Windows`);
    checkEdit(services, edit, "linux");
  }
});
