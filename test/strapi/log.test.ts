/** `config/logger`: `strapi.log` and the lines of requests go to its transports, in its formats. */
import { afterAll, beforeAll, expect, mock, spyOn, test } from "bun:test";
import { Writable } from "node:stream";
import { createLog } from "../../src/strapi/lib/log.ts";
import { createLoadingStrapi } from "../../src/strapi/members/loading-strapi.ts";
import { type Body, projectFolder, type TestApp, testApp, typeFile } from "../project.ts";

const LOGGER = `
const { Writable } = require("node:stream");
const { winston, formats } = require("@strapi/logger");
const { format, transports } = winston;
const lines = (globalThis.configuredLines = { all: [], errors: [] });
const into = (list) => new Writable({ write(line, _, done) { list.push(String(line).trim()); done(); } });
module.exports = ({ env }) => ({
  level: env("LEVEL", "verbose"),
  transports: [
    new transports.Stream({ stream: into(lines.all), format: format.combine(format.uncolorize(), format.json()) }),
    new transports.Stream({
      stream: into(lines.errors), level: "warn",
      format: format.combine(formats.levelFilter("warn"), format.uncolorize(), formats.prettyPrint({ timestamps: false, colors: false })),
    }),
  ],
});`;

let app: TestApp;
let log: Body;
const lines = (): { all: string[]; errors: string[] } => (globalThis as Body).configuredLines;
beforeAll(async () => {
  app = await testApp({
    ...typeFile("note", { title: { type: "string" } }),
    "config/logger.js": LOGGER,
    "src/index.js": "module.exports = { register({ strapi }) { globalThis.configuredLog = strapi.log; } };",
  });
  log = (globalThis as Body).configuredLog;
});
afterAll(() => app.close());

test("records have the fields that code adds, and those of a child", () => {
  lines().all.length = 0;
  log.info("sent", { mail: 1 });
  log.log({ level: "verbose", message: "counted", count: 2 });
  log.warn({ message: "odd", field: 3 });
  log.child({ request: 4 }).http("answered");
  log.debug("not enabled");
  const records = lines().all.map((line) => JSON.parse(line));
  expect(records).toMatchObject([
    { level: "info", message: "sent", mail: 1 },
    { level: "verbose", message: "counted", count: 2 },
    { level: "warn", message: "odd", field: 3 },
    { level: "http", message: "answered", request: 4 },
  ]);
  expect(records[0].timestamp).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$/);
});

test("each transport has its own level and format", () => {
  lines().errors.length = 0;
  log.info("not written");
  log.error("nor is this");
  log.warn("careful", new Error("a cause"));
  log.error(new Error("alone"));
  expect(lines().errors).toEqual(["warn: careful a cause"]);
});

test("in a configured format, the stack of an error is a field", () => {
  const records: Body[] = [];
  const format = { transform: (record: object) => records.push(record) < 0 };
  const own = createLog("info", { format, defaultMeta: { service: "cms" }, levels: { audit: 0 } });
  own.error(new Error("alone"));
  own.warn("after", new TypeError("a text"));
  (own as Body).audit("a level of the project's");
  expect(records).toMatchObject([
    { level: "error", message: "alone", stack: expect.stringMatching(/^Error: alone\n +at /), service: "cms" },
    { level: "warn", message: "after a text", stack: expect.stringMatching(/^TypeError: a text\n +at /) },
    { level: "audit", message: "a level of the project's" },
  ]);
});

test("credentials in URLs, and in errors, are left out", () => {
  lines().all.length = 0;
  const error = new Error('cannot call /a?token=hushhush: {"password":"hushhush"}');
  log.info("GET /api/notes?token=hushhush", { next: "/b?token=hushhush" });
  log.error(error);
  log.error("sent", error);
  expect(lines().all).toHaveLength(3);
  expect(lines().all.join("")).not.toContain("hushhush");
  expect(error.message).toContain("hushhush");
});

test("a transport that cannot write ends nothing, and transports end with the code", async () => {
  const { winston } = require("@strapi/logger") as typeof import("@strapi/logger");
  const errors = spyOn(console, "error").mockImplementation(() => {});
  const transport = new winston.transports.Stream({ stream: new Writable() });
  const close = mock();
  transport.close = close;
  const own = createLog("info", { transports: transport, exitOnError: true });
  expect(own).toMatchObject({ exitOnError: false });
  transport.emit("error", new Error("the disk is full"));
  expect(errors.mock.calls.flat().join()).toContain("the disk is full");
  own.close();
  expect(close).toHaveBeenCalledTimes(1);
  own.info("later");
  expect(errors).toHaveBeenCalledTimes(1);
  errors.mockRestore();
});

test.each([
  ["is closed", "module.exports = {};"],
  ["cannot be parsed", "module.exports = {"],
  ["fails", 'throw new Error("broken");'],
  ["fails in bootstrap", 'module.exports = { bootstrap() { throw new Error("broken"); } };'],
])("transports end with code that %s", async (_, index) => {
  const closed: string[] = [];
  Object.assign(globalThis, { transportClosed: () => closed.push("closed") });
  const opened = await testApp({
    ...typeFile("note", { title: { type: "string" } }),
    "config/logger.js": `
      const { winston } = require("@strapi/logger");
      const transport = new winston.transports.Stream({ stream: new (require("node:stream").Writable)() });
      transport.close = globalThis.transportClosed;
      module.exports = { transports: [transport] };`,
    "src/index.js": index,
  }).catch(() => undefined);
  await opened?.close();
  expect(closed).toEqual(["closed"]);
});

test("code finds the level and the transports", () => {
  expect([log.level, log.transports.length, log.isLevelEnabled("debug")]).toEqual(["verbose", 2, false]);
});

test.each([
  ["transports that are none", `module.exports = { transports: [{ host: "logs" }] };`],
  ["an error", `module.exports = () => { throw new Error("no package"); };`],
])("a file with %s keeps nothing from being logged", (_, file) => {
  const { root, remove } = projectFolder({ "config/logger.js": file });
  try {
    const own = createLoadingStrapi(root, {}).log;
    expect([own.isConfigured, typeof own.info]).toEqual([false, "function"]);
  } finally {
    remove();
  }
});
