import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createApp } from "../../../src/server/app.ts";
import { type Listening, listen } from "../../../src/server/listen.ts";
import { type Library, openLibrary } from "./library.ts";

let library: Library;
let server: Listening;
const LARGE = Buffer.from(Array.from({ length: 700_000 }, (_, index) => index % 251));
const MODIFIED = new Date("2026-01-02T03:04:05.678Z");

beforeAll(() => {
  library = openLibrary();
  const { root } = library;
  mkdirSync(join(root, "public/uploads/.galley"), { recursive: true });
  mkdirSync(join(root, "public/docs"), { recursive: true });
  const files: Record<string, string | Buffer> = {
    "secret.txt": "outside",
    "public/robots.txt": "User-agent: *",
    "public/.env": "hidden",
    "public/docs/index.html": "<h1>docs</h1>",
    "public/page.html": "<h1>own</h1>",
    "public/uploads/digits.txt": "0123456789",
    "public/uploads/large.bin": LARGE,
    "public/uploads/empty.txt": "",
    "public/uploads/.gitkeep": "hidden",
    "public/uploads/.galley/1.part": "unfinished",
    "public/uploads/a b.txt": "space",
    "public/uploads/100%41.txt": "percent",
    "public/uploads/é.txt": "accent",
  };
  for (const ending of [
    "js",
    "html",
    "svg",
    "xml",
    "xhtml",
    "css",
    "md",
    "mp4",
    "pdf",
    "php",
    "PNG",
    "nope",
    "swf",
    "mjs",
    "wasm",
  ]) {
    files[`public/uploads/x.${ending}`] = "x";
  }
  for (const [name, content] of Object.entries(files)) writeFileSync(join(root, name), content);
  utimesSync(join(root, "public/uploads/digits.txt"), MODIFIED, MODIFIED);
  symlinkSync(join(root, "secret.txt"), join(root, "public/uploads/link.txt"));
  symlinkSync(root, join(root, "public/uploads/way"));
  symlinkSync(join(root, "public/uploads/digits.txt"), join(root, "public/uploads/inside.txt"));
  server = listen(createApp(library.project), { port: 0, host: "127.0.0.1" });
});
afterAll(async () => {
  await server.stop();
  library.close();
});

const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  library.ask(path, { headers, method, as: "" });

const types: [string, string][] = [
  ["/uploads/x.js", "application/javascript; charset=utf-8"],
  ["/uploads/x.html", "text/html; charset=utf-8"],
  ["/uploads/x.svg", "image/svg+xml"],
  ["/uploads/x.xml", "application/xml"],
  ["/uploads/x.css", "text/css; charset=utf-8"],
  ["/uploads/x.md", "text/markdown; charset=utf-8"],
  ["/uploads/x.mp4", "video/mp4"],
  ["/uploads/x.php", "application/x-httpd-php"],
  ["/uploads/x.PNG", "image/png"],
  ["/uploads/x.nope", "application/octet-stream"],
];
test.each(types)("%s is served as %s", async (path, type) => {
  const { status, headers } = await get(path);
  expect([status, headers.get("content-type"), headers.get("x-content-type-options")]).toEqual([200, type, "nosniff"]);
});

test("the whole file comes with what caches need", async () => {
  const { status, headers, body } = await get("/uploads/digits.txt", { Authorization: "Bearer nonsense" });
  expect([status, body]).toEqual([200, "0123456789"]);
  expect(
    Object.fromEntries(
      ["content-length", "cache-control", "accept-ranges", "last-modified"].map((name) => [name, headers.get(name)]),
    ),
  ).toEqual({
    "content-length": "10",
    "cache-control": "max-age=0",
    "accept-ranges": "bytes",
    "last-modified": "Fri, 02 Jan 2026 03:04:05 GMT",
  });
  expect(headers.get("content-disposition")).toBeNull();
});

test("HEAD says the same without the file", async () => {
  const [whole, head] = [await get("/uploads/digits.txt"), await get("/uploads/digits.txt", {}, "HEAD")];
  expect([head.status, head.bytes.length]).toEqual([200, 0]);
  expect([...head.headers]).toEqual([...whole.headers]);
});

