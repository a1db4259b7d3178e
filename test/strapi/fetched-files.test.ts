/** `fetchUrlToInputFile`: pictures that code imports from URLs. */
import { afterAll, afterEach, beforeAll, expect, spyOn, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pngOf } from "../engine/media/samples.ts";
import { configFile, type TestApp, testApp, typeFile } from "../project.ts";

const LIMIT = 3_000;
/** A public address, whose requests a server of the test gets. */
const PUBLIC = "http://93.184.216.34";

let app: TestApp;
let remote: ReturnType<typeof Bun.serve>;
let png: Buffer<ArrayBuffer>;
let cancelled = 0;
const folder = mkdtempSync(join(tmpdir(), "fetched-files-"));
const called = spyOn(globalThis, "fetch");
const originalFetch = called.getMockImplementation() ?? Bun.fetch;

const image = (headers: Record<string, string> = {}) =>
  new Response(png, { headers: { "Content-Type": "image/png; a=b", ...headers } });
const endless = (): Response => {
  const pull = async (controller: ReadableStreamDefaultController) => controller.enqueue(new Uint8Array(400));
  const cancel = () => {
    cancelled += 1;
  };
  return new Response(new ReadableStream({ pull, cancel }));
};
const responses: Readonly<Record<string, () => Response>> = {
  "/pictures/red%20one.png": () => image(),
  "/named": () => image({ "Content-Disposition": 'attachment; filename="../../named.png"' }),
  "/outside": () => image({ "Content-Disposition": 'attachment; filename=".."' }),
  "/moved": () => new Response(null, { status: 302, headers: { Location: "/pictures/red%20one.png" } }),
  "/inside": () => new Response(null, { status: 302, headers: { Location: "http://10.0.0.1/x.png" } }),
  "/large": () => new Response("x".repeat(LIMIT + 1)),
  "/endless": endless,
};

beforeAll(async () => {
  png = Buffer.from(await pngOf({ width: 20, height: 10 }));
  remote = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url }) => responses[new URL(url).pathname]?.() ?? new Response("", { status: 404 }),
  });
  called.mockImplementation(((input: string | URL | Request, init?: RequestInit) =>
    originalFetch(
      typeof input === "string" && input.startsWith(PUBLIC) ? input.replace(PUBLIC, remote.url.origin) : input,
      init,
    )) as typeof fetch);
  app = await testApp({
    ...configFile(),
    "config/plugins.js": `module.exports = { upload: { config: { sizeLimit: ${LIMIT} } } };`,
    ...typeFile("note", { title: { type: "string" } }),
    "src/api/note/routes/import.js":
      'module.exports = { routes: [{ method: "POST", path: "/import", handler: "import.run", config: { auth: false } }] };',
    "src/api/note/controllers/import.js": `const { errors } = require("@strapi/utils");
      module.exports = { async run(ctx) {
        const { url, folder, limit, fails, uploads } = ctx.request.body;
        const progress = [];
        const report = (at) => { progress.push(at); if (fails) throw new Error("not shown"); };
        const service = strapi.plugin("upload").service("file");
        try {
          const result = await service.fetchUrlToInputFile(url, folder, limit, report);
          const files = { data: { fileInfo: { name: "Red" } }, files: [result.file] };
          const stored = uploads ? await strapi.plugin("upload").service("upload").upload(files) : undefined;
          ctx.body = { ...result, progress, stored };
        } catch (error) {
          ctx.body = { error: error.message, name: error.name, known: error instanceof errors.ApplicationError };
        }
      } };`,
  });
});
afterEach(() => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
});
afterAll(async () => {
  called.mockRestore();
  await app.close();
  await remote.stop(true);
  rmSync(folder, { recursive: true });
});

const run = async (path: string, more: Record<string, unknown> = {}) => {
  const url = path.startsWith("/") ? `${PUBLIC}${path}` : path;
  return (await app.call("POST", "/api/import", { url, folder, ...more })).body;
};

test("a picture is stored in the folder, and uploaded", async () => {
  const { file, progress, stored } = await run("/pictures/red%20one.png", { uploads: true });
  const { filepath, ...described } = file;
  expect(described).toEqual({
    ...{ originalFilename: "red one.png", mimetype: "image/png", size: png.length },
    tmpWorkingDirectory: folder,
  });
  expect(filepath).toStartWith(folder);
  expect(filepath).toEndWith(".png");
  expect(readFileSync(filepath)).toEqual(png);
  expect(progress).toEqual([
    { bytesWritten: 0, totalBytes: png.length },
    { bytesWritten: png.length, totalBytes: png.length },
  ]);
  expect(stored).toMatchObject([{ name: "Red", ext: ".png", mime: "image/png", width: 20, height: 10 }]);
});

test("redirects are followed, and no name leads out of the folder", async () => {
  expect((await run("/moved")).file.originalFilename).toBe("red one.png");
  expect((await run("/named")).file.originalFilename).toBe("named.png");
  expect((await run("/outside")).file.originalFilename).toStartWith("untitled_");
  expect(readdirSync(folder)).toHaveLength(3);
});

test("the limit is that of the call, or else that of uploads; errors of the callback have no effect", async () => {
  expect((await run("/large", { limit: LIMIT + 1, fails: true })).file.size).toBe(LIMIT + 1);
  expect((await run("/pictures/red%20one.png", { limit: 10 })).error).toBe(
    "File too large: maximum allowed size is 10 Bytes",
  );
});

test.each([
  ["/missing.png", `Failed to fetch URL: ${PUBLIC}/missing.png (404 Not Found)`],
  ["/large", "File too large: maximum allowed size is 3 KB"],
  ["/endless", "File too large: maximum allowed size is 3 KB"],
  ["/inside", "URL resolves to a blocked address: http://10.0.0.1/x.png"],
  ["http://localhost/x.png", "URL resolves to a blocked address: http://localhost/x.png"],
  ["file:///etc/passwd", "Invalid URL protocol. Only http and https are allowed: file:///etc/passwd"],
  ["nothing", "Invalid URL: nothing"],
])("%s is an ApplicationError, and leaves no file", async (url, error) => {
  expect(await run(url)).toEqual({ error, name: "ApplicationError", known: true });
  expect(readdirSync(folder)).toEqual([]);
});

test("a download that cannot be stored ends", async () => {
  const before = cancelled;
  const missing = join(folder, "missing");
  expect((await run("/endless", { folder: missing, limit: 0 })).error).toContain("ENOENT");
  expect(existsSync(missing)).toBe(false);
  for (let tries = 0; cancelled === before && tries < 100; tries += 1) await Bun.sleep(20);
  expect(cancelled).toBe(before + 1);
  expect((await run("/large", { folder: null })).error).toContain("needs a folder");
});
