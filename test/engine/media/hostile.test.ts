/** Names, addresses, types and bodies made to do harm: none gets out of the upload folder, none is answered with a 5xx. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { createApp } from "../../../src/server/app.ts";
import { type Listening, listen } from "../../../src/server/listen.ts";
import { processTime } from "../../processor-time.ts";
import { type Answered, type Library, openLibrary } from "./library.ts";
import { claimingPng, createGif, createTiff, jpegOf, movingWebp, PDF, pngOf, SVG, webpOf, ZIP } from "./samples.ts";

const SECRET = "the-secret-outside";

let library: Library;
let server: Listening;
let before: string[];

/** Every file below the project but those of the database and of uploads. */
function outside(): string[] {
  const names = readdirSync(library.root, { recursive: true }) as string[];
  return names.filter((name) => !name.startsWith(".galley") && !name.startsWith("public/uploads/")).sort();
}

beforeAll(async () => {
  library = openLibrary();
  writeFileSync(join(library.root, "secret.txt"), SECRET);
  await library.send([{ content: "first", name: "first.txt" }]);
  server = listen(createApp(library.project), { port: 0, host: "127.0.0.1" });
  before = outside();
});
afterAll(async () => {
  await server.stop();
  library.close();
});

/** After every attack: nothing new outside, only plain files inside, nothing unfinished. */
afterEach(async () => {
  expect(outside()).toEqual(before);
  expect(await settled()).toEqual([]);
  for (const name of library.stored()) expect(statSync(join(library.uploads, name)).isFile()).toBe(true);
  expect(readdirSync(dirname(library.root)).filter((name) => name.startsWith("evil"))).toEqual([]);
});

/** Refused with an explanation, or taken without harm. */
function check({ status, body }: Answered): void {
  expect(status).toBeLessThan(500);
  if (status >= 400 && status !== 405) expect(body.error?.message ?? body).toBeString();
  expect(JSON.stringify(body)).not.toContain(SECRET);
}

/** Unfinished files go a moment after the answer where the client is the one who stopped. */
async function settled(): Promise<string[]> {
  for (let wait = 0; wait < 50 && library.unfinished().length > 0; wait++) await Bun.sleep(20);
  return library.unfinished();
}

const up = [
  "../../",
  "..\\",
  "%2e%2e/",
  "%2e%2e%2f",
  "..%2f",
  "..%5c",
  "%252e%252e%252f",
  "..%c0%af",
  "....//",
  "..;/",
  ".../",
];
const names = [
  ...up.flatMap((step) => [`${step}evil.txt`, `${step.repeat(6)}evil.txt`]),
  ...[
    "/evil.txt",
    "//evil.txt",
    "C:\\evil.txt",
    "\\\\host\\evil.txt",
    "file:///evil.txt",
    "evil.txt/",
    "evil.txt/.",
    ".",
  ],
  ...[
    "..",
    "...",
    " ",
    "  .txt",
    ".txt",
    "..txt",
    "a..txt",
    "evil.",
    "evil. ",
    "evil.txt.",
    "~/evil.txt",
    "-rf",
    "--help",
  ],
  ...["evil.txt\0.png", "evil\n.txt", "evil\r\nX-Injected: 1.txt", "evil\t.txt", "evil\x7f.txt", "evil\u2028.txt"],
  ...[
    "con",
    "CON.txt",
    "nul",
    "aux.png",
    "lpt1",
    "com¹",
    "evil.txt:stream",
    "evil.txt::$DATA",
    "evil?.txt",
    "evil*.txt",
  ],
  ...[
    "$(touch evil)",
    "`touch evil`.txt",
    "; touch evil",
    "| evil",
    "&& evil",
    "<script>alert(1)</script>.txt",
    "evil'\".txt",
  ],
  ...[
    "%s%s%n.txt",
    "{{7*7}}.txt",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a name that templates would fill in
    "${7*7}.txt",
    "__proto__",
    "constructor",
    "toString.txt",
    "hasOwnProperty",
    "index.html",
  ],
  ...[".htaccess", ".env", ".galley", ".galley/x", "web.config", "content.db", "evil.json", "evil.part", "evil.old"],
  ...[
    "\u202Egnp.exe",
    "ｅｖｉｌ．ｔｘｔ",
    "．．／evil",
    "e\u0301\u0301\u0301.txt",
    "💣".repeat(60),
    "é".repeat(250),
    "x".repeat(255),
  ],
  ...[
    "x".repeat(256),
    `a.${"x".repeat(250)}`,
    `${"a.".repeat(120)}txt`,
    "a".repeat(5000),
    "\ud800.txt",
    "a\ufffd.txt",
    "\ufeff.txt",
  ],
  ...[
    "thumbnail_evil.jpg",
    "evil.jpg.php",
    "evil.php%00.jpg",
    "evil.phtml",
    "evil.svg",
    "evil.html",
    "evil.shtml",
    "evil.%2e%2e",
  ],
];

