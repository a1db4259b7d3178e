import { Database } from "bun:sqlite";
import { afterAll, beforeEach, expect, test } from "bun:test";
import {
  cpSync,
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
import { dirname, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { createGalley, type Galley } from "../../../src/index.ts";
import { restoreBackup } from "../../../src/server/backup/restore-backup.ts";
import { writeBackup } from "../../../src/server/backup/write-backup.ts";
import { writeArchive } from "../../../src/transfer/export/archive-writer.ts";
import { ADMIN, configFile, typeFile } from "../../project.ts";

const folder = mkdtempSync(join(tmpdir(), "galley-backup-"));
let root = "";
let count = 0;
const folders = () => ({
  data: join(root, ".galley"),
  uploads: join(root, "public/uploads"),
  content: join(root, "content"),
});
const backupFile = () => join(root, "backup.tar.gz");

function createProject(): void {
  root = join(folder, `project-${++count}`);
  const files = { ...typeFile("note", { text: { type: "string" } }), ...configFile() };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

beforeEach(createProject);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function withServer<T>(work: (galley: Galley) => Promise<T>): Promise<T> {
  const galley = await createGalley({ project: root, memory: false, environment: {} });
  try {
    return await work(galley);
  } finally {
    await galley.close();
  }
}

const json = { ...ADMIN, "content-type": "application/json" };
const write = (galley: Galley, text: string) =>
  galley.handle(
    new Request("http://localhost/api/notes", {
      method: "POST",
      headers: json,
      body: JSON.stringify({ data: { text } }),
    }),
  );
async function upload(galley: Galley, name: string): Promise<string> {
  const body = new FormData();
  body.set("files", new File([`bytes of ${name}`], name, { type: "text/plain" }));
  const response = await galley.handle(
    new Request("http://localhost/api/upload", { method: "POST", headers: ADMIN, body }),
  );
  return ((await response.json()) as { url: string }[])[0]!.url;
}
const texts = async (galley: Galley): Promise<string[]> => {
  const response = await galley.handle(new Request("http://localhost/api/notes?sort=id", { headers: ADMIN }));
  return ((await response.json()) as { data: { text: string }[] }).data.map(({ text }) => text);
};
const yes = () => true;

test("a backup of a running server is restored with its content, secrets and uploads; what was there is kept", async () => {
  const [saved, later] = await withServer(async (galley) => {
    await write(galley, "saved");
    const url = await upload(galley, "saved.txt");
    const { uploads } = await writeBackup(folders(), backupFile());
    expect(uploads).toBe(1);
    await write(galley, "later");
    return [url, await upload(galley, "later.txt")];
  });
  expect(statSync(backupFile()).mode & 0o077).toBe(0);
  const secrets = readFileSync(join(root, ".galley/secrets.json"), "utf8");
  writeFileSync(join(root, ".galley/secrets.json"), "{}");
  const result = await restoreBackup(folders(), backupFile(), yes);
  expect(readFileSync(join(root, ".galley/secrets.json"), "utf8")).toBe(secrets);
  await withServer(async (galley) => {
    expect(await texts(galley)).toEqual(["saved"]);
    const status = async (url: string) => (await galley.handle(new Request(`http://localhost${url}`))).status;
    expect([await status(saved), await status(later)]).toEqual([200, 404]);
    await write(galley, "after");
    expect(await texts(galley)).toEqual(["saved", "after"]);
  });
  // back to what was replaced
  const { earlier } = result!;
  expect(readdirSync(join(earlier!, "uploads")).length).toBe(2);
  for (const name of readdirSync(join(root, ".galley")).filter((name) => name.startsWith("content.db")))
    rmSync(join(root, ".galley", name));
  cpSync(join(earlier!, "content.db"), join(root, ".galley/content.db"));
  await withServer(async (galley) => expect(await texts(galley)).toEqual(["saved", "later"]));
});

test("what a killed backup has left is removed by the next one, and two at once are refused", async () => {
  await withServer((galley) => write(galley, "saved"));
  mkdirSync(join(root, ".galley/backup-unfinished"));
  writeFileSync(join(root, ".galley/backup-unfinished/content.db"), "left");
  const outcomes = await Promise.allSettled([1, 2].map((number) => writeBackup(folders(), `${backupFile()}${number}`)));
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  expect(String((outcomes[1] as PromiseRejectedResult).reason)).toContain("is being backed up or restored");
  expect(readdirSync(join(root, ".galley")).filter((name) => name.startsWith("backup"))).toEqual([]);
});

test("without a database, content files, uploads and secrets that were there are kept, too", async () => {
  await withServer(async (galley) => {
    await write(galley, "saved");
    await writeBackup(folders(), backupFile());
  });
  for (const name of readdirSync(join(root, ".galley"))) rmSync(join(root, ".galley", name), { recursive: true });
  const present = { ".galley/secrets.json": "{}", "content/notes/a.yaml": "text: a", "public/uploads/a.txt": "a" };
  for (const [path, text] of Object.entries(present)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const { earlier } = (await restoreBackup(folders(), backupFile(), yes))!;
  const kept = ["secrets.json", "content/notes/a.yaml", "uploads/a.txt"];
  expect(kept.map((path) => readFileSync(join(earlier!, path), "utf8"))).toEqual(Object.values(present));
  await withServer(async (galley) => expect(await texts(galley)).toEqual(["saved"]));
});

test("a project that is being served is not restored", async () => {
  await withServer(async (galley) => {
    await write(galley, "first");
    await writeBackup(folders(), backupFile());
    await write(galley, "second");
    expect(restoreBackup(folders(), backupFile(), yes)).rejects.toThrow("is used by another process, such as a server");
    expect(await texts(galley)).toEqual(["first", "second"]);
    expect((await write(galley, "third")).status).toBe(201);
  });
});

test("a backup that is damaged anywhere is refused, and changes nothing", async () => {
  await withServer(async (galley) => {
    await write(galley, "saved");
    await upload(galley, "saved.txt");
    await writeBackup(folders(), backupFile());
    await write(galley, "later");
  });
  const bytes = gunzipSync(readFileSync(backupFile()));
  const before = readdirSync(join(root, ".galley")).toSorted();
  const damaged = join(root, "damaged.tar.gz");
  let refusals = 0;
  for (let place = 0; place < bytes.length; place += Math.ceil(bytes.length / 60)) {
    // the last blocks are padding, which nothing reads
    const changed = Buffer.from(bytes);
    changed[place] = changed[place]! ^ 0xff;
    writeFileSync(damaged, gzipSync(changed, { level: 1 }));
    const outcome = await restoreBackup(folders(), damaged, () => false).catch((error: Error) => error.message);
    if (outcome !== undefined) refusals++;
    else expect(bytes.subarray(place, place + 1)[0]).toBe(0);
  }
  expect(refusals).toBeGreaterThan(40);
  for (const length of [0, 100, Math.floor(readFileSync(backupFile()).length / 2)]) {
    writeFileSync(damaged, readFileSync(backupFile()).subarray(0, length));
    expect(restoreBackup(folders(), damaged, yes)).rejects.toThrow();
  }
  expect(readdirSync(join(root, ".galley")).toSorted()).toEqual(before);
  await withServer(async (galley) => expect(await texts(galley)).toEqual(["saved", "later"]));
});

test.each([
  ["an archive of strapi export", { "metadata.json": "{}" }, /is not a backup: it has metadata.json/],
  ["nothing", {}, /is not a backup, or is not complete/],
  [
    "a file that is not listed",
    { "secrets.json": "{}", "backup.json": { files: {} } },
    /secrets.json is not in its list/,
  ],
  [
    "another format",
    { "backup.json": { files: {}, format: 2 } },
    /made by Galley 9, in a format that this version cannot read/,
  ],
  ["a missing file", { "backup.json": { files: { "content.db": { bytes: 1, sha256: "" } } } }, /content.db is missing/],
  ["a path that leads out", { "../content.db": "" }, /leads out of the archive/],
  ["no database", { "backup.json": { files: {} } }, /the database: it is missing/],
])("%s is refused", async (_, entries, problem) => {
  const file = join(root, "other.tar");
  const manifest = { format: 1, galley: "9", createdAt: "2026-01-01T00:00:00.000Z" };
  await writeArchive({ file }, async (writer) => {
    for (const [name, value] of Object.entries(entries))
      await writer.text(
        name,
        typeof value === "string" ? value : JSON.stringify({ ...manifest, ...(value as object) }),
      );
  });
  expect(restoreBackup(folders(), file, yes)).rejects.toThrow(problem);
});

test("a backup by a newer Galley is refused before anything changes", async () => {
  await withServer((galley) => write(galley, "saved"));
  const database = join(root, ".galley/content.db");
  const setFormat = (format: number): void => {
    using db = new Database(database);
    db.run(`PRAGMA user_version = ${format}`);
  };
  setFormat(99);
  await writeBackup(folders(), backupFile());
  setFormat(2);
  expect(restoreBackup(folders(), backupFile(), yes)).rejects.toThrow("backup.tar.gz: was written by a newer Galley");
  await withServer(async (galley) => expect(await texts(galley)).toEqual(["saved"]));
});

test("a damaged database is not backed up, and an earlier backup stays", async () => {
  await withServer((galley) => write(galley, "saved"));
  await writeBackup(folders(), backupFile());
  const earlier = readFileSync(backupFile());
  const database = join(root, ".galley/content.db");
  const bytes = readFileSync(database);
  bytes.fill(0xa5, 8_192, 60_000);
  writeFileSync(database, bytes);
  expect(writeBackup(folders(), backupFile())).rejects.toThrow();
  expect(readFileSync(backupFile()).equals(earlier)).toBe(true);
  expect(existsSync(join(root, ".galley"))).toBe(true);
});

test("content files are those of the backup again, also removed and added ones", async () => {
  await withServer((galley) => write(galley, "saved"));
  const content = (name: string) => join(root, "content", name);
  mkdirSync(content("notes"), { recursive: true });
  for (const name of ["notes/a.yaml", "notes/b.yaml"]) writeFileSync(content(name), `text: ${name}\n`);
  await writeBackup(folders(), backupFile());
  writeFileSync(content("notes/a.yaml"), "text: changed\n");
  rmSync(content("notes/b.yaml"));
  writeFileSync(content("notes/c.yaml"), "text: added\n");
  const { earlier } = (await restoreBackup(folders(), backupFile(), yes))!;
  const texts = ["a", "b", "c"].map(
    (name) => existsSync(content(`notes/${name}.yaml`)) && readFileSync(content(`notes/${name}.yaml`), "utf8"),
  );
  expect(texts).toEqual(["text: notes/a.yaml\n", "text: notes/b.yaml\n", false]);
  expect(readFileSync(join(earlier!, "content/notes/a.yaml"), "utf8")).toBe("text: changed\n");
});
