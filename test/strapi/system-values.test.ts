/** System attributes that a project's code sets: stored as they are, but only for code, and never silently ignored. */
import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { configFile, type TestApp, testApp, typeFile } from "../project.ts";

const localized = { pluginOptions: { i18n: { localized: true } } };
const files = {
  ...configFile({
    roles: { public: ["api::note.note.*", "api::word.word.*"] },
    locales: [{ code: "en", isDefault: true }, { code: "fr" }],
  }),
  ...typeFile("note", {
    title: { type: "string" },
    related: { type: "relation", relation: "manyToMany", target: "api::note.note" },
  }),
  ...typeFile("word", { title: { type: "string", ...localized } }, { draftAndPublish: true, localized: true }),
  "src/api/note/content-types/note/lifecycles.js": `
    module.exports = { beforeCreate({ params: { data } }) {
      if (data.title === "old") data.createdAt = "2001-02-03T04:05:06Z";
      if (data.title === "invalid") data.createdAt = "abc";
      if (data.title === "null") Object.assign(data, { documentId: null, createdAt: null });
      if (data.title === "french") data.locale = "fr";
    } };`,
  "src/index.js": `module.exports = { bootstrap({ strapi }) { globalThis.systemValuesStrapi = strapi; } };`,
};

interface Strapi {
  readonly documents: (uid: string) => Record<string, (params?: object) => Promise<Record<string, unknown>>>;
  readonly db: {
    readonly query: (uid: string) => Record<string, (params?: object) => Promise<Record<string, unknown>>>;
    readonly connection: (table: string) => { readonly select: (...names: string[]) => PromiseLike<unknown[]> };
  };
}

let app: TestApp;
let strapi: Strapi;
beforeAll(async () => {
  app = await testApp(files);
  strapi = (globalThis as unknown as { systemValuesStrapi: Strapi }).systemValuesStrapi;
});
afterAll(() => app.close());

const post = (title: string, more: object = {}) => app.call("POST", "/api/notes", { data: { title, ...more } }, {});

describe("requests", () => {
  test("show what hooks have set", async () => {
    const { status, body } = await post("old");
    expect([status, body.data.createdAt]).toEqual([201, "2001-02-03T04:05:06.000Z"]);
    const { body: found } = await app.call("GET", "/api/notes?filters[createdAt][$lt]=2002-01-01", undefined, {});
    expect(found.data.map(({ title }: { title: string }) => title)).toEqual(["old"]);
  });

  test("get the error of an invalid time, and store nothing", async () => {
    const { status, body } = await post("invalid");
    expect([status, body.error.name, body.error.message]).toEqual([
      400,
      "ValidationError",
      "Invalid format, expected a timestamp or an ISO date",
    ]);
    expect(await strapi.documents("api::note.note").count!({ filters: { title: "invalid" } })).toBe(0 as never);
  });

  test.each(["id", "documentId", "createdAt", "updatedAt", "createdBy"])("cannot set %s themselves", async (name) => {
    const { status, body } = await post("mine", { [name]: name === "documentId" ? "mine" : 1 });
    expect([status, body.error.message]).toEqual([400, `Invalid key ${name}`]);
  });
});

describe("values that Galley does not store", () => {
  test("are replaced, with a warning", async () => {
    const warn = spyOn(console, "error").mockImplementation(() => {});
    const { body } = await post("null");
    expect(body.data.documentId).toMatch(/^[a-z][a-z0-9]{23}$/);
    expect(body.data.createdAt).toMatch(/^20\d\d-/);
    await post("null");
    await post("french");
    const lines = warn.mock.calls.flat();
    warn.mockRestore();
    expect(lines).toEqual([
      "warn: api::note.note: code sets documentId to null, which Galley replaces by a value",
      "warn: api::note.note: code sets createdAt to null, which Galley replaces by a value",
      "warn: api::note.note: code sets a locale, which Galley does not store for types that are not localized",
    ]);
  });
});