test.each(names)("the file name %j does no harm", async (name) => {
  check(await library.send([{ content: "x", name }]));
});

test.each(names)("the given name %j does no harm", async (name) => {
  const { body } = await library.send([{ content: "x" }], { fileInfo: JSON.stringify({ name }) });
  if (Array.isArray(body)) expect(library.stored()).toContain(body[0].url.slice("/uploads/".length));
  else expect(body.error.message).toBe("File name is too long");
});

const types = [
  ...[
    "",
    "/",
    "text",
    "text/",
    "/plain",
    "*/*",
    "image/*",
    "text/plain; charset=../../etc",
    `text/${"x".repeat(5000)}`,
  ],
  ...["text/html", "image/svg+xml", "application/x-httpd-php", "application/x-sh", "multipart/form-data; boundary=y"],
  ...[
    "text/plain;charset=utf-7",
    "text/plain; charset=\0",
    "TEXT/HTML",
    "../../x",
    "application/__proto__",
    "constructor/x",
  ],
  ...["text/plain\tx", "text/plain, text/html", "application/octet-stream; x=y", "a/b;c=d;e=f", "💣/💣"],
];

const part = (headers: string, content = "x"): string => `--x\r\n${headers}\r\n\r\n${content}\r\n--x--\r\n`;
const file = 'Content-Disposition: form-data; name="files"; filename="a"';

test.each(types)("the declared type %j does no harm", async (type) => {
  const answer = await library.sendRaw(part(`${file}\r\nContent-Type: ${type}`));
  check(answer);
  if (answer.status !== 201) return;
  const served = await library.ask(answer.body[0].url);
  expect([served.status, served.headers.get("content-type")?.includes("html") ?? false]).toEqual([
    200,
    type.toLowerCase() === "text/html",
  ]);
});

/** Sends the address as it is spelled; clients tidy it up. */
function raw(path: string, method = "GET"): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect(server.port, "127.0.0.1");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(Buffer.from(chunk)));
  socket.on("error", reject);
  socket.on("close", () => resolve(Buffer.concat(chunks).toString("latin1")));
  socket.write(Buffer.from(`${method} ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`, "utf8"));
  return promise;
}

