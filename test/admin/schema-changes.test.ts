/** Changes of types as the page makes them: looked at first, with numbers, and with renames that keep values. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { signInLink } from "../../src/admin/session/session.ts";
import { createGalley, type Galley } from "../../src/index.ts";
import { type Body, componentFile, configFile, createCall, projectFolder, type TestApp, typeFile } from "../project.ts";

const KEY = "a key for tests";
const ADDRESS = "http://localhost:1337";
const part = {
  collectionName: "components_page_parts",
  info: { displayName: "Part" },
  attributes: { words: { type: "string" } },
};
const folder = projectFolder({
  ...typeFile("author", {
    name: { type: "string" },
    notes: { type: "relation", relation: "oneToMany", target: "api::note.note", mappedBy: "writer" },
  }),
  ...typeFile("note", {
    text: { type: "string" },
    slug: { type: "uid", targetField: "text" },
    size: { type: "string" },
    writer: { type: "relation", relation: "manyToOne", target: "api::author.author", inversedBy: "notes" },
    parts: { type: "component", component: "page.part", repeatable: true },
  }),
  ...typeFile("leaflet", { blocks: { type: "dynamiczone", components: ["page.part", "page.rule"] } }),
  "src/components/page/part.json": JSON.stringify(part),
  ...componentFile("page.rule", { width: { type: "integer" } }),
  ...configFile({
    locales: [
      { code: "en", name: "English", isDefault: true },
      { code: "fr", name: "French" },
    ],
    tokens: [{ name: "admin", type: "admin", key: "an-admin-token" }],
  }),
});
const NOTE = "api::note.note";

let galley: Galley;
let admin: TestApp["call"];
let page: TestApp["call"];

const schemaFile = (name: string): Body =>
  JSON.parse(readFileSync(join(folder.root, `src/api/${name}/content-types/${name}/schema.json`), "utf8"));

beforeAll(async () => {
  const environment = { ADMIN_JWT_SECRET: KEY };
  galley = await createGalley({ project: folder.root, memory: false, admin: true, environment });
  admin = createCall(galley, { authorization: "Bearer an-admin-token" });
  const host = { host: "localhost:1337", "sec-fetch-site": "same-origin", "x-galley-admin": "1" };
  const token = signInLink(ADDRESS, KEY, Date.now()).split("#")[1];
  const session = await galley.handle(
    new Request(`${ADDRESS}/admin/api/session`, {
      method: "POST",
      headers: { ...host, "content-type": "application/json" },
      body: JSON.stringify({ token }),
    }),
  );
  const cookie = session.headers.get("set-cookie")!.split(";")[0]!;
  page = createCall(galley, { ...host, cookie });
  const authors = await admin("POST", "/content-manager/collection-types/api::author.author", { name: "Ann" });
  const writer = { connect: [{ documentId: authors.body.data.documentId }] };
  for (const [text, size] of [
    ["one", "1"],
    ["two", "many"],
    ["three", null],
  ])
    await admin("POST", `/content-manager/collection-types/${NOTE}`, { text, size, writer, parts: [{ words: text }] });
});
afterAll(async () => {
  await galley.close();
  folder.remove();
});

/** The type as the builder answers it, as a body that changes nothing. */
async function currentType(uid = NOTE): Promise<Body> {
  const { body } = await admin("GET", `/content-type-builder/content-types/${uid}`);
  return body.data.schema;
}

async function changed(change: (attributes: Body) => Body, rest: object = {}): Promise<object> {
  const contentType = await currentType();
  return {
    action: "changeType",
    uid: NOTE,
    contentType: { ...contentType, attributes: change(contentType.attributes) },
    ...rest,
  };
}

const preview = async (body: object): Promise<Body> =>
  (await page("POST", "/admin/api/content-types/preview", body)).body;
