/** Forms that break off, wherever: they are refused or their connection ends, and nothing of them stays. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect } from "node:net";
import { readMultipart } from "../../../src/api/rest/multipart.ts";
import { BODY_DEFAULTS } from "../../../src/engine/config/body-settings.ts";
import { createApp } from "../../../src/server/app.ts";
import { type Listening, listen } from "../../../src/server/listen.ts";
import { type Library, openLibrary } from "../../engine/media/library.ts";
import { threadTime } from "../../processor-time.ts";
import { until } from "../../until.ts";

const PATHS = ["/api/upload", "/api/upload?id=1", "/api/auth/local", "/api/authors"];

let library: Library;
let server: Listening;
const unhandled: unknown[] = [];
const remember = (error: unknown): void => void unhandled.push(error);

beforeAll(() => {
  library = openLibrary();
  server = listen(createApp(library.project), { port: 0, host: "127.0.0.1" });
  process.on("uncaughtException", remember);
  process.on("unhandledRejection", remember);
});
afterAll(async () => {
  process.off("uncaughtException", remember);
  process.off("unhandledRejection", remember);
  await server.stop();
  library.close();
});

const part = (disposition: string, content: string, type = ""): string =>
  `--x\r\nContent-Disposition: form-data; ${disposition}\r\n${type}\r\n${content}\r\n`;
const FORM = [
  part('name="fileInfo"', '{"name":"a"}'),
  part('name="files"; filename="a.txt"', "first\r\n--", "Content-Type: text/plain\r\n"),
  part('name="other"; filename="b"', "dropped"),
  "--x--\r\n",
].join("");

/** Streams are cut in another way than bodies whose length is known. */
const streamOf = (text: string): ReadableStream =>
  new ReadableStream({
    start(controller) {
      controller.enqueue(Buffer.from(text));
      controller.close();
    },
  });

async function expectNothingLeft(): Promise<void> {
  await until("unfinished files are gone", () => library.unfinished().length === 0);
  expect(unhandled).toEqual([]);
}

test("a form that is cut at any byte is refused in the envelope", async () => {
  const whole = FORM.length - "--\r\n".length;
  for (let length = 0; length < whole; length++) {
    const path = PATHS[length % PATHS.length] ?? "";
    for (const body of [FORM.slice(0, length), streamOf(FORM.slice(0, length))]) {
      const headers = { "Content-Type": "multipart/form-data; boundary=x" };
      const { status, body: answer } = await library.ask(path, { method: "POST", body, headers });
      expect([length, status]).toEqual([length, 400]);
      expect(answer.error).toMatchObject({ status: 400, message: expect.any(String) });
    }
  }
  expect(library.stored()).toEqual([]);
  await expectNothingLeft();
});

/** Sends a form as far as `length` and ends the connection; `announced` says how long it was to be. Returns the status. */
function sendCut(path: string, length: number, announced: number, destroy: boolean): Promise<number | undefined> {
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const socket = connect(server.port, "127.0.0.1");
  let answer = "";
  socket.on("data", (chunk) => (answer += chunk.toString("latin1")));
  // a connection that is reset is closed next
  socket.on("error", () => {});
  socket.on("close", () => resolve(answer === "" ? undefined : Number(answer.slice(9, 12))));
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer full\r\nConnection: close\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: ${announced}\r\n\r\n`;
  socket.write(head + FORM.slice(0, length), () => {
    if (destroy) setTimeout(() => socket.destroy(), 2);
    else if (length < announced) socket.end();
  });
  return promise;
}

test("a form that is cut at any byte on its way is refused or its connection ends", async () => {
  const cuts = Array.from({ length: FORM.length - 4 }, (_, length) => length);
  for (let at = 0; at < cuts.length; at += 20) {
    const statuses = cuts.slice(at, at + 20).flatMap((length) => {
      const path = PATHS[length % PATHS.length] ?? "";
      return [
        sendCut(path, length, length, false),
        sendCut(path, length, FORM.length, false),
        sendCut(path, length, FORM.length, true),
      ];
    });
    for (const status of await Promise.all(statuses)) expect([undefined, 400]).toContain(status);
  }
  expect(library.stored()).toEqual([]);
  await expectNothingLeft();
  expect((await fetch(`http://127.0.0.1:${server.port}/_health`)).status).toBe(204);
});

test.each(["multipart/mixed", "multipart/related"])("%s is a form, which clients send by default", async (type) => {
  const file = 'Content-Disposition: attachment; name="files"; filename="a.txt"\r\nContent-Type: text/plain';
  const body = `--x\r\n${file}\r\n\r\ntext\r\n--x--\r\n`;
  const headers = { "Content-Type": `${type}; boundary=x` };
  const answer = await library.ask("/api/upload", { method: "POST", headers, body });
  expect([answer.status, answer.body]).toMatchObject([201, [{ name: "a.txt" }]]);
  await expectNothingLeft();
});

test("a form of 1,900 files is stored while others are answered", async () => {
  const form = new FormData();
  for (let index = 0; index < 1900; index++) form.append("files", new File(["x"], `${index}.txt`));
  const body = await new Response(form).bytes();
  const [, boundary = ""] = /^--(.+?)\r\n/.exec(Buffer.from(body).toString("latin1")) ?? [];
  const headers = { "Content-Type": `multipart/form-data; boundary=${boundary}` };
  let longest = 0;
  let last = threadTime();
  const timer = setInterval(() => {
    longest = Math.max(longest, threadTime() - last);
    last = threadTime();
  }, 1);
  const start = threadTime();
  const { status, body: files } = await library.ask("/api/upload", { method: "POST", body, headers });
  clearInterval(timer);
  expect(status).toBe(201);
  expect(files.map(({ name }: { name: string }) => name)).toEqual(
    Array.from({ length: 1900 }, (_, index) => `${index}.txt`),
  );
  // a part of the whole, however busy the machine is
  expect(longest).toBeLessThan((threadTime() - start) / 5);
  await expectNothingLeft();
});

test("a file that fails once the body has been read is an error of the form", async () => {
  const form = new FormData();
  for (const name of ["one", "two"]) form.append("file", new File(["content"], name));
  const request = new Request("http://localhost/", { method: "POST", body: form });
  const reading = readMultipart(request, {
    forms: BODY_DEFAULTS.forms,
    async onFile({ stream, filename }) {
      for await (const _ of stream);
      await Bun.sleep(5);
      if (filename === "two") throw new Error("the disk is full");
    },
  });
  await expect(reading).rejects.toThrow("the disk is full");
});

test("a part is a file if it has a type, whether it has a file name or not", async () => {
  const text = "Content-Type: text/plain\r\n";
  const body = [
    part('name="named"; filename="a.txt"', "1"),
    part('name="typed"', "2", text),
    part('name="both"; filename="b \\"c\\".txt"', "3", text),
    part("name=plain", "4"),
    part("filename*=UTF-8''x.txt; name=\"encoded\"", "5"),
    "--x--\r\n",
  ].join("");
  const headers = { "Content-Type": "multipart/form-data; boundary=x" };
  const files: unknown[] = [];
  const fields = await readMultipart(new Request("http://localhost/", { method: "POST", headers, body }), {
    forms: BODY_DEFAULTS.forms,
    async onFile({ field, filename, type, stream }) {
      files.push([field, filename, type, await new Response(stream as never).text()]);
    },
  });
  expect(fields).toEqual([
    ["named", "1"],
    ["plain", "4"],
    ["encoded", "5"],
  ]);
  expect(files).toEqual([
    ["typed", "unamed", "text/plain", "2"],
    ["both", 'b "c".txt', "text/plain", "3"],
  ]);
});