const targets = ["secret.txt", "config/galley.json", ".galley/content.db"];
const paths = [
  ...targets.flatMap((target) => up.flatMap((step) => [`/uploads/${step}${step}${target}`, `/${step}${target}`])),
  ...["/uploads/%00", "/uploads/first.txt%00.png", "/%00", "/uploads/%", "/uploads/%zz", "/uploads/%E0%A4%A"],
  ...[
    "/uploads//etc/passwd",
    "//etc/passwd",
    "/uploads/%2fetc%2fpasswd",
    "/%2fetc%2fpasswd",
    "/etc/passwd",
    "/uploads/file:///etc/passwd",
  ],
  ...[
    "/uploads/C:%5cWindows%5cwin.ini",
    "/uploads/.galley/",
    "/.galley/content.db",
    "/uploads/.%67alley/x",
    "/uploads/%2egalley/x",
  ],
  ...[
    "/config/galley.json",
    "/src/api/product/content-types/product/schema.json",
    "/secret.txt",
    "/./secret.txt",
    "/public/../secret.txt",
  ],
  ...[
    "/uploads/.",
    "/uploads/..",
    "/uploads/./",
    "/uploads/../",
    "/uploads/%2e",
    "/uploads/%2e%2e",
    "/..",
    "/../..",
    "/%2e%2e/%2e%2e",
  ],
  ...[
    "/uploads/con",
    "/uploads/first.txt::$DATA",
    "/uploads/first.txt.",
    "/uploads/first.txt%20",
    `/uploads/${"a".repeat(300)}`,
  ],
  ...[
    `/uploads/${"a/".repeat(2000)}`,
    `/uploads/${"%2e%2e%2f".repeat(500)}secret.txt`,
    `/${"../../".repeat(500)}secret.txt`,
  ],
  ...[
    "/uploads/*",
    "/uploads/?../../secret.txt",
    "/uploads/#../secret.txt",
    "/uploads/..;/secret.txt",
    "/uploads;/../secret.txt",
  ],
  ...[
    "/uploads/%c0%ae%c0%ae/secret.txt",
    "/uploads/%u002e%u002e/secret.txt",
    "/uploads/％2e％2e/secret.txt",
    "/uploads\\..\\secret.txt",
  ],
  ...[
    "http://localhost/../secret.txt",
    "http://evil/uploads/../../secret.txt",
    "/proc/self/environ",
    "/uploads/proc/self/environ",
  ],
];

test.each(paths)("the address %j leads nowhere", async (path) => {
  const answer = await raw(path);
  expect(answer).toStartWith("HTTP/1.1 ");
  const status = Number(answer.slice(9, 12));
  expect(status === 302 || (status >= 400 && status < 500)).toBe(true);
  for (const leak of [SECRET, "full-access", "SQLite format", "root:", '"collectionName"'])
    expect(answer).not.toContain(leak);
});

const info = (value: string): string =>
  `--x\r\nContent-Disposition: form-data; name="fileInfo"\r\n\r\n${value}\r\n${part(file)}`;
const field = (name: string, value = "x"): string =>
  `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n${part(file)}`;

const deepFocalPoint = (levels: number): string =>
  `{"focalPoint":{"x":1,"y":1,"z":${"[".repeat(levels)}${"]".repeat(levels)}}}`;

