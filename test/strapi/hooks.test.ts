/** Hooks of a project around documents and rows: which run, how often, with what, and what their errors do. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type Body, configFile, type TestApp, testApp, typeFile } from "../project.ts";

const trace = `
  const seen = (globalThis.hookTrace ??= []);
  const push = (line) => seen.push(line);`;

const files = {
  ...configFile({ roles: { public: ["api::note.note.*", "api::page.page.*"] } }),
  ...typeFile(
    "note",
    { title: { type: "string" }, url: { type: "string", required: true, unique: true }, n: { type: "integer" } },
    { draftAndPublish: true },
  ),
  ...typeFile("page", {
    title: { type: "string" },
    slug: { type: "uid", targetField: "title", required: true },
    parent: { type: "relation", relation: "manyToOne", target: "api::page.page" },
    note: { type: "relation", relation: "manyToOne", target: "api::note.note" },
  }),
  "src/api/note/content-types/note/lifecycles.js": `${trace}
    const { errors } = require("@strapi/utils");
    const names = ["beforeCreate", "afterCreate", "beforeUpdate", "afterUpdate", "beforeDelete", "afterDelete"];
    module.exports = Object.fromEntries(names.map((name) => [name, (event) => {
      const { data, where } = event.params;
      push({ by: "file", name, keys: Object.keys(event), data: data && { ...data }, where, state: { ...event.state }, published: (event.result ?? data ?? {}).publishedAt });
      event.state.from = name;
      if (name === "beforeCreate") {
        if (!data.url) data.url = "made-" + data.title;
        if (data.title === "moved" && data.publishedAt) return strapi.documents("api::note.note").delete({ documentId: data.documentId });
        if (data.title === "states") throw Object.assign(new Error("taken"), { status: 409 });
        if (data.title === "number") data.n = " 7 ";
        if (data.title === "no number") data.n = "x";
        if (data.title === "plain") throw new Error("plain");
        if (data.title === "second" && data.publishedAt) throw new errors.ApplicationError("not public");
        if (data.title === "yup") throw new errors.YupValidationError({ value: 5, path: "startTime", message: "wrong time", inner: [] }, "There was a validation error");
      }
      if (name === "afterCreate" && data.title === "late") throw new errors.ApplicationError("late", { foo: 1 });
    }]));`,
  "src/api/page/content-types/page/lifecycles.js": `
    module.exports = { beforeCreate({ params }) { if (!params.data.slug) params.data.slug = "made"; } };`,
  "src/index.js": `${trace}
    const { errors } = require("@strapi/utils");
    module.exports = {
      register({ strapi }) {
        strapi.documents.use(async (context, next) => {
          push({ by: "documents", name: context.action, uid: context.uid, type: context.contentType.uid, params: { ...context.params } });
          if (context.params.data?.title === "invalid") throw new errors.ValidationError("no such title");
          if (context.params.data?.title === "typeless") context.params.data.title.x.y;
          const result = await next();
          if (["delete", "publish"].includes(context.action)) push({ by: "documents", name: "result", keys: Object.keys(result) });
          return result;
        });
      },
      bootstrap({ strapi }) {
        strapi.db.lifecycles.subscribe({ models: ["api::note.note"], beforeCreate: (event) => push({ by: "object", name: event.action, uid: event.model.uid }) });
        strapi.db.lifecycles.subscribe((event) => { if (event.model.uid === "api::note.note") push({ by: "function", name: event.action }); });
      },
    };`,
};

let app: TestApp;
beforeAll(async () => {
  app = await testApp(files);
});
afterAll(() => app.close());

const trail = (globalThis as unknown as { hookTrace: Body[] }).hookTrace ?? [];
(globalThis as unknown as { hookTrace: Body[] }).hookTrace = trail;
beforeEach(() => {
  trail.length = 0;
});
const by = (who: string): Body[] => trail.filter((line) => line.by === who);
const post = (data: object, type = "notes") => app.call("POST", `/api/${type}`, { data }, {});
const total = async (type = "notes"): Promise<number> =>
  (await app.call("GET", `/api/${type}?status=draft`, undefined, {})).body.meta.pagination.total;

describe("creation of a type with drafts", () => {
  test("is one action of documents, and two rows of hooks", async () => {
    const { status, body } = await post({ title: "first", url: "u1" });
    expect(status).toBe(201);
    const [action] = by("documents").filter(({ uid }) => uid === "api::note.note");
    expect(action).toMatchObject({ name: "create", type: "api::note.note", params: { status: "published" } });
    const rows = by("file").filter(({ name }) => name.endsWith("Create"));
    expect(rows.map(({ name, published }) => [name, published !== null])).toEqual([
      ["beforeCreate", false],
      ["afterCreate", false],
      ["beforeCreate", true],
      ["afterCreate", true],
    ]);
    expect(Object.keys(rows[0].data).sort()).toEqual(["createdAt", "publishedAt", "title", "updatedAt", "url"]);
    expect(rows[2].data).toMatchObject({ documentId: body.data.documentId, createdBy: null, title: "first", n: null });
    expect(rows[0].keys.sort()).toEqual(["action", "model", "params", "state"]);
    expect(rows[1].keys.sort()).toEqual(["action", "model", "params", "result", "state"]);
    expect(rows.map(({ state }) => state)).toEqual([{}, { from: "beforeCreate" }, {}, { from: "beforeCreate" }]);
  });

  test("passes documents first, then the file, then subscribers", async () => {
    await post({ title: "order", url: "order" });
    const order = trail
      .filter(({ by: who, name }) => who === "documents" || name === "beforeCreate")
      .map(({ by }) => by);
    expect(order.slice(0, 4)).toEqual(["documents", "file", "object", "function"]);
    expect(by("function").map(({ name }) => name)).toEqual(
      expect.arrayContaining(["beforeCreate", "afterCreate", "beforeFindOne", "afterFindOne"]),
    );
  });

  test("asks nothing of the draft, and hooks may fill in what publication needs", async () => {
    const { status, body } = await post({ title: "hole" });
    expect([status, body.data.url]).toEqual([201, "made-hole"]);
    const again = await post({ title: "hole" });
    expect(again.body.error).toMatchObject({ status: 400, message: "This attribute must be unique" });
    expect(again.body.error.details.errors[0].value).toBe("made-hole");
  });
});

test("an update changes the draft and makes the published row anew", async () => {
  const { body } = await post({ title: "up", url: "up" });
  trail.length = 0;
  const updated = await app.call("PUT", `/api/notes/${body.data.documentId}`, { data: { n: 2 } }, {});
  expect(updated.body.data.n).toBe(2);
  expect(by("documents")[0].name).toBe("update");
  expect(by("documents").map(({ name }) => name)).not.toContain("publish");
  expect(by("file").map(({ name }) => name)).toEqual([
    "beforeUpdate",
    "afterUpdate",
    "beforeDelete",
    "afterDelete",
    "beforeCreate",
    "afterCreate",
  ]);
  expect(Object.keys(by("file")[0].where)).toEqual(["id"]);
});

test("errors with a status of their own have no details", async () => {
  const { status, body } = await app.call("POST", "/api/notes", { data: { title: "states" } });
  expect([status, body.error]).toEqual([409, { status: 409, name: "Error", message: "taken" }]);
});

test("values of hooks are converted to those of their columns", async () => {
  const create = (title: string) => app.call("POST", "/api/notes", { data: { title } });
  expect((await create("number")).body.data.n).toBe(7);
  expect((await create("no number")).status).toBe(500);
});

test("a hook of a publication that deletes the document leaves the published version", async () => {
  const created = await app.call("POST", "/api/notes", { data: { title: "moved", n: 3 } });
  expect(created).toMatchObject({ status: 201, body: { data: { title: "moved", url: "made-moved", n: 3 } } });
  const { documentId } = created.body.data;
  expect((await app.call("GET", `/api/notes/${documentId}`)).body.data).toMatchObject({ title: "moved", n: 3 });
  expect((await app.call("GET", `/api/notes/${documentId}?status=draft`)).status).toBe(404);
});

test("a relation that hooks leave alone leads to the draft and to the published version", async () => {
  const note = (await post({ title: "target", url: "target" })).body.data.documentId;
  const data = { title: "source", slug: "source", note };
  const made = (await app.call("POST", "/api/pages?populate=note", { data }, {})).body.data;
  expect(made.note.publishedAt).not.toBeNull();
  const page = made.documentId;
  const read = async (query: string): Promise<Body> =>
    (await app.call("GET", `/api/pages/${page}?populate=note${query}`, undefined, {})).body.data.note?.title;
  expect([await read(""), await read("&status=draft")]).toEqual(["target", "target"]);
});

test("a deletion finds the versions and deletes all of them before the first after-hook", async () => {
  const { body } = await post({ title: "down", url: "down" });
  trail.length = 0;
  expect((await app.call("DELETE", `/api/notes/${body.data.documentId}`, undefined, {})).status).toBe(204);
  expect(by("file").map(({ name }) => name)).toEqual(["beforeDelete", "beforeDelete", "afterDelete", "afterDelete"]);
  expect(by("documents").at(-1)).toEqual({ by: "documents", name: "result", keys: ["documentId", "entries"] });
  expect(by("function").map(({ name }) => name)).toContain("beforeFindMany");
});

test("a list is findMany and count", async () => {
  await app.call("GET", "/api/notes", undefined, {});
  expect(by("documents").map(({ name }) => name)).toEqual(["findMany", "count"]);
});

describe("errors", () => {
  test("of the second row take back the first", async () => {
    const before = await total();
    expect((await post({ title: "second", url: "second" })).body.error).toEqual({
      status: 400,
      name: "ApplicationError",
      message: "not public",
      details: {},
    });
    expect(await total()).toBe(before);
  });

  test("plain ones are 500 without details", async () => {
    const { status, body } = await post({ title: "plain", url: "plain" });
    expect([status, body.error]).toEqual([
      500,
      { status: 500, name: "InternalServerError", message: "Internal Server Error" },
    ]);
  });

  test("of a hook after the write take it back, too", async () => {
    const before = await total();
    expect((await post({ title: "late", url: "late" })).body.error).toMatchObject({
      message: "late",
      details: { foo: 1 },
    });
    expect(await total()).toBe(before);
  });

  test("of yup are told path by path, over GraphQL as bad input", async () => {
    const { body } = await post({ title: "yup", url: "yup" });
    const problem = { path: ["startTime"], message: "wrong time", value: 5 };
    expect(body.error).toMatchObject({ status: 400, name: "ValidationError", message: "There was a validation error" });
    expect(body.error.details.errors).toEqual([problem]);
    const mutation = (title: string) =>
      app.call(
        "POST",
        "/graphql",
        { query: `mutation { createNote(data: { title: "${title}", url: "g" }) { title } }` },
        {},
      );
    const graphql = await mutation("yup");
    expect([graphql.status, graphql.body.errors[0].extensions.code]).toEqual([200, "BAD_USER_INPUT"]);
    expect((await mutation("late")).body.errors[0].extensions.code).toBe("STRAPI_APPLICATION_ERROR");
  });

  test("of middlewares of documents come before validation", async () => {
    expect((await post({ title: "invalid" }, "pages")).body.error).toMatchObject({
      status: 400,
      name: "ValidationError",
      message: "no such title",
    });
    expect((await post({ title: "typeless" }, "pages")).status).toBe(500);
  });
});

describe("without drafts", () => {
  test("what is required is asked for before hooks run", async () => {
    const { body } = await post({ title: "t" }, "pages");
    expect(body.error).toMatchObject({ status: 400, message: "slug must be defined." });
    expect((await post({ title: "t", slug: "" }, "pages")).body.data.slug).toBe("made");
  });
});

test("unknown parameters and populate reach documents as they were sent", async () => {
  await app.call("GET", "/api/pages?populateDynamicZone=content&populate=parent", undefined, {});
  expect(by("documents")[0].params).toMatchObject({ populateDynamicZone: "content", populate: "parent" });
});

test("parameters of database queries are none of documents, also where hooks see the query", async () => {
  await using own = await testApp({
    ...typeFile("note", { title: { type: "string" } }),
    "src/api/note/content-types/note/lifecycles.js": "module.exports = { beforeFindMany() {} };",
    "src/index.js": `module.exports = {
      async bootstrap({ strapi }) {
        const notes = strapi.documents("api::note.note");
        for (const title of ["One", "Two"]) await notes.create({ data: { title } });
        const read = await notes.findMany({ orderBy: { id: "desc" }, where: { title: "Two" }, offset: 1, select: ["id"] });
        globalThis.readNotes = read.map(({ title }) => title);
      },
    };`,
  });
  await own.call("GET", "/api/notes");
  expect((globalThis as unknown as { readNotes: unknown }).readNotes).toEqual(["One", "Two"]);
});

test("hooks on users see the role of a user whom REST has written", async () => {
  const subscription = `{
    models: ["plugin::users-permissions.user"],
    afterCreate: ({ result }) => globalThis.rolesSeen.push(result.role.type),
    afterUpdate: ({ result }) => globalThis.rolesSeen.push(result.role.type),
  }`;
  await using own = await testApp({
    ...configFile({
      roles: { public: ["plugin::users-permissions.auth.register", "plugin::users-permissions.user.*"] },
    }),
    "src/index.js": `module.exports = { bootstrap({ strapi }) {
      globalThis.rolesSeen = [];
      strapi.db.lifecycles.subscribe(${subscription});
    } };`,
  });
  const ida = { username: "ida", email: "ida@example.com", password: "Passw0rd", role: 2 };
  const { body } = await own.call("POST", "/api/users", ida, {});
  await own.call("PUT", `/api/users/${body.id}`, { username: "ida2" }, {});
  const max = { username: "max", email: "max@example.com", password: "Passw0rd" };
  await own.call("POST", "/api/auth/local/register", max, {});
  expect(globalThis).toMatchObject({ rolesSeen: ["public", "public", "authenticated"] });
});

test("what a middleware of documents does not return is not found, and a deletion has its id", async () => {
  const app = await testApp({
    ...typeFile("note", { title: { type: "string" } }),
    "src/index.js": `module.exports = { register({ strapi }) {
      strapi.documents.use(async (context, next) => {
        const result = await next();
        if (context.action === "create") return result;
      });
    } };`,
  });
  const create = async () => (await app.call("POST", "/api/notes", { data: { title: "a" } })).body.data.documentId;
  const id = await create();
  expect((await app.call("GET", `/api/notes/${id}`)).status).toBe(404);
  expect((await app.call("PUT", `/api/notes/${id}`, { data: { title: "b" } })).status).toBe(404);
  const query = `mutation { deleteNote(documentId: "${id}") { documentId } }`;
  expect((await app.call("POST", "/graphql", { query })).body.data.deleteNote).toEqual({ documentId: id });
  await app.close();
});
