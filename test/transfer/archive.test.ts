import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { surveyArchive } from "../../src/transfer/archive/survey.ts";
import { createTar, metadata, type TarEntry, writeArchive } from "./tar.ts";

const folder = mkdtempSync(join(tmpdir(), "galley-archives-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const asset = (name: string, record: object): TarEntry[] => [
  { name: `assets/metadata/${name}.json`, content: JSON.stringify(record) },
  { name: `assets/uploads/${name}`, content: "x" },
];
const record = { id: 1, name: "a.txt", hash: "a", ext: ".txt", mime: "text/plain", size: 1, url: "/uploads/a.txt" };

const refused: readonly [name: string, entries: readonly TarEntry[], message: RegExp][] = [
  ["without metadata", [{ name: "entities/entities_00001.jsonl", content: "{}" }], /not a valid Strapi data file/],
  ["metadata that is not an object", [{ name: "metadata.json", content: "[]" }], /not a valid Strapi data file/],
  ["metadata that is not JSON", [{ name: "metadata.json", content: "{" }], /metadata.json is not valid JSON/],
  ["metadata twice", [metadata, metadata], /metadata.json twice/],
  ["a path that climbs", [metadata, { name: "assets/uploads/../../x", content: "x" }], /leads out of the archive/],
  ["an absolute path", [metadata, { name: "/etc/x", content: "x" }], /leads out of the archive/],
  ["a path with backslashes", [metadata, { name: "assets/uploads/..\\x", content: "x" }], /leads out of the archive/],
  ["a path of a drive", [metadata, { name: "C:x", content: "x" }], /leads out of the archive/],
  [
    "a symbolic link",
    [metadata, { name: "assets/uploads/a", type: "symlink", linkname: "/etc/passwd" }],
    /is not a file but a symlink/,
  ],
  [
    "a hard link",
    [metadata, { name: "assets/uploads/a", type: "link", linkname: "metadata.json" }],
    /is not a file but a link/,
  ],
  [
    "a device",
    [metadata, { name: "assets/uploads/a", type: "character-device" }],
    /is not a file but a character-device/,
  ],
  [
    "a media file without metadata",
    [metadata, { name: "assets/uploads/a", content: "x" }],
    /no metadata for the media file "a"/,
  ],
  [
    "a media file twice",
    [metadata, ...asset("a.txt", record), ...asset("a.txt", record), ...asset("a.txt", record)]
      .slice(0, 3)
      .concat({ name: "assets/uploads/b", content: "" }, { name: "assets/uploads/b", content: "" }),
    /the media file "b" twice/,
  ],
  ["media metadata of another file", [metadata, ...asset("b.txt", record)], /belongs to "a.txt"/],
  ["media metadata with a wrong id", [metadata, ...asset("a.txt", { ...record, id: 0 })], /has a wrong id/],
  [
    "schemas that are none",
    [metadata, { name: "schemas/schemas_00001.jsonl", content: '{"uid":"a"}' }],
    /schemas_00001.jsonl, line 1 is not a schema/,
  ],
  ["a long name", [metadata, { name: `x/${"a".repeat(600)}`, content: "" }], /name of an entry is too long/],
];

for (const [name, entries, message] of refused) {
  test(`refused: ${name}`, async () => {
    const file = await writeArchive(join(folder, `${Bun.hash(name)}.tar.gz`), entries);
    await expect(surveyArchive({ file })).rejects.toThrow(message);
  });
}

test("an archive that is cut off anywhere is refused", async () => {
  const whole = gzipSync(await createTar([metadata, ...asset("a.txt", record)]));
  for (let length = 7; length < whole.length; length += 7) {
    const file = join(folder, "cut.tar.gz");
    writeFileSync(file, whole.subarray(0, length));
    expect(await surveyArchive({ file }).then(() => length, String)).toContain(
      "cut.tar.gz: is damaged or not complete, or is not a valid Strapi data file",
    );
  }
});

test("bombs are refused before they are expanded", async () => {
  const zeros = Buffer.alloc(200_000_000);
  const bombs: Record<string, readonly TarEntry[]> = {
    asset: [
      metadata,
      { name: "assets/metadata/a.json", content: JSON.stringify({ ...record, ext: "", name: "a" }) },
      { name: "assets/uploads/a", content: zeros },
    ],
    metadata: [{ name: "metadata.json", content: zeros }],
    line: [metadata, { name: "entities/entities_00001.jsonl", content: zeros }],
  };
  for (const [name, entries] of Object.entries(bombs)) {
    const file = await writeArchive(join(folder, `bomb-${name}.tar.gz`), entries);
    expect(await surveyArchive({ file }).then(() => "taken", String)).toMatch(
      /compressed more than|too large|longer than/,
    );
  }
});

test("early archives of version 4 have no metadata of media files", async () => {
  const file = await writeArchive(join(folder, "early.tar.gz"), [
    { name: "metadata.json", content: JSON.stringify({ createdAt: "", strapi: { version: "4.9.0" } }) },
    { name: "assets/uploads/a.txt", content: "x" },
  ]);
  expect((await surveyArchive({ file })).assets).toBe(1);
});

test("formats need no id of their own: version 4 gave them none", async () => {
  const file = await writeArchive(join(folder, "version-4.tar.gz"), [
    metadata,
    ...asset("a.txt", { ...record, id: undefined, mainHash: "b", type: "small" }),
  ]);
  expect((await surveyArchive({ file })).assets).toBe(1);
});

test("resource forks are ignored, which macOS adds to archives", async () => {
  const names = ["._metadata.json", "entities/._entities_00001.jsonl", "assets/uploads/._a.txt", "./._schemas"];
  const forks = names.map((name) => ({ name, content: "\0\x05\x16\x07" }));
  const file = await writeArchive(join(folder, "forks.tar.gz"), [...forks, metadata, ...asset("a.txt", record)]);
  expect(await surveyArchive({ file })).toMatchObject({ assets: 1, stages: new Set() });
});

test("nothing is unpacked beside the archive", () => {
  expect(readdirSync(folder).every((name) => name.endsWith(".tar.gz"))).toBe(true);
  expect(existsSync(join(folder, "x"))).toBe(false);
});

test("the folder form is read, links in it are refused", async () => {
  const root = mkdtempSync(join(folder, "unpacked-"));
  writeFileSync(join(root, "metadata.json"), metadata.content!);
  expect((await surveyArchive({ file: root })).metadata.strapi.version).toBe("5.54.0");
  // of a project that an archive was unpacked into
  writeFileSync(join(root, "package.json"), "{}");
  symlinkSync("/etc", join(root, "node_modules"));
  expect((await surveyArchive({ file: root })).bytes).toBe(metadata.content!.length);
  mkdirSync(join(root, "assets"));
  symlinkSync("/etc", join(root, "assets/uploads"));
  await expect(surveyArchive({ file: root })).rejects.toThrow("is not a file but a link or device");
  rmSync(root, { recursive: true });
});
