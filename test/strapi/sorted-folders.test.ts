/** The order of the files of a folder in own code. Expected: what Node.js returns. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type TestApp, testApp, typeFile } from "../project.ts";

// the order of a file system is another one than both that of names and that in which they were made
const names = Array.from({ length: 60 }, (_, index) => `${(index * 37) % 60}-seed.json`);
const sorted = [...names].sort();
let app: TestApp;

beforeAll(async () => {
  app = await testApp({
    ...typeFile("note", { title: { type: "string" } }),
    ...Object.fromEntries(names.map((name) => [`data/seeds/${name}`, "{}"])),
    "data/seeds/0-more/b.json": "{}",
    "data/seeds/0-more/a.json": "{}",
    "src/api/note/routes/list.js":
      'module.exports = { routes: [{ method: "GET", path: "/list/:how", handler: "list.run", config: { auth: false } }] };',
    "src/api/note/controllers/list.js": `const fs = require("fs");
      const { promisify } = require("util");
      const { readdir } = require("fs/promises");
      const folder = require("path").join(__dirname, "../../../../data/seeds");
      const lists = {
        sync: () => fs.readdirSync(folder),
        entries: () => fs.readdirSync(folder, { withFileTypes: true }).map(({ name }) => name),
        buffers: () => fs.readdirSync(folder, "buffer").map(String),
        promise: () => readdir(folder),
        callback: () => promisify(fs.readdir)(folder),
        recursive: () => fs.readdirSync(folder, { recursive: true }).filter((name) => !/^\\d+-seed/.test(name)),
        missing: () => promisify(fs.readdir)(folder + "/none").catch(({ code }) => [code]),
      };
      module.exports = { run: async (ctx) => { ctx.body = { list: await lists[ctx.params.how]() }; } };`,
  });
});
afterAll(() => app.close());

const all = ["0-more", ...sorted];
test.each([
  ["sync", all],
  ["entries", all],
  ["buffers", all],
  ["promise", all],
  ["callback", all],
  ["recursive", ["0-more", "0-more/a.json", "0-more/b.json"]],
  ["missing", ["ENOENT"]],
])("%s lists are sorted", async (how, expected) => {
  expect((await app.call("GET", `/api/list/${how}`)).body).toEqual({ list: expected });
});
