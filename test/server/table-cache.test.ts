/** Tables of projects in memory, kept for the next start. */
import { afterAll, afterEach, beforeEach, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGalley } from "../../src/index.ts";
import { cacheFolder, createTableCache } from "../../src/server/project/table-cache.ts";
import { configFile, projectFolder, relation, serviceFile, typeFile, writeFiles } from "../project.ts";

const { root, remove } = projectFolder({
  ...typeFile("tag", { name: { type: "string", required: true } }, { draftAndPublish: true, localized: true }),
  ...typeFile("note", { text: { type: "string" }, tags: relation("manyToMany", "tag") }),
  ...configFile({
    roles: { public: ["api::note.note.find"] },
    users: [{ username: "ada", email: "ada@example.com" }],
    tokens: [{ name: "build", type: "read-only", key: "a-key-for-builds-of-sites" }],
  }),
});
afterAll(remove);

let cache: string;
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), "galley-cache-test-"));
});
afterEach(() => rmSync(cache, { recursive: true, force: true }));

const folder = (): string => join(cache, "tables");
const kept = (): string[] => (existsSync(folder()) ? readdirSync(folder()) : []);
const file = (): string => join(folder(), kept()[0]!);

/** What a start serves, whichever way its tables came. */
async function served(project = root) {
  await using galley = await createGalley({ project, cache, now: 0, seed: 1 });
  const tag = await galley.documents("api::tag.tag").create({ data: { name: "fog" }, locale: "en" });
  await galley.documents("api::note.note").create({ data: { text: "wet", tags: [tag.documentId as string] } });
  const schema = galley.database().query("SELECT type, name, sql FROM sqlite_schema ORDER BY name").all();
  const statistics = galley.database().query("SELECT tbl, idx, stat FROM sqlite_stat1 ORDER BY tbl, idx").all();
  const answers = await Promise.all(
    ["/api/notes?populate=tags", "/api/tags?status=draft", "/api/users?populate=role"].map(async (path) =>
      (await galley.as("build").fetch(path)).json(),
    ),
  );
  await galley.reset();
  return { schema, statistics, answers, left: await galley.documents("api::note.note").count() };
}

test("a start with kept tables serves the same", async () => {
  const first = await served();
  expect(first.answers).toMatchObject([
    { data: [{ text: "wet" }] },
    { data: [{ name: "fog", locale: "en" }] },
    [{ username: "ada", role: { type: "authenticated" } }],
  ]);
  expect(kept()).toHaveLength(1);
  const written = statSync(file()).mtimeMs;
  expect(await served()).toEqual(first);
  expect(statSync(file()).mtimeMs).toBe(written);
});

test("neither rows nor secrets are kept, and only their owner reads the files", async () => {
  await served();
  const text = readFileSync(file(), "latin1");
  expect(text.includes("CREATE TABLE")).toBe(true);
  for (const value of ["ada@", "a-key-for-builds", "fog", "Authenticated"]) expect(text.includes(value)).toBe(false);
  if (process.platform !== "win32") {
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(statSync(folder()).mode & 0o777).toBe(0o700);
  }
});

test("other files of a project need other tables", async () => {
  const { root, remove } = projectFolder(typeFile("tag", { name: { type: "string" } }));
  await (await createGalley({ project: root, cache })).close();
  writeFiles(root, typeFile("tag", { name: { type: "string" }, size: { type: "integer" } }));
  await using galley = await createGalley({ project: root, cache });
  const made = await galley.documents("api::tag.tag").create({ data: { name: "fog", size: 2 } });
  expect(made).toMatchObject({ size: 2 });
  expect(kept()).toHaveLength(2);
  writeFiles(root, typeFile("tag", { name: { type: "strin" } }));
  await expect(createGalley({ project: root, cache })).rejects.toThrow("schema.json");
  expect(kept()).toHaveLength(2);
  remove();
});