test("a client that has the file is told so", async () => {
  const { headers } = await get("/uploads/digits.txt");
  const [tag, date] = [headers.get("etag") ?? "", headers.get("last-modified") ?? ""];
  const status = async (condition: Record<string, string>) => (await get("/uploads/digits.txt", condition)).status;
  expect(await status({ "If-None-Match": tag })).toBe(304);
  expect(await status({ "If-None-Match": `"x", ${tag.slice(2)}` })).toBe(304);
  expect(await status({ "If-None-Match": '"x"', "If-Modified-Since": date })).toBe(200);
  expect(await status({ "If-Modified-Since": date })).toBe(304);
  expect(await status({ "If-Modified-Since": "Fri, 02 Jan 2026 03:04:04 GMT" })).toBe(200);
  // as recorded
  expect(await status({ "If-None-Match": "*" })).toBe(200);
  expect(await status({ "If-Modified-Since": "Sat, 21 Nov 2076 06:07:26 GMT" })).toBe(200);
  expect(await status({ "If-Modified-Since": "nonsense" })).toBe(200);
});

const ranges: [string, string, string | number][] = [
  ["bytes=0-3", "0-3", "0123"],
  ["bytes=8-", "8-9", "89"],
  ["bytes=5-100", "5-9", "56789"],
  ["bytes=0-1,4-5", "0-1", "01"],
  ["bytes=9-2,3-4", "3-4", "34"],
  ["bytes= 1-2", "1-2", "12"],
  ["bytes=0-3-5", "0-3", "0123"],
  ["bytes=5", "", 416],
  ["bytes=-5", "", 416],
  ["bytes=9-2", "", 416],
  ["bytes=abc", "", 416],
  ["bytes=10-", "", 416],
  ["bytes=1-2=3", "", 416],
  ["items=0-1", "", 416],
  ["Bytes=0-1", "", 416],
];
test.each(ranges)("the range '%s' is %s", async (range, shown, expected) => {
  const { status, headers, body } = await get("/uploads/digits.txt", { Range: range });
  if (typeof expected === "number") {
    expect([status, body, headers.get("content-range")]).toEqual([416, "Range Not Satisfiable", null]);
    return;
  }
  expect([status, body]).toEqual([206, expected]);
  expect(headers.get("content-range")).toBe(`bytes ${shown}/10`);
  expect(headers.get("content-length")).toBe(String(expected.length));
});

test("a range of another state of the file is not sent", async () => {
  const date = (await get("/uploads/digits.txt")).headers.get("last-modified") ?? "";
  expect((await get("/uploads/digits.txt", { Range: "bytes=1-2", "If-Range": date })).status).toBe(206);
  expect((await get("/uploads/digits.txt", { Range: "bytes=1-2", "If-Range": '"x"' })).body).toBe("0123456789");
  expect((await get("/uploads/digits.txt", { Range: "bytes=1-2" }, "HEAD")).status).toBe(200);
});

test("large files arrive whole, in part, and without the name they have on disk", async () => {
  const base = `http://127.0.0.1:${server.port}/uploads/large.bin`;
  const ask = async (headers: Record<string, string>) => {
    const response = await fetch(base, { headers });
    return { response, bytes: Buffer.from(await response.arrayBuffer()) };
  };
  const whole = await ask({});
  expect([whole.response.status, whole.bytes.equals(LARGE)]).toEqual([200, true]);
  expect(whole.response.headers.get("content-disposition")).toBe("inline");
  const part = await ask({ Range: "bytes=100-599999" });
  expect([part.response.status, part.bytes.equals(LARGE.subarray(100, 600_000))]).toEqual([206, true]);
  expect(part.response.headers.get("content-range")).toBe("bytes 100-599999/700000");
  const stale = await ask({ Range: "bytes=100-599999", "If-Range": '"x"' });
  expect([stale.response.status, stale.bytes.equals(LARGE)]).toEqual([200, true]);
});

test("an empty file is served, and has no part", async () => {
  const { status, headers, bytes } = await get("/uploads/empty.txt");
  expect([status, headers.get("content-length"), bytes.length]).toEqual([200, "0", 0]);
  expect((await get("/uploads/empty.txt", { Range: "bytes=0-" })).status).toBe(416);
});

test.each(["html", "svg", "xml", "xhtml", "js", "css", "swf", "mjs", "wasm"])(
  "an uploaded .%s cannot run by itself in the API's origin",
  async (ending) => {
    const { headers } = await get(`/uploads/x.${ending}`);
    expect(headers.get("content-disposition")).toBe("attachment");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  },
);