describe("ids of rows", () => {
  test("are those of the data, and the next row follows", async () => {
    const notes = strapi.db.query("api::note.note");
    expect(await notes.create!({ data: { id: 700, title: "own id" } })).toMatchObject({ id: 700, title: "own id" });
    expect(await notes.create!({ data: { title: "next" } })).toMatchObject({ id: 701 });
    expect(notes.create!({ data: { id: 700 } })).rejects.toThrow("UNIQUE constraint failed");
    expect(notes.create!({ data: { id: "x" } })).rejects.toThrow("Invalid id, expected a string or integer, got x");
  });

  test("change only without links", async () => {
    const notes = strapi.db.query("api::note.note");
    await notes.create!({ data: { id: 800, title: "alone" } });
    expect(await notes.update!({ where: { id: 800 }, data: { id: 801 } })).toBeNull();
    expect(await notes.findOne!({ where: { title: "alone" } })).toMatchObject({ id: 801 });
    await notes.create!({ data: { id: 810, title: "linked", related: [801] } });
    for (const id of [801, 810])
      expect(notes.update!({ where: { id }, data: { id: 900 } })).rejects.toThrow("links or components");
  });
});

test("a document id that exists is refused", async () => {
  const notes = strapi.documents("api::note.note");
  await notes.create!({ data: { documentId: "taken" } });
  expect(notes.create!({ data: { documentId: "taken" } })).rejects.toThrow("This combination must be unique");
});

test("a row without a locale is in no locale, but in all of them together, and in SQL", async () => {
  const words = strapi.db.query("api::word.word");
  const { id } = await words.create!({ data: { title: "nowhere", publishedAt: new Date() } });
  expect(await words.findOne!({ where: { id } })).toMatchObject({ title: "nowhere", locale: null });
  const list = async (locale: string) =>
    (await app.call("GET", `/api/words?locale=${locale}`, undefined, {})).body.meta.pagination.total;
  expect([await list("en"), await list("fr"), await list("*")]).toEqual([0, 0, 1]);
  expect(await strapi.db.connection("words").select("title", "locale")).toEqual([{ title: "nowhere", locale: null }]);
});

test("queries of many rows leave updatedAt as it is", async () => {
  const notes = strapi.db.query("api::note.note");
  const { id, updatedAt } = await notes.create!({ data: { title: "many", updatedAt: "2001-02-03T04:05:06Z" } });
  await notes.updateMany!({ where: { id }, data: { title: "changed" } });
  expect([updatedAt, (await notes.findOne!({ where: { id } })).updatedAt]).toEqual(
    Array(2).fill("2001-02-03T04:05:06.000Z"),
  );
});

describe("localizations of a row", () => {
  type Row = Readonly<Record<string, unknown>>;
  const shown = (rows: unknown) =>
    (rows as Row[]).map(({ title, locale, publishedAt }) => [title, locale, publishedAt !== null]);

  test("are all other rows of its document", async () => {
    const words = strapi.documents("api::word.word");
    const rows = strapi.db.query("api::word.word");
    const { documentId } = await words.create!({ data: { title: "one" }, status: "published" });
    const english = async () => {
      const where = { documentId, locale: "en", publishedAt: null };
      return shown((await rows.findOne!({ where, populate: { localizations: true } })).localizations);
    };
    const published = ["one", "en", true];
    expect(await english()).toEqual([published]);
    await words.update!({ documentId, locale: "fr", data: { title: "un" }, status: "published" });
    expect(await english()).toEqual([published, ["un", "fr", false], ["un", "fr", true]]);

    const document = await words.findOne!({ documentId, populate: ["localizations"] });
    expect(shown(document.localizations)).toEqual([["un", "fr", false]]);
    // rows that are read together are not localizations of each other
    const all: unknown = await rows.findMany!({ where: { documentId }, populate: ["localizations"] });
    expect((all as Row[]).map(({ localizations }) => localizations)).toEqual([[], [], [], []]);
  });
});