const apply = (body: object) => page("POST", "/admin/api/content-types/apply", body);
const results = async (): Promise<Body[]> =>
  (await admin("GET", `/content-manager/collection-types/${NOTE}?sort=id`)).body.results;

/** The attributes with another name for one of them, in its place. */
const withName = (attributes: Body, from: string, to: string): Body =>
  Object.fromEntries(Object.entries(attributes).map(([name, attribute]) => [name === from ? to : name, attribute]));

describe("a look at a change", () => {
  test("shows files as they are and as they would be, and changes neither", async () => {
    const body = await changed((attributes) => ({ ...attributes, extra: { type: "boolean" } }));
    const { data } = await preview(body);
    expect(data.files.map(({ path }: Body) => path)).toEqual(["src/api/note/content-types/note/schema.json"]);
    expect(JSON.parse(data.files[0].before).attributes.extra).toBeUndefined();
    expect(JSON.parse(data.files[0].after).attributes.extra).toEqual({ type: "boolean" });
    expect(data.effects).toEqual([]);
    expect(schemaFile("note").attributes.extra).toBeUndefined();
  });

  test("a change that names what was looked at is refused once something else would be written", async () => {
    const body = await changed((attributes) => ({ ...attributes, mine: { type: "boolean" } }));
    const { version } = (await preview(body)).data;
    const file = join(folder.root, "src/api/note/content-types/note/schema.json");
    const before = readFileSync(file, "utf8");
    writeFileSync(file, before.replace('"text"', '"text" '));
    const { status, body: refused } = await apply({ ...body, version });
    expect([status, refused.error.name]).toEqual([412, "PreconditionFailedError"]);
    expect(readFileSync(file, "utf8")).toContain('"text" ');
    writeFileSync(file, before);
    expect((await preview(body)).data.version).toBe(version);
  });

  test("counts what would be hidden and converted", async () => {
    const body = await changed(({ text: _, parts: __, ...rest }) => ({ ...rest, size: { type: "integer" } }));
    const { data } = await preview(body);
    expect(data.effects).toEqual([
      { kind: "attributeHidden", uid: NOTE, attribute: "text", count: 3 },
      { kind: "converted", uid: NOTE, attribute: "size", types: ["string", "integer"], count: 2, lost: 1 },
      { kind: "attributeHidden", uid: NOTE, attribute: "parts", count: 3 },
    ]);
  });

  test("counts lists of which one entry would be left", async () => {
    const writer = { type: "relation", relation: "oneToOne", target: "api::author.author", inversedBy: "notes" };
    const { data } = await preview(await changed((attributes) => ({ ...attributes, writer })));
    expect(data.effects).toEqual([{ kind: "listsCut", uid: "api::author.author", attribute: "notes", count: 1 }]);
    const parts = { type: "component", component: "page.part", repeatable: false };
    const { body: note } = await admin("POST", `/content-manager/collection-types/${NOTE}`, {
      parts: [{ words: "a" }, { words: "b" }],
    });
    const single = await preview(await changed((attributes) => ({ ...attributes, parts })));
    expect(single.data.effects).toEqual([{ kind: "listsCut", uid: NOTE, attribute: "parts", count: 1 }]);
    await admin("DELETE", `/content-manager/collection-types/${NOTE}/${note.data.documentId}`);
  });

  test("counts entries of components that a dynamic zone no longer has", async () => {
    const LEAFLET = "api::leaflet.leaflet";
    const blocks = [{ __component: "page.rule", width: 1 }, { __component: "page.part" }, { __component: "page.rule" }];
    const { body: leaflet } = await admin("POST", `/content-manager/collection-types/${LEAFLET}`, { blocks });
    const contentType = await currentType(LEAFLET);
    contentType.attributes.blocks.components = ["page.part"];
    const { data } = await preview({ action: "changeType", uid: LEAFLET, contentType });
    expect(data.effects).toEqual([{ kind: "entriesHidden", uid: LEAFLET, attribute: "blocks", count: 2 }]);
    await admin("DELETE", `/content-manager/collection-types/${LEAFLET}/${leaflet.data.documentId}`);
  });

  test("counts what a removed type and component hide", async () => {
    expect((await preview({ action: "removeType", uid: NOTE })).data.effects).toContainEqual({
      kind: "typeHidden",
      uid: NOTE,
      count: 3,
    });
    const { data } = await preview({ action: "removeComponent", uid: "page.part" });
    expect(data.effects).toContainEqual({ kind: "typeHidden", uid: "page.part", count: 3 });
    expect(data.files).toContainEqual(expect.objectContaining({ path: "src/components/page/part.json", after: null }));
  });

  test("counts drafts that would be public or hidden, and versions in other locales", async () => {
    const posts = "/content-manager/collection-types/api::post.post";
    const contentType = {
      displayName: "Post",
      singularName: "post",
      pluralName: "posts",
      draftAndPublish: true,
      pluginOptions: { i18n: { localized: true } },
      attributes: { title: { type: "string", pluginOptions: { i18n: { localized: true } } } },
    };
    expect((await apply({ action: "createType", contentType })).status).toBe(200);
    for (const title of ["a", "b", "c"]) await admin("POST", posts, { title });
    const { documentId } = (await admin("GET", `${posts}?sort=id`)).body.results[0];
    await admin("POST", `${posts}/${documentId}/actions/publish`, {});
    await admin("PUT", `${posts}/${documentId}?locale=fr`, { title: "d" });
    const { data } = await preview({
      action: "changeType",
      uid: "api::post.post",
      contentType: { ...contentType, draftAndPublish: false, pluginOptions: { i18n: { localized: false } } },
    });
    expect(data.effects).toEqual([
      { kind: "draftsPublished", uid: "api::post.post", count: 3 },
      { kind: "localesHidden", uid: "api::post.post", count: 1 },
    ]);
  });

  test.each([
    ["an unknown action", { action: "toString" }, "action must be one of"],
    ["an unknown type", { action: "changeType", uid: "api::no.no" }, "contentType.notFound"],
    ["a rename of nothing", { renames: { no: "nope" } }, "there is no such attribute"],
    ["a rename to a name that is taken", { renames: { text: "size" } }, "there is an attribute size"],
    ["a rename to no name", { renames: { text: 5 } }, "must be a name"],
    [
      "a name that no attribute can have",
      { renames: { text: "a b" }, from: "text", to: "a b" },
      "must match the following regex",
    ],
  ])("%s is refused", async (_name, { from, to, ...rest }: Body, message) => {
    const body = await changed((attributes) => (from ? withName(attributes, from, to) : attributes), rest);
    const answer = await page("POST", "/admin/api/content-types/preview", body);
    expect([400, 404]).toContain(answer.status);
    expect(JSON.stringify(answer.body)).toContain(message);
  });

  test("is for the page's session alone", async () => {
    const answer = await admin("POST", "/admin/api/content-types/preview", { action: "removeType", uid: NOTE });
    expect(answer.status).toBe(401);
  });
});