test("an uploaded PDF is shown, without scripts", async () => {
  const { headers } = await get("/uploads/x.pdf");
  expect(headers.get("content-disposition")).toBeNull();
  expect(headers.get("content-security-policy")).toMatch(/script-src 'none'/);
  expect(headers.get("content-security-policy")).not.toContain("sandbox");
});

test("other uploads are shown as before", async () => {
  const { headers } = await get("/uploads/x.md");
  expect(headers.get("content-disposition")).toBeNull();
  expect(headers.get("content-security-policy") ?? "").not.toContain("sandbox");
});

const fetched = (site: string, destination: string) => ({ "Sec-Fetch-Site": site, "Sec-Fetch-Dest": destination });

test.each(["script", "style", "worker", "sharedworker", "serviceworker", "audioworklet", "xslt"])(
  "no page of this origin loads an upload as its %s",
  async (destination) => {
    for (const ending of ["js", "css", "md"]) {
      expect((await get(`/uploads/x.${ending}`, fetched("same-origin", destination))).status).toBe(403);
      expect((await get(`/uploads/x.${ending}`, fetched("cross-site", destination))).status).toBe(200);
    }
  },
);

test("no upload is a service worker, and files of the project may be", async () => {
  expect((await get("/uploads/x.js", { "Service-Worker": "script" })).status).toBe(403);
  expect((await get("/page.html", { ...fetched("same-origin", "script"), "Service-Worker": "script" })).status).toBe(
    200,
  );
  for (const destination of ["image", "document", "empty", "video", "iframe"])
    expect((await get("/uploads/x.pdf", fetched("same-origin", destination))).status).toBe(200);
});

test("files of the project are served as they are, and kept for a minute", async () => {
  expect((await get("/robots.txt")).body).toBe("User-agent: *");
  const page = await get("/page.html");
  expect([page.headers.get("content-disposition"), page.headers.get("cache-control")]).toEqual([null, "max-age=60"]);
  expect((await get("/docs/")).body).toBe("<h1>docs</h1>");
  expect((await get("/docs")).body).toBe("<h1>docs</h1>");
});

test("letters beyond ASCII, spaces and percent signs are encoded once", async () => {
  expect((await get("/uploads/a%20b.txt")).body).toBe("space");
  expect((await get("/uploads/%C3%A9.txt")).body).toBe("accent");
  expect((await get("/uploads/100%2541.txt")).body).toBe("percent");
  expect((await get("/uploads/100%41.txt")).status).toBe(404);
});

test("symbolic links lead to files inside, never outside", async () => {
  expect((await get("/uploads/inside.txt")).body).toBe("0123456789");
  for (const path of [
    "/uploads/link.txt",
    "/uploads/way/secret.txt",
    "/uploads/way/config/galley.json",
    "/uploads/way",
  ]) {
    expect((await get(path)).status).toBe(404);
  }
});

const absent = [
  "/uploads/missing.txt",
  "/uploads/",
  "/uploads",
  "/uploads%2fdigits.txt",
  "/uploads/..%2frobots.txt",
  "/uploads/%2e%2e%2fpage.html",
  "/uploads/digits.txt/",
  "/uploads/digits.txt/x",
  "/UPLOADS/digits.txt",
  "/Uploads/digits.txt",
  "/uploads/.gitkeep",
  "/uploads/.galley/1.part",
  "/.env",
  "/docs/missing",
];
test.each(absent)("%s is not a file", async (path) => {
  const { status, body } = await get(path);
  expect([status, body.error.message]).toEqual([404, "Not Found"]);
});

test.each(["//uploads/digits.txt", "/%2fuploads/digits.txt", "/%5cuploads", "/c:/digits.txt", "/uploads/%00"])(
  "%s is refused",
  async (path) => {
    const { status, body } = await get(path);
    expect([status, body.error.message]).toEqual([400, "Malicious Path"]);
  },
);

test("files are read only", async () => {
  for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
    const { status, headers, body } = await get("/uploads/digits.txt", {}, method);
    expect([status, headers.get("allow"), body]).toEqual([405, "HEAD, GET", "Method Not Allowed"]);
  }
  const options = await get("/uploads/digits.txt", {}, "OPTIONS");
  expect([options.status, options.headers.get("allow"), options.body]).toEqual([200, "HEAD, GET", ""]);
  expect(statSync(join(library.root, "public/uploads/digits.txt")).size).toBe(10);
});
