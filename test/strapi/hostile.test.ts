/** Requests to a project's own routes that no client should send: what the code does not look at is bounded all the same. */
import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { ADMIN, configFile, type TestApp, testApp, typeFile } from "../project.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({
    ...configFile(),
    ...typeFile("post", { title: { type: "string" } }),
    "config/plugins.js": "module.exports = { upload: { config: { sizeLimit: 2000 } } }",
    "src/api/post/routes/own.js": `module.exports = { routes: [
      { method: "POST", path: "/own", handler: "own.run", config: { auth: false } },
      { method: "GET", path: "/own", handler: "own.query", config: { auth: false } },
      { method: "GET", path: "/streams/:kind", handler: "own.streams", config: { auth: false } },
      { method: "POST", path: "/mail", handler: "own.mail", config: { auth: false } },
    ] }`,
    "src/api/post/controllers/own.js": `module.exports = {
      run(ctx) {
        const files = Object.values(ctx.request.files ?? {}).flat();
        ctx.body = { body: ctx.request.body, files: files.map(({ size, originalFilename, filepath }) => ({ size, originalFilename, filepath })) };
      },
      query(ctx) { ctx.body = ctx.query; },
      async mail(ctx) {
        const { html } = ctx.request.body;
        await strapi.plugin("email").service("email").send({ to: "ada@example.com", subject: "contact", html });
        ctx.body = "sent";
      },
      streams(ctx) {
        const { Readable } = require("node:stream");
        globalThis.openStreams ??= new Set();
        const node = () => {
          const stream = new Readable({ read() { this.push("x"); this.push(null); } });
          openStreams.add(stream);
          return stream.on("close", () => openStreams.delete(stream));
        };
        const { kind } = ctx.params;
        ctx.body = node();
        if (kind === "replaced") ctx.body = "x";
        if (kind === "unchanged") ctx.status = 304;
        const failing = (push) => { let pulls = 0; return () => { if (pulls++ > 2) throw new Error("broken \\u001b[2J off"); push(); }; };
        if (kind === "fails") { const read = failing(() => stream.push("x")); const stream = new Readable({ read() { try { read(); } catch (error) { this.destroy(error); } } }); ctx.body = stream; }
        if (kind === "missing") ctx.body = require("node:fs").createReadStream("/no/such/file");
        if (kind === "endless") {
          const stream = new Readable({ read() { if (!this.begun) this.push("x"); this.begun = true; } });
          openStreams.add(stream);
          ctx.body = stream.on("close", () => openStreams.delete(stream));
        }
        if (kind === "error") throw new Error("after the body was set");
      },
    }`,
  });
});
afterAll(() => app.close());

const send = async (body: Uint8Array<ArrayBuffer> | string, type: string, more: Record<string, string> = {}) => {
  const headers = { "content-type": type, ...more };
  const response = await app.handle(new Request("http://localhost/api/own", { method: "POST", headers, body }));
  return { status: response.status, text: await response.text() };
};
const part = (name: string, file?: string): string =>
  `--B\r\nContent-Disposition: form-data; name="${name}"${file === undefined ? "" : `; filename="${file}"\r\nContent-Type: text/plain`}\r\n\r\n`;
const form = (text: string) => send(text, "multipart/form-data; boundary=B");

describe("forms", () => {
  test("reach the code with their fields and files, which are gone after the answer", async () => {
    const { status, text } = await form(
      `${part("a")}1\r\n${part("a")}2\r\n${part("doc", "../x.txt")}content\r\n${part("doc", "y.txt")}more\r\n--B--\r\n`,
    );
    const { body, files } = JSON.parse(text);
    expect([status, body]).toEqual([200, { a: ["1", "2"] }]);
    type File = { size: number; originalFilename: string };
    expect(files.map(({ size, originalFilename }: File) => [size, originalFilename])).toEqual([
      [7, "x.txt"],
      [4, "y.txt"],
    ]);
    await Bun.sleep(50);
    expect(files.filter(({ filepath }: { filepath: string }) => existsSync(filepath))).toEqual([]);
  });

  test("have files beyond the limit of uploads, which an upload is refused for by its name", async () => {
    const text = (field: string): string => `${part(field, "big.txt")}${"x".repeat(5_000)}\r\n--B--\r\n`;
    const { status, text: answer } = await form(text("doc"));
    expect([status, JSON.parse(answer).files[0].size]).toEqual([200, 5_000]);
    const headers = { ...ADMIN, "content-type": "multipart/form-data; boundary=B" };
    const request = new Request("http://localhost/api/upload", { method: "POST", headers, body: text("files") });
    const upload = await app.handle(request);
    expect([upload.status, await upload.json()]).toMatchObject([
      413,
      { error: { message: "big.txt exceeds size limit of 2 KB." } },
    ]);
  });

  test("of a file beyond the limit are refused, and not kept in memory", async () => {
    const before = process.memoryUsage().rss;
    const chunk = new Uint8Array(1_000_000);
    let sent = 0;
    const body = new ReadableStream({
      pull(controller) {
        controller.enqueue(sent === 0 ? new TextEncoder().encode(part("doc", "x")) : chunk);
        if (++sent > 400) controller.close();
      },
    });
    const headers = { "content-type": "multipart/form-data; boundary=B" };
    const request = new Request("http://localhost/api/own", { method: "POST", headers, body });
    expect((await app.handle(request)).status).toBe(413);
    expect((process.memoryUsage().rss - before) / 2 ** 20).toBeLessThan(200);
  });

  test.skipIf(process.platform !== "linux")("of refused files leave none open", async () => {
    const open = () => readdirSync("/proc/self/fd").length;
    const text = `${part("doc", "x")}${"x".repeat(5_000)}`;
    await form(text);
    const before = open();
    for (let count = 0; count < 50; count++) expect((await form(text)).status).toBe(400);
    expect(open() - before).toBeLessThan(10);
  });

  const broken: Readonly<Record<string, string>> = {
    "cut off in a file": `${part("doc", "x")}content`,
    "with empty names": `${part("")}x\r\n${part("", "x")}x\r\n--B--\r\n`,
    "cut off in a header": "--B\r\nContent-Dis",
    "without an end": part("a"),
    empty: "",
    "of 3,000 files": `${`${part("doc", "x")}x\r\n`.repeat(3_000)}--B--\r\n`,
    "of 5,000 fields": `${`${part("a")}x\r\n`.repeat(5_000)}--B--\r\n`,
    "with a field of five megabytes": `${part("a")}${"x".repeat(5_000_000)}\r\n--B--\r\n`,
    "with names of the prototype": `${part("__proto__")}x\r\n${part("constructor")}x\r\n--B--\r\n`,
  };
  for (const [name, text] of Object.entries(broken)) {
    test(name, async () => {
      const { status, text: answer } = await form(text);
      expect([status < 500, answer.length < 4_000]).toEqual([true, true]);
    });
  }
});