describe("renames", () => {
  test("values", async () => {
    const slug = { type: "uid", targetField: "title" };
    const body = await changed((attributes) => ({ ...withName(attributes, "text", "title"), slug }), {
      renames: { text: "title" },
    });
    const { data } = await preview(body);
    expect(data.effects).toEqual([{ kind: "renamed", uid: NOTE, attribute: "title", count: 3 }]);
    expect(await apply(body)).toEqual({ status: 200, body: { data: { uid: NOTE } } });
    expect((await results()).map(({ title }) => title)).toEqual(["one", "two", "three"]);
    expect(Object.keys(schemaFile("note").attributes)).toEqual(["title", "slug", "size", "writer", "parts"]);
  });

  test("links, and the other side of a relation", async () => {
    const body = await changed((attributes) => withName(attributes, "writer", "author"), {
      renames: { writer: "author" },
    });
    expect((await preview(body)).data.effects).toEqual([{ kind: "renamed", uid: NOTE, attribute: "author", count: 3 }]);
    expect((await apply(body)).status).toBe(200);
    expect(schemaFile("author").attributes.notes).toMatchObject({ mappedBy: "author" });
    expect((await results()).map(({ author }) => author?.name)).toEqual(["Ann", "Ann", "Ann"]);
  });

  test("components", async () => {
    const body = await changed((attributes) => withName(attributes, "parts", "pieces"), {
      renames: { parts: "pieces" },
    });
    expect((await apply(body)).status).toBe(200);
    const { body: found } = await admin(
      "GET",
      `/content-manager/collection-types/${NOTE}/${(await results())[1]!.documentId}`,
    );
    expect(found.data.pieces).toMatchObject([{ words: "two" }]);
  });

  test("attributes of a component", async () => {
    const component = { ...part.info, category: "page", attributes: { text: { type: "string" } } };
    const body = { action: "changeComponent", uid: "page.part", component, renames: { words: "text" } };
    expect((await preview(body)).data.effects).toEqual([
      { kind: "renamed", uid: "page.part", attribute: "text", count: 3 },
    ]);
    expect((await apply(body)).status).toBe(200);
    const { body: found } = await admin(
      "GET",
      `/content-manager/collection-types/${NOTE}/${(await results())[0]!.documentId}`,
    );
    expect(found.data.pieces).toMatchObject([{ text: "one" }]);
  });

  test("attributes of a component that is moved at the same time, and back", async () => {
    const moves = [
      ["page.part", "text", "other", "line"],
      ["other.part", "line", "page", "text"],
    ] as const;
    for (const [uid, before, category, after] of moves) {
      const component = { ...part.info, category, attributes: { [after]: { type: "string" } } };
      const body = { action: "changeComponent", uid, component, renames: { [before]: after } };
      expect((await preview(body)).data.effects).toMatchObject([{ kind: "renamed", attribute: after, count: 3 }]);
      expect((await apply(body)).status).toBe(200);
      const path = `/content-manager/collection-types/${NOTE}/${(await results())[0]!.documentId}`;
      expect((await admin("GET", path)).body.data.pieces).toMatchObject([{ [after]: "one" }]);
    }
  });

  test("a name that an earlier attribute had: its values stay apart", async () => {
    const removed = await changed(({ size: _, ...rest }) => rest);
    expect((await apply(removed)).status).toBe(200);
    const body = await changed((attributes) => withName(attributes, "title", "size"), { renames: { title: "size" } });
    expect((await apply(body)).status).toBe(200);
    expect((await results()).map(({ size }) => size)).toEqual(["one", "two", "three"]);
  });

  test("a change of the type at the same time converts", async () => {
    const body = await changed((attributes) => ({ ...withName(attributes, "size", "long"), long: { type: "text" } }), {
      renames: { size: "long" },
    });
    expect((await preview(body)).data.effects).toEqual([
      { kind: "converted", uid: NOTE, attribute: "long", types: ["string", "text"], count: 3, lost: 0 },
    ]);
    expect((await apply(body)).status).toBe(200);
    expect((await results()).map(({ long }) => long)).toEqual(["one", "two", "three"]);
  });

  test("a refused change leaves nothing behind that a later one would take up", async () => {
    const refused = await changed(
      (attributes) => ({ ...withName(attributes, "long", "brief"), bad: { type: "component", component: "no.no" } }),
      { renames: { long: "brief" } },
    );
    expect((await apply(refused)).status).toBe(400);
    const body = await changed(({ long: _, ...rest }) => ({ ...rest, brief: { type: "text" } }));
    expect((await apply(body)).status).toBe(200);
    expect((await results()).map(({ brief }) => brief)).toEqual([null, null, null]);
  });
});
