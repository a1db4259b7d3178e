/** `strapi.documents` has cached results for reads that repeat. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { configFile, serviceFile, type TestApp, testApp, typeFile } from "../project.ts";

const UID = "api::note.note";

/** What an action returns, as source. Each is requested several times. */
const actions: Readonly<Record<string, string>> = {
  list: `async () => ({ rows: await notes().findMany({ sort: "title" }) })`,
  change: `async () => {
    const rows = await notes().findMany({ sort: "title" });
    for (const row of rows) { row.title += "!"; row.tags.push("x"); }
    return { rows };
  }`,
  twice: `async () => {
    const [one, other] = [await notes().findMany({ sort: "title" }), await notes().findMany({ sort: "title" })];
    return { isShared: one === other || one[0] === other[0] || one[0].tags === other[0].tags };
  }`,
  write: `async (ctx) => {
    const before = await notes().count();
    await notes().create({ data: { title: ctx.query.title, tags: [] } });
    return { added: (await notes().count()) - before };
  }`,
  transaction: `async (ctx) => strapi.db.transaction(async () => {
    const counts = [];
    for (const time of [1, 2, 3]) {
      for (const again of [1, 2, 3]) await notes().findMany({});
      await notes().create({ data: { title: ctx.query.title + time, tags: [] } });
      counts.push((await notes().findMany({})).length);
    }
    return { counts };
  })`,
  rollback: `async () => {
    const read = async () => (await notes().findMany({ fields: ["title"] })).length;
    const before = await read();
    let inside;
    await strapi.db.transaction(async () => {
      for (const again of [1, 2, 3]) await read();
      await notes().create({ data: { title: "gone", tags: [] } });
      inside = await read();
      throw new Error("rolled back");
    }).catch(() => undefined);
    return { inside: inside - before, after: (await read()) - before };
  }`,
  raw: `async () => {
    await notes().findMany({ fields: ["title"] });
    await strapi.db.connection("notes").where({ title: "a" }).update({ title: "c" });
    const titles = (await notes().findMany({ fields: ["title"], sort: "title" })).map((row) => row.title);
    await strapi.db.connection("notes").where({ title: "c" }).update({ title: "a" });
    return { titles };
  }`,
  dates: `async (ctx) => {
    const counts = [];
    for (const year of [2000, 2100]) counts.push(await notes().count({ filters: { createdAt: { $gt: new Date(year, 1) } } }));
    return { counts };
  }`,
};

const files = {
  ...configFile({ roles: { public: ["*"] } }),
  ...serviceFile("note"),
  ...typeFile("note", { title: { type: "string" }, tags: { type: "json" }, pin: { type: "string", private: true } }),
  "src/api/note/controllers/note.js": `const notes = () => strapi.documents("${UID}");
module.exports = { ${Object.entries(actions).map(([name, source]) => `${name}: ${source}`)} };`,
  "src/api/note/routes/note.js": `module.exports = { routes: ${JSON.stringify(
    Object.keys(actions).map((name) => ({
      method: "GET",
      path: `/own/${name}`,
      handler: `note.${name}`,
      config: { auth: false },
    })),
  )} };`,
};

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ ...files });
});
beforeEach(async () => {
  await app.reset();
  for (const title of ["a", "b"]) await app.documents(UID).create({ data: { title, tags: ["t"], pin: "1" } });
});
afterAll(() => app.close());

const TIMES = 5;
const get = async (path: string) => (await app.call("GET", `/api/own/${path}`, undefined, {})).body;

test("a list is the same each time, and code may change it", async () => {
  for (let time = 0; time < TIMES; time++) {
    const { rows } = await get("list");
    expect(rows).toMatchObject([
      { title: "a", tags: ["t"], pin: "1" },
      { title: "b", tags: ["t"], pin: "1" },
    ]);
    expect((await get("change")).rows).toMatchObject([
      { title: "a!", tags: ["t", "x"] },
      { title: "b!", tags: ["t", "x"] },
    ]);
    expect(await get("twice")).toEqual({ isShared: false });
  }
});

test("writes, also those of statements and in transactions, are in the next result", async () => {
  for (let time = 0; time < TIMES; time++) {
    expect(await get(`write?title=w${time}`)).toEqual({ added: 1 });
    const { length } = (await get("list")).rows;
    expect(await get(`transaction?title=t${time}`)).toEqual({ counts: [length + 1, length + 2, length + 3] });
    expect((await get("list")).rows).toHaveLength(length + 3);
    expect(await get("rollback")).toEqual({ inside: 1, after: 0 });
    expect((await get("raw")).titles).toContain("c");
    expect((await get("list")).rows[0].title).toBe("a");
  }
});

test("parameters that JSON does not show are not confused", async () => {
  for (let time = 0; time < TIMES; time++) expect(await get("dates")).toEqual({ counts: [2, 0] });
});