const FORM = "multipart/form-data; boundary=x";
const given: [string, string | Uint8Array, string?][] = [
  ["no boundary", part(file), "multipart/form-data"],
  ["an empty boundary", part(file), "multipart/form-data; boundary="],
  ["another boundary", part(file), "multipart/form-data; boundary=y"],
  ["a boundary of 5,000 letters", part(file), `multipart/form-data; boundary=${"y".repeat(5000)}`],
  ["nothing at all", ""],
  ["only the end", "--x--\r\n"],
  ["only a beginning", "--x\r\n"],
  ["no end", `--x\r\n${file}\r\n\r\nabc`],
  ["no header", "--x\r\n\r\nabc\r\n--x--\r\n"],
  ["half a header", `--x\r\n${file.slice(0, 30)}`],
  [
    "a zero byte in a header, before a file without an end",
    `--x\r\n${file.replace('"a"', '"\0"')}\r\n\r\nx\r\n--x\r\n${file}\r\n\r\n${"a".repeat(1000)}`,
  ],
  ["line feeds alone", part(file).replaceAll("\r\n", "\n")],
  ["no disposition", part("Content-Type: text/plain")],
  ["another disposition", part('Content-Disposition: attachment; name="files"; filename="a"')],
  ["no name", part('Content-Disposition: form-data; filename="a"')],
  ["an empty file name", part('Content-Disposition: form-data; name="files"; filename=""')],
  ["a quote that does not close", part('Content-Disposition: form-data; name="files; filename="a')],
  ["two file names", part('Content-Disposition: form-data; name="files"; filename="a"; filename="../b"')],
  ["an encoded file name", part("Content-Disposition: form-data; name=\"files\"; filename*=UTF-8''..%2F..%2Fevil.txt")],
  ["a wrongly encoded file name", part("Content-Disposition: form-data; name=\"files\"; filename*=UTF-8''%E0%A4%A")],
  ["two dispositions", part(`${file}\r\n${file.replace('"a"', '"../evil"')}`)],
  ["a header of 100,000 letters", part(`${file}\r\nX-Long: ${"x".repeat(100_000)}`)],
  ["a thousand headers", part([file, ...Array.from({ length: 1000 }, (_, index) => `X-${index}: 1`)].join("\r\n"))],
  [
    "binary headers",
    Buffer.concat([Buffer.from("--x\r\n"), Buffer.alloc(500, 0xff), Buffer.from("\r\n\r\nx\r\n--x--")]),
  ],
  [
    "a form in a form",
    part(`${file}\r\nContent-Type: multipart/mixed; boundary=y`, `--y\r\n${file}\r\n\r\nz\r\n--y--`),
  ],
  ["base64 that is none", part(`${file}\r\nContent-Transfer-Encoding: base64`, "%%%")],
  [
    "three thousand parts",
    `${'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n'.repeat(3000)}${part(file)}`,
  ],
  ["two thousand files", `${`--x\r\n${file}\r\n\r\n\r\n`.repeat(2500)}--x--`],
  ["a field of two megabytes", field("a", "x".repeat(2_000_000))],
  ["brackets without end", field(`a${"[b]".repeat(3000)}`)],
  ["brackets that do not match", field("fileInfo[name")],
  ["a prototype as a field", field("__proto__[polluted]")],
  ["a constructor as a field", field("constructor[prototype][polluted]")],
  ["a prototype in fileInfo", info('{"__proto__":{"polluted":1},"name":"a"}')],
  ["a prototype as the focal point", info('{"focalPoint":{"x":1,"y":1,"__proto__":{"polluted":1}}}')],
  ["fileInfo that is not JSON", info("{")],
  ["fileInfo of a hundred thousand brackets", info("[".repeat(100_000))],
  ["fileInfo of a hundred thousand objects", info('{"a":'.repeat(100_000))],
  ["fileInfo with a focal point of 800,000 brackets", info(deepFocalPoint(400_000))],
  ["fileInfo that is a number", info("5")],
  ["fileInfo with a name of a megabyte", info(JSON.stringify({ name: "x".repeat(1_000_000) }))],
  ["numbers beyond all bounds", info('{"focalPoint":{"x":1e999,"y":-1e999}}')],
  ["SQL in the texts", info(JSON.stringify({ name: "'; DROP TABLE files; --", caption: '" OR 1=1' }))],
  [
    "SQL in the place",
    `--x\r\nContent-Disposition: form-data; name="ref"\r\n\r\nfiles"; DROP TABLE files; --\r\n${field("refId", "1 OR 1=1")}`,
  ],
  ["a path", field("path", "../../../evil")],
  ["a JSON body called a form", '{"files":"x"}'],
  ["a form called JSON", part(file), "application/json"],
];
// for a row without a type the runner would hand its own callback to the test
const bodies = given.map(([name, body, type = FORM]) => [name, body, type] as const);
test.each(bodies)("a body with %s does no harm", async (_, body, type) => {
  check(await library.sendRaw(body, "/api/upload", type));
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

test.each(bodies)("a replacement with %s does no harm", async (_, body, type) => {
  check(await library.sendRaw(body, "/api/upload?id=1", type));
});

const size = { width: 300, height: 200 };
const images: [string, Uint8Array][] = [
  ["jpeg", await jpegOf(size)],
  ["png", await pngOf(size)],
  ["webp", await webpOf(size)],
  ["webp", await movingWebp(size)],
  ["gif", createGif({ width: 300, height: 20 }, 2)],
  ["tiff", createTiff({ width: 260, height: 20 })],
  ["svg", Buffer.from(SVG)],
  ["pdf", Buffer.from(PDF)],
  ["zip", ZIP],
];

/** The same sequence of numbers below 1 at every run. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    yield state / 2_147_483_648;
  }
}

test.each(images.map(([ending, bytes], index) => [ending, index, bytes] as const))(
  "a damaged %s (%d) is refused or kept, whatever the damage",
  async (ending, index, bytes) => {
    const random = numbers(index + 1);
    const next = (): number => random.next().value;
    for (let round = 0; round < 12; round++) {
      const damaged = Buffer.from(bytes);
      // the header in some rounds, anything in the others, and the end is missing in a few
      const reach = round % 3 === 0 ? Math.min(40, damaged.length) : damaged.length;
      for (let hit = 0; hit < 1 + round; hit++) damaged[Math.floor(next() * reach)] = Math.floor(next() * 256);
      const content = round % 4 === 3 ? damaged.subarray(0, Math.floor(next() * damaged.length) + 1) : damaged;
      const { status } = await library.send([{ content, name: `a.${ending}` }]);
      expect([201, 400]).toContain(status);
    }
  },
);

const bombs: [string, string, Uint8Array | string][] = [
  ["a PNG of 2,500 megapixels", "a.png", claimingPng({ width: 50_000, height: 50_000 })],
  ["a PNG of 400 megapixels", "a.png", claimingPng({ width: 20_000, height: 20_000 })],
  [
    "an SVG with entities in entities",
    "a.svg",
    `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "aaaa">${Array.from({ length: 50 }, (_, n) => `<!ENTITY a${n} "&a;&a;">`).join("")}]><svg width="1" height="1">&a49;</svg>`,
  ],
  [
    "an SVG that reads a file",
    "a.svg",
    `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg width="1" height="1">&x;</svg>`,
  ],
  ["an SVG of a hundred thousand spaces", "a.svg", `<svg ${" ".repeat(60_000)}width="1"`],
  ["an SVG of comments that do not close", "a.svg", "<!--".repeat(10_000)],
  ["an SVG of processing instructions", "a.svg", "<?".repeat(10_000)],
];
test.each(bombs)("%s is dealt with at once", async (_, name, content) => {
  const start = processTime();
  check(await library.send([{ content, name }]));
  expect(processTime() - start).toBeLessThan(1500);
});

test("a client that goes away in the middle leaves nothing behind", async () => {
  const count = (await library.ask("/api/upload/files")).body.length;
  const head = `POST /api/upload HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer full\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 5000000\r\n\r\n`;
  for (let round = 0; round < 5; round++) {
    const socket = connect(server.port, "127.0.0.1");
    socket.on("error", () => socket.destroy());
    socket.write(`${head}--x\r\n${file}\r\n\r\n${"y".repeat(300_000)}`);
    await Bun.sleep(20);
    socket.destroy();
  }
  for (let wait = 0; wait < 100 && library.unfinished().length > 0; wait++) await Bun.sleep(20);
  expect((await library.ask("/api/upload/files")).body.length).toBe(count);
});

test("after all of that the library still works", async () => {
  const { body } = await library.ask("/api/upload/files");
  const stored = new Set(library.stored());
  for (const { url } of body) expect(stored).toContain(url.slice("/uploads/".length));
  expect((await library.ask(body[0].url)).status).toBe(200);
});

test("at least two hundred attacks were tried", () => {
  const counts = [names.length * 2, types.length, paths.length, bodies.length * 2, images.length * 12, bombs.length];
  expect(counts.reduce((sum, count) => sum + count)).toBeGreaterThan(500);
});