const DAMAGES: Readonly<Record<string, (path: string) => void>> = {
  "an empty file": (path) => writeFileSync(path, ""),
  "a file that was cut off": (path) => writeFileSync(path, readFileSync(path).subarray(0, 5000)),
  "a file with other bytes": (path) => {
    const bytes = readFileSync(path);
    bytes[20_000]! ^= 1;
    writeFileSync(path, bytes);
  },
  "a foreign file": (path) => writeFileSync(path, "x".repeat(100_000)),
  "a database without a checksum": (path) => writeFileSync(path, readFileSync(path).subarray(8)),
  "a link": (path) => {
    const other = join(cache, "other");
    writeFileSync(other, readFileSync(path));
    rmSync(path);
    symlinkSync(other, path);
  },
};
for (const [name, damage] of Object.entries(DAMAGES)) {
  test(`${name} is replaced`, async () => {
    const first = await served();
    const before = readFileSync(file());
    damage(file());
    expect(await served()).toEqual(first);
    expect(readFileSync(file()).byteLength).toBe(before.byteLength);
    expect(createTableCache(cache)!.get(kept()[0]!.replace(".tables", ""))).toBeDefined();
    expect(kept()).toHaveLength(1);
  });
}

test("a folder in the place of a file, or a file in the place of the folder, does without", async () => {
  const first = await served();
  const path = file();
  rmSync(path);
  mkdirSync(join(path, "below"), { recursive: true });
  expect(await served()).toEqual(first);
  rmSync(folder(), { recursive: true });
  writeFileSync(folder(), "");
  expect(await served()).toEqual(first);
});

test.skipIf(process.platform === "win32" || process.getuid?.() === 0)("a folder that cannot be written", async () => {
  mkdirSync(folder());
  chmodSync(folder(), 0o500);
  await served();
  expect(kept()).toEqual([]);
});

test("many starts at once leave one whole file", async () => {
  const all = await Promise.all(Array.from({ length: 8 }, () => served()));
  for (const one of all) expect(one).toEqual(all[0]!);
  expect(kept()).toHaveLength(1);
});

test("own code runs on kept tables, too", async () => {
  const { root, remove } = projectFolder({
    ...typeFile("tag", { name: { type: "string" } }),
    ...serviceFile("tag"),
    "src/api/tag/content-types/tag/lifecycles.js":
      "module.exports = { beforeCreate({ params }) { params.data.name += '!'; } };",
  });
  for (const _ of [1, 2]) {
    await using galley = await createGalley({ project: root, cache });
    expect(await galley.documents("api::tag.tag").create({ data: { name: "fog" } })).toMatchObject({ name: "fog!" });
  }
  expect(kept()).toHaveLength(1);
  remove();
});

test("no more than 40 files stay: those that were used last", () => {
  const cached = createTableCache(cache)!;
  for (let index = 0; index < 45; index++) {
    cached.set(`n${index}`, new Uint8Array(10).fill(index));
    const usedAt = new Date(1_700_000_000_000 + index * 1000);
    utimesSync(join(folder(), `n${index}.tables`), usedAt, usedAt);
  }
  writeFileSync(join(folder(), "of-somebody-else.txt"), "");
  const abandoned = join(folder(), ".n1.tables.x.part");
  writeFileSync(abandoned, "");
  utimesSync(abandoned, new Date(0), new Date(0));
  // what is used is there tomorrow
  expect(cached.get("n6")).toEqual(Buffer.alloc(10, 6));
  cached.set("last", new Uint8Array(10));
  expect(kept()).toHaveLength(41);
  expect(cached.get("n5")).toBeUndefined();
  expect(cached.get("n6")).toBeDefined();
  expect(cached.get("last")).toBeDefined();
  expect(existsSync(join(folder(), "of-somebody-else.txt"))).toBe(true);
  expect(existsSync(abandoned)).toBe(false);
  cached.set("large", new Uint8Array(17 * 1024 ** 2));
  expect(cached.get("large")).toBeUndefined();
});

test("the folder is that of the user for caches", () => {
  expect(cacheFolder({ HOME: "/home/ada" }, "linux")).toBe("/home/ada/.cache/galley");
  expect(cacheFolder({ HOME: "/home/ada", XDG_CACHE_HOME: "/caches" }, "linux")).toBe("/caches/galley");
  expect(cacheFolder({ HOME: "/Users/ada" }, "darwin")).toBe("/Users/ada/Library/Caches/galley");
  expect(cacheFolder({ LOCALAPPDATA: "/local" }, "win32")).toBe("/local/galley/cache");
  expect(cacheFolder({ HOME: "/home/ada", GALLEY_CACHE: "/other" }, "linux")).toBe("/other");
  expect(cacheFolder({ HOME: "/home/ada", GALLEY_CACHE: "" }, "linux")).toBeUndefined();
  expect(cacheFolder({}, "linux")).toBeUndefined();
});