describe("bodies", () => {
  const cases: Readonly<
    Record<string, readonly [body: string | Uint8Array<ArrayBuffer>, type: string, encoding?: string]>
  > = {
    "two megabytes of JSON": [`["${"x".repeat(2_000_000)}"]`, "application/json"],
    "nested JSON": ["[".repeat(5_000), "application/json"],
    "100 MB in gzip": [Bun.gzipSync(new Uint8Array(100_000_000)), "application/json", "gzip"],
    "100 MB in deflate": [Bun.deflateSync(new Uint8Array(100_000_000)), "text/plain", "deflate"],
    "a wrong encoding": ["{}", "application/json", "gzip"],
    "an unknown encoding": ["{}", "application/json", "x"],
    "a form of many parameters": ["a=1&".repeat(12_000), "application/x-www-form-urlencoded"],
    "a prototype": ['{"__proto__":{"a":1}}', "application/json"],
  };
  for (const [name, [body, type, encoding]] of Object.entries(cases)) {
    test(name, async () => {
      const { status, text } = await send(body, type, encoding ? { "content-encoding": encoding } : {});
      expect([status >= 400 && status < 500, text.length < 4_000]).toEqual([true, true]);
    });
  }
});

describe("streams that fail", () => {
  const visit = (kind: string) => app.handle(new Request(`http://localhost/api/streams/${kind}`));

  for (const kind of ["fails"]) {
    test(`${kind}: after a part of the body, the response ends with an error, which is logged once without escapes`, async () => {
      const logged = spyOn(console, "error").mockImplementation(() => {});
      try {
        const response = await visit(kind);
        expect(response.status).toBe(200);
        await expect(response.text()).rejects.toBeUndefined();
        expect(logged.mock.calls.map(([text]) => String(text).split("\n")[0])).toEqual([
          "error: Error: broken \\u001b[2J off",
        ]);
      } finally {
        logged.mockRestore();
      }
    });
  }

  test("a file that does not exist is not found", async () => {
    const response = await visit("missing");
    expect([response.status, response.headers.get("content-type"), await response.text()]).toEqual([
      404,
      "text/plain; charset=utf-8",
      "Not Found",
    ]);
  });

  test("a client that leaves ends the stream that it was sent", async () => {
    const { openStreams } = globalThis as unknown as { openStreams: Set<unknown> };
    const reader = (await visit("endless")).body!.getReader();
    await reader.read();
    expect(openStreams.size).toBeGreaterThan(0);
    void reader.read();
    await reader.cancel();
    for (let wait = 0; wait < 50 && openStreams.size > 0; wait++) await Bun.sleep(10);
    expect(openStreams.size).toBe(0);
  });
});

describe("streams that are not sent are ended", () => {
  for (const kind of ["sent", "replaced", "unchanged", "error"]) {
    test(kind, async () => {
      const { openStreams } = globalThis as unknown as { openStreams: Set<unknown> | undefined };
      await (await app.handle(new Request(`http://localhost/api/streams/${kind}`))).text();
      for (let wait = 0; wait < 50 && openStreams?.size; wait++) await Bun.sleep(10);
      expect([...(openStreams ?? [])]).toEqual([]);
    });
  }
});

describe("query strings", () => {
  const cases = {
    "many parameters": "a=1&".repeat(5_000),
    "deep parameters": `a${"[b]".repeat(200)}=1`,
    "the prototype": "__proto__[a]=1&constructor[prototype][a]=1",
    "wrong escapes": "%E0%A4%A=%ff",
  };
  for (const [name, query] of Object.entries(cases)) {
    test(name, async () => {
      const response = await app.handle(new Request(`http://localhost/api/own?${query}`));
      expect(response.status).toBeLessThan(500);
      expect(({} as { a?: unknown }).a).toBeUndefined();
    });
  }
});

test("a mail without a text takes linear time, whatever its HTML", async () => {
  const html = "<".repeat(1_000_000);
  const headers = { "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify({ html }) };
  // quadratic time would be minutes
  expect((await app.handle(new Request("http://localhost/api/mail", init))).status).toBe(200);
});
