/** Files from URLs: their events, and which URLs are refused. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { AdminRoute } from "../../src/admin/call.ts";
import { urlImportRoutes } from "../../src/admin/upload/from-urls.ts";
import { type Locate, locatePublic } from "../../src/engine/media/download.ts";
import { openProject, type Project } from "../../src/server/project/project.ts";
import { configFile, projectFolder } from "../project.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

const folder = projectFolder(configFile({ upload: { sizeLimit: 1_000 } }));
let project: Project;
let remote: ReturnType<typeof Bun.serve>;
beforeAll(() => {
  project = openProject(folder.root, { memory: false, publicRead: false, environment: {} });
  remote = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => {
      const { pathname } = new URL(request.url);
      if (pathname === "/moved") return Response.redirect("/pixel.png", 302);
      if (pathname === "/loop") return Response.redirect("/loop", 302);
      if (pathname === "/inside") return Response.redirect("http://10.0.0.1/x", 302);
      if (pathname === "/large") return new Response("x".repeat(1_001));
      if (pathname === "/endless") {
        const chunk = new Uint8Array(400);
        const pull = (controller: ReadableStreamDefaultController) => controller.enqueue(chunk);
        return new Response(new ReadableStream({ pull }));
      }
      if (pathname === "/pixel.png") return new Response(PNG, { headers: { "Content-Type": "image/png" } });
      return new Response("", { status: 404 });
    },
  });
});
afterAll(async () => {
  await remote.stop(true);
  project.close();
  folder.remove();
});

/** Only the remote server of this test is called. */
const locate: Locate = async (url) => (url.startsWith(remote.url.href) ? { url } : locatePublic(url));

interface Event {
  readonly event: string;
  readonly data: Record<string, unknown>;
}

async function send(body: Record<string, unknown>): Promise<Event[]> {
  const { context, settings } = project;
  const [route] = urlImportRoutes({ context, settings, media: project.media() }, locate) as [AdminRoute];
  const { stream } = await route.handle({
    request: new Request("http://localhost"),
    params: {},
    query: () => ({}),
    body: async () => body,
    rawBody: async () => body,
  });
  const text = await new Response(stream).text();
  return text
    .trim()
    .split("\n\n")
    .map((block) => {
      const [event = "", data = ""] = block.split("\n");
      return { event: event.slice("event: ".length), data: JSON.parse(data.slice("data: ".length)) };
    });
}

const url = (path: string): string => new URL(path, remote.url).href;
const messages = (events: readonly Event[]): unknown[] =>
  events.filter(({ event }) => event === "file:error").map(({ data }) => data.message);

test("a file is stored, and each step of it is reported", async () => {
  const folderId = project.media().folders.create("Imported", null).id;
  const events = await send({ urls: [url("/moved")], folderId });
  expect(events.map(({ event }) => event)).toEqual([
    "file:fetching",
    "file:progress",
    "file:progress",
    "file:uploading",
    "file:complete",
    "stream:complete",
  ]);
  expect(events[3]?.data).toEqual({ name: "pixel.png", index: 0, total: 1, size: PNG.length });
  expect(events[5]?.data).toMatchObject({
    data: [{ name: "pixel.png", mime: "image/png", folderPath: project.media().folders.findPath(folderId) }],
    errors: [],
  });
});

test("a URL that fails does not stop the others", async () => {
  const hostile = { toString: 1 };
  const events = await send({ urls: ["ftp://a.example/x", hostile, url("/missing"), "not a url", url("/pixel.png")] });
  expect(messages(events)).toEqual([
    "Invalid URL protocol. Only http and https are allowed: ftp://a.example/x",
    "Invalid URL: [object Object]",
    `Failed to fetch URL: ${url("/missing")} (404 Not Found)`,
    "Invalid URL: not a url",
  ]);
  expect(events.at(-1)?.data).toMatchObject({ data: [{ name: "pixel.png" }], errors: [{}, {}, {}, {}] });
});

test("a file over the limit is refused, whether or not its size is declared", async () => {
  const stored = project.media().uploadFolder.list().length;
  const events = await send({ urls: [url("/large"), url("/endless")] });
  const message = "File too large: maximum allowed size is 1 KB";
  expect(messages(events)).toEqual([message, message]);
  expect(project.media().uploadFolder.list()).toHaveLength(stored);
});

describe("private addresses are not called", () => {
  const hosts = [
    "127.0.0.1",
    "localhost",
    "10.1.2.3",
    "169.254.169.254",
    "[::1]",
    "[::ffff:10.0.0.1]",
    "2130706433",
    "printer.local",
  ];
  for (const host of hosts) {
    test(host, async () => {
      const target = `http://${host}/secret`;
      expect(locatePublic(target)).rejects.toThrow(`URL resolves to a blocked address: ${target}`);
    });
  }

  test("not by a redirect either", async () => {
    const events = await send({ urls: [url("/inside"), url("/loop")] });
    expect(messages(events)).toEqual([
      "URL resolves to a blocked address: http://10.0.0.1/x",
      `Too many redirects: ${url("/loop")}`,
    ]);
  });
});

test("lists that are missing, empty or too long are refused", async () => {
  expect(send({})).rejects.toThrow("URLs are required");
  expect(send({ urls: [] })).rejects.toThrow("URLs are required");
  expect(send({ urls: "https://a.example" })).rejects.toThrow("URLs are required");
  expect(send({ urls: Array(21).fill("https://a.example") })).rejects.toThrow("Maximum 20 URLs allowed per request");
});
