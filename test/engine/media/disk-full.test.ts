/** A disk that is full, or a file size that the system refuses: the upload is refused with its cause, and nothing half stays. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { copyProject } from "./library.ts";
import { killServers, type Running, startServer } from "./process.ts";
import { jpegOf } from "./samples.ts";

/** What `ulimit -f` of `sh` counts in, in bytes. */
const BLOCK = 512;
const BLOCKS = 8192;

const headers = { Authorization: "Bearer full" };
let root: string;
let server: Running;

beforeAll(async () => {
  root = copyProject();
  server = await startServer(root, `ulimit -f ${BLOCKS}`);
});
afterAll(killServers);
afterAll(() => rmSync(root, { recursive: true, force: true }));

const files = (): string[] => readdirSync(join(root, "public/uploads")).filter((name) => name !== ".galley");
const unfinished = (): string[] => readdirSync(join(root, "public/uploads/.galley"));

async function upload(contents: readonly Uint8Array[], id = "") {
  const form = new FormData();
  for (const [index, content] of contents.entries()) form.append("files", new File([content as never], `${index}.bin`));
  const response = await fetch(`${server.url}/api/upload${id}`, { method: "POST", body: form, headers });
  const body = (await response.json()) as { error?: { name: string; message: string } };
  return { status: response.status, body };
}

const refused = {
  status: 507,
  body: {
    data: null,
    error: { status: 507, name: "InsufficientStorageError", message: "The file is larger than the system allows" },
  },
} as const;

test.skipIf(process.platform === "win32")("a file that does not fit is refused with the cause", async () => {
  const fits = new Uint8Array(BLOCKS * BLOCK);
  const tooLarge = new Uint8Array(BLOCKS * BLOCK + 1);
  expect((await upload([fits])).status).toBe(201);
  expect(files().map((name) => Bun.file(join(root, "public/uploads", name)).size)).toEqual([fits.length]);
  const before = files();
  expect(await upload([tooLarge])).toEqual(refused);
  expect(await upload([new Uint8Array(5), tooLarge, new Uint8Array(5)])).toEqual(refused);
  expect(await upload([tooLarge], "?id=1")).toEqual(refused);
  expect([files(), unfinished()]).toEqual([before, []]);
  const served = await fetch(`${server.url}/uploads/${before[0]}`);
  expect((await served.arrayBuffer()).byteLength).toBe(fits.length);
  // the server goes on
  expect((await upload([await jpegOf({ width: 300, height: 200 })])).status).toBe(201);
  expect(existsSync(join(root, "public/uploads/.galley"))).toBe(true);
});
