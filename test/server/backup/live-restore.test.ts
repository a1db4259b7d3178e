/** Backups of the admin page: made, checked and restored while the project is served, by an administrator. */
import { afterEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { createGalley, type Galley } from "../../../src/index.ts";
import { askAs, signedIn } from "../../admin/signed-in.ts";
import { ADMIN, type Body, configFile, projectFolder, typeFile } from "../../project.ts";

const KEY = "a key for tests of restores";
const NOTE = "api::note.note";
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

const files = { ...typeFile("note", { text: { type: "string" } }), ...configFile() };

async function serve(projectFiles: Readonly<Record<string, string>> = files, memory = false) {
  const { root, remove } = projectFolder(projectFiles);
  const galley = await createGalley({ project: root, memory, admin: true, environment: { ADMIN_JWT_SECRET: KEY } });
  cleanups.push(remove, () => galley.close());
  const cookie = await signedIn(galley, KEY);
  const send = (
    method: string,
    path: string,
    body?: Uint8Array | ReadableStream | string,
    type = "application/gzip",
  ): Promise<Response> =>
    galley.handle(
      new Request(`http://localhost/admin/api${path}`, {
        method,
        headers: {
          host: "localhost",
          "sec-fetch-site": "same-origin",
          "x-galley-admin": "1",
          "content-type": type,
          cookie,
        },
        ...(body ? { body: body as Uint8Array<ArrayBuffer> } : {}),
      }),
    );
  const backUp = async (): Promise<Uint8Array> => {
    expect((await send("POST", "/backup/file")).status).toBe(200);
    return new Uint8Array(await (await send("GET", "/backup/file")).arrayBuffer());
  };
  const receive = async (bytes: Uint8Array | ReadableStream): Promise<{ status: number; body: Body }> => {
    const response = await send("POST", "/backup/restore", bytes);
    return { status: response.status, body: await response.json() };
  };
  return { root, galley, ask: askAs(galley, cookie), send, backUp, receive };
}

const create = (galley: Galley, text: string) => galley.documents(NOTE).create({ data: { text } });
const texts = async (galley: Galley) =>
  (await galley.documents(NOTE).findMany({ sort: "text" })).map((note) => (note as Body).text);

async function upload(galley: Galley, name: string): Promise<string> {
  const body = new FormData();
  body.set("files", new File([`bytes of ${name}`], name, { type: "text/plain" }));
  const init = { method: "POST", headers: ADMIN, body };
  const response = await galley.handle(new Request("http://localhost/api/upload", init));
  return ((await response.json()) as { url: string }[])[0]!.url;
}
const statusOf = async (galley: Galley, url: string): Promise<number> =>
  (await galley.handle(new Request(`http://localhost${url}`))).status;
const leftovers = (root: string): string[] =>
  readdirSync(join(root, ".galley")).filter((name) => /^(backup|restore|before)/.test(name));

test("a backup is downloaded without secrets, shown, and restored; what was there is kept", async () => {
  const { root, galley, ask, send, backUp, receive } = await serve();
  await create(galley, "saved");
  const kept = await upload(galley, "kept.txt");
  const made = await send("POST", "/backup/file");
  expect(((await made.json()) as Body).data).toMatchObject({ uploads: 1, contentFiles: 0 });
  const download = await send("GET", "/backup/file");
  expect(download.headers.get("content-disposition")).toMatch(
    /^attachment; filename="[\w.-]+-\d{4}-\d\d-\d\d\.tar\.gz"$/,
  );
  const bytes = new Uint8Array(await download.arrayBuffer());
  expect(bytes.length).toBe(Number(download.headers.get("content-length")));
  const archive = Buffer.from(gunzipSync(bytes));
  const { jwt } = JSON.parse(readFileSync(join(root, ".galley/secrets.json"), "utf8"));
  expect([archive.includes("content.db"), archive.includes("secrets.json"), archive.includes(jwt)]).toEqual([
    true,
    false,
    false,
  ]);
  // it is downloaded once
  expect((await send("GET", "/backup/file")).status).toBe(404);
  expect(await backUp()).toBeInstanceOf(Uint8Array);
  await create(galley, "later");
  const later = await upload(galley, "later.txt");
  const { status, body } = await receive(bytes);
  expect([status, body.data.uploads]).toEqual([200, { now: 2, after: 1 }]);
  expect(body.data.types).toContainEqual({ uid: NOTE, now: 2, after: 1 });
  expect(await texts(galley)).toEqual(["later", "saved"]);
  expect((await ask("GET", "/backup")).body.data).toMatchObject({ canBackUp: true, problem: null, pending: body.data });
  const applied = await ask("POST", "/backup/restore/apply", { id: body.data.id });
  expect(applied.status).toBe(200);
  expect(await texts(galley)).toEqual(["saved"]);
  expect([await statusOf(galley, kept), await statusOf(galley, later)]).toEqual([200, 404]);
  // the session goes on, and so does writing
  await create(galley, "after");
  expect(await texts(galley)).toEqual(["after", "saved"]);
  expect((await ask("GET", "/backup")).body.data.pending).toBeNull();
  const { earlier } = applied.body.data;
  expect(leftovers(root)).toEqual([earlier]);
  expect(readdirSync(join(root, ".galley", earlier, "uploads")).length).toBe(2);
}, 60_000);

test("a backup of earlier schemas gets the attributes and types of today before it is shown", async () => {
  const old = await serve();
  await create(old.galley, "old");
  const bytes = await old.backUp();
  const { galley, ask, receive } = await serve({
    ...configFile(),
    ...typeFile("note", { text: { type: "string" }, added: { type: "integer", default: 3 } }),
    ...typeFile("page", { title: { type: "string" } }),
  });
  await galley.documents("api::page.page").create({ data: { title: "a" } });
  const { body } = await receive(bytes);
  expect(body.data.types).toContainEqual({ uid: "api::page.page", now: 1, after: 0 });
  expect((await ask("POST", "/backup/restore/apply", { id: body.data.id })).status).toBe(200);
  expect(await galley.documents(NOTE).findMany({})).toMatchObject([{ text: "old", added: null }]);
  await galley.documents("api::page.page").create({ data: { title: "b" } });
  expect(await galley.documents("api::page.page").count({})).toBe(1);
}, 60_000);

const cases: Readonly<Record<string, readonly [damage: (bytes: Uint8Array) => Uint8Array, message: string]>> = {
  "that is empty": [() => new Uint8Array(), "The file is empty"],
  "that is none": [() => new TextEncoder().encode("none".repeat(500)), "is not a"],
  "that is cut off": [(bytes) => bytes.slice(0, bytes.length / 2), "is not a"],
  "with a changed byte": [
    (bytes) => Uint8Array.from(bytes, (byte, at) => (at === bytes.length >> 1 ? byte ^ 255 : byte)),
    "",
  ],
};

test.each(Object.entries(cases))("a file %s is refused, and changes nothing", async (_name, [damage, message]) => {
  const { root, galley, ask, backUp, receive } = await serve();
  await create(galley, "saved");
  const bytes = await backUp();
  const { status, body } = await receive(damage(bytes));
  expect([status, body.error.name]).toEqual([400, "ApplicationError"]);
  expect(body.error.message).toContain(message);
  expect(body.error.message).not.toContain(root);
  expect((await ask("GET", "/backup")).body.data.pending).toBeNull();
  expect(leftovers(root)).toEqual([]);
  expect(await texts(galley)).toEqual(["saved"]);
});

test.each(["text/plain", "application/json", "multipart/form-data; boundary=x"])(
  "a body of %s is refused",
  async (type) => {
    const { root, send } = await serve();
    const response = await send("POST", "/backup/restore", '{"a":1}', type);
    expect([response.status, leftovers(root)]).toEqual([400, []]);
  },
);

test("an upload that breaks off leaves what waited", async () => {
  const { galley, ask, backUp, receive } = await serve();
  await create(galley, "saved");
  const bytes = await backUp();
  const { id } = (await receive(bytes)).body.data;
  let pulls = 0;
  const broken = new ReadableStream({
    pull: (controller) => (pulls++ < 3 ? controller.enqueue(bytes.slice(0, 100)) : controller.error(new Error("gone"))),
  });
  expect((await receive(broken)).status).toBe(400);
  expect((await ask("GET", "/backup")).body.data.pending.id).toBe(id);
  expect((await ask("POST", "/backup/restore/apply", { id: "another" })).status).toBe(400);
  expect((await ask("POST", "/backup/restore/apply", {})).status).toBe(400);
  expect((await ask("DELETE", "/backup/restore")).status).toBe(200);
  for (const body of [{ id }, {}]) expect((await ask("POST", "/backup/restore/apply", body)).status).toBe(400);
});

test("a restore that fails leaves content, uploads and content files as they were", async () => {
  const { root, galley, ask, backUp, receive } = await serve();
  await create(galley, "saved");
  const bytes = await backUp();
  const name = await upload(galley, "later.txt");
  await create(galley, "later");
  const { id } = (await receive(bytes)).body.data;
  rmSync(join(root, ".galley/restore/.galley/content.db"));
  mkdirSync(join(root, ".galley/restore/.galley/content/notes"), { recursive: true });
  writeFileSync(join(root, ".galley/restore/.galley/content/notes/a.yaml"), "text: a");
  expect((await ask("POST", "/backup/restore/apply", { id })).status).toBe(500);
  expect(await texts(galley)).toEqual(["later", "saved"]);
  expect([await statusOf(galley, name), existsSync(join(root, "content/notes/a.yaml"))]).toEqual([200, false]);
  expect(leftovers(root)).toEqual(["restore"]);
});

test("a backup is not unpacked beyond what there is room for", async () => {
  const { root, galley, backUp } = await serve();
  await create(galley, "saved");
  const file = join(root, "backup.tar.gz");
  writeFileSync(file, await backUp());
  const { extractBackup } = await import("../../../src/server/backup/extract-backup.ts");
  expect(extractBackup(file, join(root, "unpacked"), undefined, 10_000)).rejects.toThrow(
    "more in it than there is room for",
  );
});

test("an upload that is too large is read no further", async () => {
  const { receive } = await import("../../../src/server/backup/live-restore.ts");
  let isCancelled = false;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(1_000)),
    cancel: () => {
      isCancelled = true;
    },
  });
  const folder = mkdtempSync(join(tmpdir(), "galley-receive-"));
  try {
    await expect(receive(endless, join(folder, "file"), 10_000)).rejects.toThrow("larger than there is room for");
    expect(isCancelled).toBe(true);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("what waits is not discarded while it is restored", async () => {
  const { galley, ask, backUp, receive } = await serve();
  await create(galley, "saved");
  const { id } = (await receive(await backUp())).body.data;
  await create(galley, "later");
  const [applied, discarded] = await Promise.all([
    ask("POST", "/backup/restore/apply", { id }),
    ask("DELETE", "/backup/restore"),
  ]);
  // whichever came first
  const isApplied = applied.status === 200;
  expect([applied.status, discarded.status].toSorted()).toEqual([200, 400]);
  expect(await texts(galley)).toEqual(isApplied ? ["saved"] : ["later", "saved"]);
});

test("two at once are refused, and so is everything where the files are not what is served", async () => {
  const { galley, backUp, receive } = await serve();
  await create(galley, "saved");
  const bytes = await backUp();
  const answers = await Promise.all([receive(bytes), receive(bytes)]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  const memory = await serve(files, true);
  const { data } = (await memory.ask("GET", "/backup")).body;
  expect([data.canBackUp, data.pending]).toEqual([false, null]);
  expect(data.problem).toContain("use galley restore");
  expect((await memory.ask("POST", "/backup/file")).status).toBe(400);
  for (const [method, path] of [
    ["POST", ""],
    ["POST", "/apply"],
    ["DELETE", ""],
  ] as const)
    expect((await memory.send(method, `/backup/restore${path}`, method === "POST" ? bytes : undefined)).status).toBe(
      400,
    );
});
