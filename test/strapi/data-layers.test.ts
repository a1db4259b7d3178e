/** `strapi.documents`, `strapi.entityService` and `strapi.db.query`, as a project's own code calls them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Body, componentFile, configFile, relation, type TestApp, testApp, typeFile } from "../project.ts";

const files = {
  ...typeFile(
    "note",
    {
      title: { type: "string", required: true },
      stock: { type: "integer" },
      secret: { type: "string", private: true },
      zone: { type: "dynamiczone", components: ["block.text"] },
      owner: relation("manyToOne", "page"),
    },
    { draftAndPublish: true },
  ),
  ...configFile({ roles: { public: ["plugin::users-permissions.auth.register"] } }),
  ...typeFile("front", { title: { type: "string" } }, { kind: "singleType" }),
  ...typeFile("page", {
    title: { type: "string", required: true },
    slug: { type: "uid", targetField: "title" },
    // also the name of a column of SQLite's lists
    value: { type: "integer" },
    parent: relation("manyToOne", "page"),
  }),
  ...componentFile("block.text", { text: { type: "string" }, note: relation("oneToOne", "note") }),
  "src/index.js": "module.exports = { register({ strapi }) { globalThis.ownCode = strapi; } };",
};

let app: TestApp;
let strapi: Body;
beforeAll(async () => {
  app = await testApp(files);
  strapi = (globalThis as unknown as { ownCode: Body }).ownCode;
});
afterAll(() => app.close());

const NOTE = "api::note.note";
const FRONT = "api::front.front";
const PAGE = "api::page.page";

describe("documents", () => {
  test("read drafts unless they are asked otherwise, with what is private", async () => {
    const notes = strapi.documents(NOTE);
    const { documentId } = await notes.create({ data: { title: "a", secret: "s" }, status: "published" });
    await notes.update({ documentId, data: { title: "b" } });
    expect((await notes.findOne({ documentId })).title).toBe("b");
    expect((await notes.findMany({ filters: { documentId } }))[0]).toMatchObject({ title: "b", secret: "s" });
    expect((await notes.findOne({ documentId, status: "published" })).title).toBe("a");
    expect(await notes.count({ filters: { documentId } })).toBe(1);
  });

  test("select, filter and sort by passwords, of which they answer hashes", async () => {
    const uid = "plugin::users-permissions.user";
    await strapi.documents(uid).create({ data: { username: "ada", email: "ada@example.com", password: "Secret-1" } });
    const [ada] = await strapi.documents(uid).findMany({
      fields: ["username", "password"],
      filters: { username: "ada", password: { $notNull: true } },
      sort: "password",
    });
    expect([ada.username, ada.password]).toEqual(["ada", expect.stringMatching(/^\$2[aby]\$/)]);
    const found = await strapi.entityService.findMany(uid, { fields: ["password"], filters: { username: "ada" } });
    expect(found[0].password).toBe(ada.password);
  });

  test("answer null and no entries for what is not there", async () => {
    const notes = strapi.documents(NOTE);
    expect(await notes.findOne({ documentId: "none" })).toBeNull();
    expect(await notes.update({ documentId: "none", data: { title: "x" } })).toBeNull();
    expect(await notes.delete({ documentId: "none" })).toEqual({ documentId: "none", entries: [] });
    expect(await notes.clone({ documentId: "none" })).toEqual({ documentId: undefined, entries: [] });
  });

  test("refuse a second document with the same id", async () => {
    const notes = strapi.documents(NOTE);
    await notes.create({ data: { documentId: "given", title: "first" } });
    const again = notes.create({ data: { documentId: "given", title: "second" } });
    expect(again).rejects.toMatchObject({
      name: "ApplicationError",
      message: `A draft entry with documentId "given" already exists for UID "${NOTE}". This combination must be unique.`,
    });
    await again.catch(() => undefined);
    expect(await notes.count({ filters: { documentId: "given" } })).toBe(1);
  });

  test("create takes an id once, for each version", async () => {
    const create = (documentId: string, status?: string) =>
      strapi.documents(NOTE).create({ data: { title: "own id", documentId }, status });
    expect((await create("own-id", "published")).documentId).toBe("own-id");
    expect(create("own-id")).rejects.toThrow(
      `A draft entry with documentId "own-id" already exists for UID "${NOTE}". This combination must be unique.`,
    );
    await strapi.documents(PAGE).create({ data: { title: "own id", documentId: "own-id" } });
    expect(strapi.documents(PAGE).create({ data: { title: "own id", documentId: "own-id" } })).rejects.toThrow(
      `A  entry with documentId "own-id" already exists for UID "${PAGE}".`,
    );
  });

  test("discarding a draft that was never published deletes it, with hooks", async () => {
    const notes = strapi.documents(NOTE);
    const { documentId } = await notes.create({ data: { title: "never published" } });
    const other = await notes.create({ data: { title: "kept" }, status: "published" });
    const deleted: string[] = [];
    const off = strapi.db.lifecycles.subscribe({ afterDelete: ({ result }: Body) => deleted.push(result.title) });
    expect(await notes.discardDraft({ documentId })).toEqual({ documentId, entries: [] });
    off();
    expect(deleted).toEqual(["never published"]);
    expect(await strapi.db.query(NOTE).count({ where: { documentId } })).toBe(0);
    await notes.update({ documentId: other.documentId, data: { title: "changed" } });
    const { entries } = await notes.discardDraft({ documentId: other.documentId });
    expect(entries).toMatchObject([{ title: "kept" }]);
  });

  test("publish answers the entries", async () => {
    const notes = strapi.documents(NOTE);
    const { documentId } = await notes.create({ data: { title: "to publish" } });
    const published = await notes.publish({ documentId });
    expect([published.documentId, published.entries.length, published.entries[0].title]).toEqual([
      documentId,
      1,
      "to publish",
    ]);
  });

  test("populate every component of a dynamic zone", async () => {
    const notes = strapi.documents(NOTE);
    const zone = [{ __component: "block.text", text: "hello" }];
    const made = await notes.create({ data: { title: "zone", zone }, populate: "*" });
    expect(made.zone).toMatchObject(zone);
    const { documentId } = made;
    for (const populate of ["*", ["zone"], { zone: true }, { zone: { populate: "*" } }])
      expect((await notes.findOne({ documentId, populate })).zone).toMatchObject(zone);
    const row = await strapi.db.query(NOTE).findOne({ where: { documentId }, populate: { zone: true } });
    expect(row.zone).toMatchObject(zone);
    const { body } = await app.call("POST", "/api/notes?populate=*", { data: { title: "rest", zone } });
    expect(body.data.zone).toMatchObject(zone);
  });

  test("compare times with dates, also of what is populated", async () => {
    const notes = strapi.documents(NOTE);
    const { documentId } = await notes.create({ data: { title: "dated" } });
    const later = new Date(Date.now() + 60_000);
    const count = (createdAt: object) => notes.count({ filters: { documentId, createdAt } });
    expect([await count({ $lt: later }), await count({ $gt: later })]).toEqual([1, 0]);
    const pages = strapi.documents(PAGE);
    const parent = await pages.create({ data: { title: "parent" } });
    const page = await pages.create({ data: { title: "child", parent: parent.documentId } });
    const populate = { parent: { filters: { createdAt: { $gt: later } } } };
    expect((await pages.findOne({ documentId: page.documentId, populate })).parent).toBeNull();
  });

  test("touch a document that is updated without data", async () => {
    const pages = strapi.documents(PAGE);
    const { documentId, updatedAt } = await pages.create({ data: { title: "kept" } });
    const touched = await pages.update({ documentId });
    expect([touched.title, touched.updatedAt > updatedAt]).toEqual(["kept", true]);
  });

  test("filter relations by the ids of rows", async () => {
    const page = await strapi.documents(PAGE).create({ data: { title: "p" } });
    await strapi.documents(NOTE).create({ data: { title: "owned", owner: page.id } });
    const found = await strapi.documents(NOTE).findMany({ filters: { owner: page.id }, populate: ["owner"] });
    expect(found.map(({ title, owner }: Body) => [title, owner.title])).toEqual([["owned", "p"]]);
  });
});

describe("entityService", () => {
  test("creates published entries, reads their drafts, and publishes again what is published", async () => {
    const service = strapi.entityService;
    const made = await service.create(NOTE, { data: { title: "e", stock: 5 } });
    const rows = await strapi.db.query(NOTE).findMany({ where: { documentId: made.documentId }, orderBy: "id" });
    expect(rows.map(({ publishedAt }: Body) => publishedAt !== null)).toEqual([false, true]);
    expect(made.id).toBe(rows[1].id);
    const found = await service.findOne(NOTE, made.id);
    expect(found.id).toBe(rows[0].id);
    // by the draft's id only the draft changes
    await service.update(NOTE, found.id, { data: { stock: 4 } });
    const stock = async (status: string) =>
      (await strapi.documents(NOTE).findOne({ documentId: made.documentId, status })).stock;
    expect([await stock("draft"), await stock("published")]).toEqual([4, 5]);
    const again = await service.update(NOTE, made.id, { data: { stock: 3 } });
    expect([await stock("draft"), await stock("published")]).toEqual([3, 3]);
    expect(again.id).not.toBe(made.id);
    expect(await service.delete(NOTE, made.id)).toBeNull();
    expect(await service.findOne(NOTE, made.documentId)).toBeNull();
  });
});

describe("entityService, as its parameters say", () => {
  test("makes a draft where publishedAt is null, and nothing without data", async () => {
    const service = strapi.entityService;
    const { documentId } = await service.create(NOTE, {
      data: { title: "hidden", publishedAt: null },
      status: "published",
    });
    expect(await strapi.db.query(NOTE).count({ where: { documentId } })).toBe(1);
    expect(service.create(NOTE, {})).rejects.toThrow("cannot create");
  });

  test("pages rows of every version, or of the one that is asked for, with their ids", async () => {
    const made = await strapi.entityService.create(NOTE, { data: { title: "paged" } });
    const page = (params: object): Promise<Body> =>
      strapi.entityService.findPage(NOTE, { filters: { documentId: made.documentId }, ...params });
    expect((await page({})).results.length).toBe(2);
    const { results, pagination } = await page({ status: "draft", fields: ["id"] });
    expect([results, pagination.total]).toEqual([[{ id: expect.any(Number), documentId: made.documentId }], 1]);
  });

  test("answers the entry of a single type, rows in pages, and the row that it deletes", async () => {
    const service = strapi.entityService;
    expect(await service.findMany(FRONT)).toBeNull();
    await service.create(FRONT, { data: { title: "front" } });
    expect((await service.findMany(FRONT)).title).toBe("front");
    const { id, documentId } = await service.create(NOTE, { data: { title: "paged" } });
    const { results, pagination } = await service.findPage(NOTE, { filters: { documentId } });
    expect([results.length, pagination.total, pagination.pageSize]).toEqual([2, 2, 10]);
    expect((await service.delete(NOTE, id)).id).toBe(id);
    expect(await service.findOne(NOTE, id)).toBeNull();
  });
});

describe("db.query", () => {
  test("answers null, counts and pages", async () => {
    const pages = strapi.db.query(PAGE);
    expect(await pages.update({ where: { id: 999 }, data: { title: "x" } })).toBeNull();
    expect(await pages.delete({ where: { id: 999 } })).toBeNull();
    const { count, ids } = await pages.createMany({ data: [{ title: "m" }, { title: "m" }] });
    expect([count, ids.length]).toEqual([2, 2]);
    expect(await pages.updateMany({ where: { title: "m" }, data: { title: "n" } })).toEqual({ count: 2 });
    const { results, pagination } = await pages.findPage({ where: { title: "n" }, page: 1, pageSize: 1 });
    expect(results).toHaveLength(1);
    expect(pagination).toEqual({ page: 1, pageSize: 1, pageCount: 2, total: 2 });
    expect(await pages.deleteMany({ where: { title: "n" } })).toEqual({ count: 2 });
  });

  test("makes one row without validation, with a documentId and published", async () => {
    const row = await strapi.db.query(NOTE).create({ data: { stock: 1 } });
    expect(await strapi.db.query(NOTE).count({ where: { documentId: row.documentId } })).toBe(1);
    expect([typeof row.documentId, typeof row.publishedAt, row.title]).toEqual(["string", "string", null]);
  });

  test("stores values as Strapi's columns do", async () => {
    const created = await strapi.db
      .query(NOTE)
      .create({ data: { title: { a: 1 }, secret: [1, [null, true]], stock: " 7 " } });
    expect(created).toMatchObject({ title: "[object Object]", secret: "1,,true", stock: 7 });
    const update = (stock: unknown) => strapi.db.query(NOTE).update({ where: { id: created.id }, data: { stock } });
    expect((await update(null)).stock).toBeNull();
    for (const stock of ["", "x", true, Number.NaN, {}])
      expect(update(stock)).rejects.toThrow(`Expected a valid Number, got ${stock}`);
  });

  test("links rows by their ids alone", async () => {
    const pages = strapi.db.query(PAGE);
    const { id, documentId } = await pages.create({ data: { title: "parent" } });
    const parentOf = async (parent: unknown) =>
      (await pages.create({ data: { title: "child", parent }, populate: ["parent"] })).parent?.id ?? null;
    for (const parent of [id, String(id), { id }, [id], { connect: [id] }, { set: [{ id }] }])
      expect(await parentOf(parent)).toBe(id);
    for (const parent of [null, {}, { documentId }, []]) expect(await parentOf(parent)).toBeNull();
    await pages.create({ data: { title: "valued", value: 9999 } });
    for (const parent of [9999, "9999", documentId, "", { id: 9999 }, { connect: [9999] }, { set: [documentId] }])
      expect(parentOf(parent)).rejects.toThrow("FOREIGN KEY constraint failed");
    expect(parentOf(1.5)).rejects.toThrow("Invalid id, expected a string or integer, got 1.5");
    const update = pages.update({ where: { id }, data: { parent: 9999 } });
    expect(update).rejects.toMatchObject({ name: "SqliteError", code: "SQLITE_CONSTRAINT_FOREIGNKEY" });
  });

  test("fails for attributes that are not there", async () => {
    expect(strapi.db.query(NOTE).findMany({ where: { nothing: 1 } })).rejects.toThrow();
  });
});

test("a transaction takes documents back with it", async () => {
  const before = await strapi.documents(PAGE).count();
  const failing = strapi.db.transaction(async () => {
    await strapi.documents(PAGE).create({ data: { title: "inside" } });
    await strapi.db.query(PAGE).create({ data: { title: "inside, too" } });
    throw new Error("no");
  });
  expect(failing).rejects.toThrow("no");
  await failing.catch(() => {});
  expect(await strapi.documents(PAGE).count()).toBe(before);
});

test("uids are made of the attribute that they belong to, with a number where they are taken", async () => {
  const { generateUIDField, checkUIDAvailability } = strapi.plugin("content-manager").service("uid");
  const of = { contentTypeUID: PAGE, field: "slug" };
  const make = () => generateUIDField({ ...of, data: { title: "Ünder way" } });
  const slug = await make();
  expect(slug).toBe("uender-way");
  await strapi.documents(PAGE).create({ data: { title: "one", slug } });
  expect([await make(), await checkUIDAvailability({ ...of, value: slug })]).toEqual(["uender-way-1", false]);
});

test("settings in the store have their effect, and values of one's own are kept", async () => {
  const users = strapi.store({ type: "plugin", name: "users-permissions" });
  const advanced = await users.get({ key: "advanced" });
  expect(advanced).toMatchObject({ allow_register: true, default_role: "authenticated", unique_email: true });
  const register = () =>
    app.call(
      "POST",
      "/api/auth/local/register",
      { username: "ada", email: "ada@example.com", password: "Secret-1" },
      {},
    );
  await users.set({ key: "advanced", value: { ...advanced, allow_register: false } });
  expect((await register()).body.error.message).toBe("Register action is currently disabled");
  expect((await users.get({ key: "advanced" })).allow_register).toBe(false);
  const own = strapi.store({ type: "api", name: "notes", key: "count" });
  expect(await own.get()).toBeNull();
  await own.set({ value: { n: 1 } });
  expect(await own.get()).toEqual({ n: 1 });
  const locale = strapi.store({ type: "plugin", name: "i18n", key: "default_locale" });
  await strapi.plugin("i18n").service("locales").setDefaultLocale({ code: "fr" });
  expect(await locale.get()).toBe("fr");
  await locale.set({ value: "en" });
  expect(await strapi.plugin("i18n").service("locales").getDefaultLocale()).toBe("en");
});

test("a core service ignores where, and answers published entries with everything", async () => {
  const { results, pagination } = await strapi.service(NOTE).find({ where: { title: "none" }, populate: "*" });
  expect(pagination.total).toBe(results.length);
  expect(results.length).toBeGreaterThan(1);
  expect(results[0]).toMatchObject({ createdBy: null, updatedBy: null, localizations: [] });
  expect(results[0]).toHaveProperty("secret");
});

test("what is not there is undefined", () => {
  expect(strapi.service("api::none.none")).toBeUndefined();
  expect(strapi.plugin("none")).toBeUndefined();
  expect(strapi.contentType("none")).toBeUndefined();
  expect(Object.keys(strapi.controller(NOTE))).toEqual(expect.arrayContaining(["find", "findOne", "create"]));
});

test("services of administrators take what they are told, and know nobody", async () => {
  const permission = strapi.service("admin::permission");
  permission.conditionProvider.register({ name: "mine", handler: () => true });
  permission.engine.hooks["before-evaluate.permission"].register(() => undefined);
  expect(await strapi.service("admin::role").count()).toBe(3);
  expect(await strapi.service("admin::user").exists()).toBe(false);
});

test("an ability has the permissions of an administrator's roles, or those of a token", async () => {
  const { engine } = strapi.service("admin::permission");
  const checks = [
    { action: "plugin::content-manager.explorer.read", subject: NOTE },
    { action: "plugin::content-manager.explorer.read", subject: PAGE, field: "title" },
    { action: "plugin::upload.read" },
    { action: "plugin::none.read" },
  ];
  const role = (code: string) => strapi.db.query("admin::role").findOne({ where: { code } });
  const checksOf = async (code: string) =>
    engine.checkMany(await engine.generateUserAbility({ id: 1, roles: [await role(code)] }))(checks);
  expect(await checksOf("strapi-super-admin")).toEqual([true, true, true, false]);
  expect(await checksOf("strapi-editor")).toEqual([false, false, false, false]);
  expect(engine.checkMany(await engine.generateUserAbility({ id: 1 }), checks)).toEqual([false, false, false, false]);
  const permissions = [
    { action: "plugin::content-manager.explorer.read", subject: NOTE },
    { action: "plugin::content-manager.explorer.read", subject: PAGE, properties: { fields: ["body"] } },
  ];
  const ability = await engine.generateTokenAbility(permissions, { id: 1 });
  expect(engine.checkMany(ability, checks)).toEqual([true, false, false, false]);
});

test("the content manager describes types and components", () => {
  const of = (name: string) => strapi.plugin("content-manager").service(name);
  const found = of("content-types").findContentType(NOTE);
  expect(found).toMatchObject({ uid: NOTE, isDisplayed: true, attributes: { id: { type: "integer" } } });
  expect(Object.keys(of("data-mapper").toDto(found)).sort()).toEqual(
    ["apiID", "attributes", "info", "isDisplayed", "kind", "options", "pluginOptions", "uid"].filter(
      (key) => key in found,
    ),
  );
  expect(of("content-types").findContentType("api::none.none")).toBeUndefined();
  const uids = (types: { uid: string }[]) => types.map(({ uid }) => uid);
  const all = uids(of("content-types").findAllContentTypes());
  expect(all).toEqual(Object.keys(strapi.contentTypes));
  expect(uids(of("content-types").findContentTypesByKind())).toEqual(all);
  const displayed = uids(of("content-types").findDisplayedContentTypes());
  expect(displayed).toContain("plugin::users-permissions.user");
  expect(displayed).not.toContain("plugin::upload.file");
  expect(uids(of("components").findAllComponents())).toEqual(Object.keys(strapi.components));
});

test("an asterisk as the value of a relation populates it", async () => {
  const page = await strapi.documents(PAGE).create({ data: { title: "owner" } });
  const { documentId } = await strapi.documents(NOTE).create({ data: { title: "owned", owner: page.documentId } });
  const note = await strapi.documents(NOTE).findOne({ documentId, populate: { owner: "*" } });
  expect(note.owner).toMatchObject({ title: "owner" });
  expect(note.owner).not.toHaveProperty("parent");
});

test("an id that is missing is missing in the result", async () => {
  expect(await strapi.documents(NOTE).delete({})).toEqual({ documentId: undefined, entries: [] });
  expect(await strapi.documents(NOTE).publish({ documentId: "none" })).toEqual({ documentId: "none", entries: [] });
});

test("entityService refuses invalid pages and names to load", async () => {
  const service = strapi.entityService;
  const find = async (params: Body) => service.findPage(NOTE, params);
  await expect(find({ pageSize: "x" })).rejects.toThrow(
    "Invalid 'pageSize' parameter. Expected an integer > 0, received: x",
  );
  await expect(find({ page: 1, start: 1 })).rejects.toThrow("Invalid pagination attributes.");
  await expect(service.load(NOTE, { id: 1 }, ["owner"])).rejects.toThrow(
    'Invalid load. Expected "owner" to be a string',
  );
});
