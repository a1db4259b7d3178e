/** The global `strapi` while the files of a project are loaded. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { configFile, serviceFile, type TestApp, testApp, typeFile } from "../project.ts";

let app: TestApp;

/** Reports how an expression ends. */
const tried = (expression: string): string =>
  `(() => { try { return ${expression}; } catch (error) { return error.message; } })()`;

beforeAll(async () => {
  app = await testApp({
    ...configFile({ roles: { public: [] } }),
    ...typeFile("note", { title: { type: "string" } }),
    ...serviceFile("note"),
    "package.json": JSON.stringify({ name: "p", strapi: { uuid: "a-b", installId: "c", other: 1 } }),
    "config/own.js": "module.exports = { word: 'from a file' };",
    "src/index.js": `
      strapi.own = "kept";
      strapi.config.set("own.set", 7);
      module.exports = { register({ strapi: given }) { given.isSame = given === strapi; } };`,
    "src/api/note/routes/own.js": `module.exports = { routes: ["kept", "seen", "later", "changed"].map((name) => (
      { method: "GET", path: "/" + name, handler: "own." + name, config: { auth: false } })) };`,
    "src/api/note/controllers/own.js": `
      const { documents, db, plugin, eventHub } = strapi;
      const { query } = strapi.db;
      const store = strapi.store({ type: "plugin", name: "own" });
      const heard = [];
      eventHub.on("own.event", (value) => void heard.push(value));
      const word = strapi.config.get("own.word");
      const seen = {
        types: [typeof strapi.log.info, typeof documents, typeof db, typeof strapi.db.query, typeof strapi.service],
        empty: [strapi.service("api::note.note") ?? null, plugin("upload") ?? null, Object.keys(strapi.contentTypes)],
        documents: ${tried(`documents("api::note.note")`)},
        query: ${tried(`strapi.db.query("api::note.note").findMany()`)},
      };
      module.exports = {
        changed() {
          const whole = strapi.config.set("own.more.deep", 8).set("own.last", 9);
          const { get } = strapi.config;
          return [whole === strapi.config, get("own.more.deep"), get("own.last"), whole.own.word, ...["uuid", "installId", "packageJsonStrapi", "autoReload"].map((name) => get(name))];
        },
        kept: () => [strapi.own, strapi.isSame, strapi.config.get("own.set"), word],
        seen: () => seen,
        async later() {
          await documents("api::note.note").create({ data: { title: "a" } });
          await strapi.eventHub.emit("own.event", 1);
          await store.set({ key: "k", value: { a: 1 } });
          return [await store.get({ key: "k" }), await db.query("api::note.note").count(), await query("api::note.note").count(), typeof plugin("upload").service, heard];
        },
      };`,
  });
});
afterAll(() => app.close());

const answers: Readonly<Record<string, unknown>> = {
  kept: ["kept", true, 7, "from a file"],
  seen: {
    types: ["function", "function", "object", "function", "function"],
    empty: [null, null, []],
    documents: "strapi.documents() cannot be called while files are loaded",
    query: "strapi.db.query() cannot be called while files are loaded",
  },
  later: [{ a: 1 }, 1, 1, "function", [1]],
  changed: [true, 8, 9, "from a file", "a-b", "c", { installId: "c", other: 1 }, true],
};
for (const [name, answer] of Object.entries(answers)) {
  test(`what a file uses at its top: ${name}`, async () => {
    expect(await app.call("GET", `/api/${name}`)).toEqual({ status: 200, body: answer });
  });
}
