/** Services of plugins: folders, locales, providers, and members that are not there. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { findCalls } from "../../src/strapi/doctor/calls.ts";
import { absentMembers, serviceUid } from "../../src/strapi/plugins/absent-members.ts";
import { componentFile, configFile, relation, type TestApp, testApp, typeFile } from "../project.ts";

const localized = { pluginOptions: { i18n: { localized: true } } };
let app: TestApp;
/** Evaluates an expression in an action of the project. */
const run = async (code: string) => (await app.call("POST", "/api/run", { code })).body;

beforeAll(async () => {
  app = await testApp({
    ...configFile(),
    ...typeFile("note", { title: { type: "string" }, text: { type: "text", ...localized }, slug: { type: "uid" } }),
    ...componentFile("part.inner", { text: { type: "string" } }),
    ...componentFile("part.outer", { inner: { type: "component", component: "part.inner" } }),
    ...typeFile(
      "story",
      {
        title: { type: "string" },
        others: relation("manyToMany", "story"),
        cover: { type: "media" },
        part: { type: "component", component: "part.outer" },
        zone: { type: "dynamiczone", components: ["part.outer"] },
      },
      { draftAndPublish: true },
    ),
    "src/api/note/routes/run.js":
      'module.exports = { routes: [{ method: "POST", path: "/run", handler: "run.run", config: { auth: false } }] };',
    "src/api/note/controllers/run.js": `const AsyncFunction = (async () => {}).constructor;
      module.exports = { async run(ctx) {
        try { ctx.body = { value: (await new AsyncFunction("strapi", "return " + ctx.request.body.code)(strapi)) ?? null }; }
        catch (error) { ctx.body = { error: error.message }; }
      } };`,
  });
});
afterAll(() => app.close());

describe("members that are not there", () => {
  const members = Object.entries(absentMembers).flatMap(([owner, services]) =>
    Object.entries(services).flatMap(([service, names]) =>
      names.split(" ").map((name) => [owner, service, name] as const),
    ),
  );

  test("throw an error that names them", async () => {
    const calls = members.map(([owner, service, name]) => [serviceUid(owner, service), name]);
    const { value } = await run(
      `${JSON.stringify(calls)}.map(([uid, name]) => { try { return String(strapi.service(uid)[name]()); } catch (error) { return error.message; } })`,
    );
    expect(value).toEqual(calls.map(([uid, name]) => `${uid}: ${name} is not supported by Galley`));
  });

  test("are found without running the code", () => {
    const text = `
      await strapi.plugin("upload").service("metrics").trackUsage({});
      strapi.service("plugin::i18n.metrics").sendDidInitializeEvent();
      strapi.service('admin::passport').init();
      // strapi.plugin("upload").service("metrics").trackUsage({});
      strapi.plugin("upload").service("upload").upload({});`;
    expect(findCalls("src/index.js", text).map(({ line, what }) => [line, what])).toEqual([
      [2, "plugin::upload.metrics: trackUsage"],
      [3, "plugin::i18n.metrics: sendDidInitializeEvent"],
      [4, "admin::passport: init"],
    ]);
  });
});

test("folders are created, moved, renamed, listed and deleted with what is below them", async () => {
  const folder = 'strapi.plugin("upload").service("folder")';
  const shape = "({ name, path, pathId }) => [name, path, pathId]";
  expect((await run(`${folder}.create({ name: "A", parent: null }).then(${shape})`)).value).toEqual(["A", "/1", 1]);
  expect((await run(`${folder}.create({ name: "B", parent: 1 }).then(${shape})`)).value).toEqual(["B", "/1/2", 2]);
  const listen =
    'strapi.eventHub.once("media-folder.create", ({ folder }) => { globalThis.createdFolder = folder.name; })';
  await run(`(${listen}, ${folder}.create({ name: "E", parent: null }).then(({ id }) => ${folder}.deleteByIds([id])))`);
  expect((globalThis as { createdFolder?: string }).createdFolder).toBe("E");
  const structure = [{ id: 1, name: "A", children: [{ id: 2, name: "B", children: [] }] }];
  expect((await run(`${folder}.getStructure()`)).value).toEqual(structure);
  expect((await run(`${folder}.exists({ name: "B" })`)).value).toBe(true);
  expect((await run(`${folder}.setPathIdAndPath({ name: "C", parent: 2 })`)).value).toMatchObject({ path: "/1/2/3" });
  expect((await run(`strapi.plugin("upload").service("file").getFolderPath(2)`)).value).toBe("/1/2");
  expect((await run(`${folder}.create({ name: "C", parent: 99 })`)).error).toContain("99");
  expect((await run(`${folder}.update(1, { parent: 2 })`)).error).toContain("inside itself");
  expect((await run(`${folder}.update(2, { name: "B2", parent: null }).then(${shape})`)).value).toEqual([
    "B2",
    "/2",
    2,
  ]);
  expect((await run(`${folder}.update(99, { name: "none" })`)).value).toBeNull();
  await run(`${folder}.update(2, { parent: 1 })`);
  const { value } = await run(`${folder}.deleteByIds([1, 1])`);
  expect(value).toMatchObject({ folders: [{ name: "A" }], totalFolderNumber: 2, totalFileNumber: 0 });
  expect((await run(`${folder}.getStructure()`)).value).toEqual([]);
});

test("code reads reserved names, and sizes of fields, and stores the settings of i18n", async () => {
  const builder = 'strapi.plugin("content-type-builder").service("builder")';
  const names = '["Strapi Thing", "createdAt", "dateTime", "title"]';
  expect((await run(`${names}.map((name) => ${builder}.isReservedModelName(name))`)).value).toEqual([
    true,
    false,
    true,
    false,
  ]);
  expect((await run(`${names}.map((name) => ${builder}.isReservedAttributeName(name))`)).value).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect((await run(`${builder}.getReservedNames().models`)).value).toContain("upload");
  const sizes = 'strapi.plugin("content-manager").service("field-sizes")';
  expect((await run(`${sizes}.getFieldSize("json")`)).value).toEqual({ default: 12, isResizable: false });
  expect((await run(`${sizes}.getFieldSize("own")`)).error).toBe("Could not find field size for type own");
  await run(`${sizes}.setFieldSize("own", { default: 3, isResizable: true })`);
  expect((await run(`${sizes}.hasFieldSize("own") && ${sizes}.getFieldSize("own").default`)).value).toBe(3);
  const settings = 'strapi.plugin("i18n").service("settings")';
  expect((await run(`${settings}.getSettings()`)).value).toBeNull();
  const stored = `${settings}.setSettings({ aiLocalizations: false }).then(() => ${settings}.getSettings())`;
  expect((await run(stored)).value).toEqual({ aiLocalizations: false });
});

test("code reads which attributes are localized", async () => {
  const service = 'strapi.plugin("i18n").service("content-types")';
  const type = 'strapi.contentType("api::note.note")';
  expect((await run(`${service}.getLocalizedAttributes(${type})`)).value).toEqual(["text", "slug"]);
  expect((await run(`${service}.getNonLocalizedAttributes(${type})`)).value).toEqual(["title"]);
  expect((await run(`${service}.isLocalizedContentType(${type})`)).value).toBe(false);
  expect((await run(`${service}.getValidLocale()`)).value).toBe("en");
  expect((await run(`${service}.getValidLocale("xx")`)).error).toBe("Locale not found");
});

test("code removes locales of documents whose type is not localized", async () => {
  const remove = 'strapi.plugin("i18n").service("sanitize").sanitizeLocalizationFields';
  const type = 'strapi.contentType("api::note.note")';
  const entity = '{ title: "a", locale: null, localizations: [] }';
  expect((await run(`${remove}(${type})(${entity})`)).value).toEqual({ title: "a" });
  expect((await run(`${remove}(${type}, ${entity})`)).value).toEqual({ title: "a" });
  const localized = `{ ...${type}, pluginOptions: { i18n: { localized: true } } }`;
  expect((await run(`${remove}(${localized})({ title: "a", locale: "en" })`)).value).toEqual({
    title: "a",
    locale: "en",
  });
});

test("code reads how the content manager shows a type, and changes only its copy", async () => {
  const service = (name: string) => `strapi.plugin("content-manager").service("${name}")`;
  const key = '{ type: "plugin", name: "content_manager", key: "configuration_content_types::api::note.note" }';
  await run(
    `strapi.store(${key}).get().then((value) => strapi.store(${key}).set({ value: { ...value, settings: { ...value.settings, pageSize: 20 } } }))`,
  );
  const read = `${service("content-types")}.findConfiguration(strapi.contentType("api::note.note"))`;
  await run(`${read}.then((found) => { found.settings.pageSize = 99; })`);
  expect((await run(read)).value).toMatchObject({
    uid: "api::note.note",
    settings: { mainField: "title", pageSize: 20 },
    metadatas: { title: { edit: { label: "title" } } },
    layouts: { list: ["id", "title", "text", "slug"] },
  });
  const component = await run(`${service("components")}.findConfiguration(strapi.components["part.inner"])`);
  expect(component.value).toMatchObject({ uid: "part.inner", category: "part", settings: { mainField: "text" } });
  expect((await run(`${service("content-types")}.findConfiguration({ uid: "api::none.none" })`)).value).toEqual({
    uid: "api::none.none",
    ...{ settings: {}, metadatas: {}, layouts: { list: [], edit: [] } },
  });
});

test("the URL for the users of a provider", async () => {
  const { value } = await run('strapi.plugin("users-permissions").service("providers").buildRedirectUri("github")');
  expect(value).toEndWith("/api/connect/github/callback");
});

test("settings of the media library are stored", async () => {
  const upload = 'strapi.plugin("upload").service("upload")';
  expect((await run(`${upload}.getConfiguration()`)).value).toEqual({ pageSize: 10, sort: "createdAt:DESC" });
  await run(`${upload}.setConfiguration({ pageSize: 20, sort: "name:ASC" })`);
  expect((await run(`${upload}.getConfiguration()`)).value).toEqual({ pageSize: 20, sort: "name:ASC" });
  await run(`${upload}.setSettings({ sizeOptimization: false })`);
  expect((await run(`${upload}.getSettings()`)).value).toMatchObject({ sizeOptimization: false });
});

test("a removed file is returned as its row, a missing one as null", async () => {
  const upload = 'strapi.plugin("upload").service("upload")';
  const added = await run(
    `(async () => { const fs = await import("node:fs"); const { tmpdir } = await import("node:os"); const filepath = tmpdir() + "/own-" + Date.now() + ".txt"; fs.writeFileSync(filepath, "a"); const [row] = await ${upload}.upload({ data: {}, files: { filepath, originalFilename: "own.txt", mimetype: "text/plain", size: 1 } }); return ${upload}.remove(row); })()`,
  );
  expect(added.value).toMatchObject({ name: "own.txt", folderPath: "/", locale: null });
  expect((await run(`${upload}.remove({ id: 999 })`)).value).toBeNull();
});

test("a locale or a list of locales is marked, and attributes are copied between localizations", async () => {
  const locales = 'strapi.plugin("i18n").service("locales")';
  expect((await run(`${locales}.setIsDefault({ code: "en" })`)).value).toEqual({ code: "en", isDefault: true });
  expect((await run(`${locales}.setIsDefault([{ code: "fr" }])`)).value).toEqual([{ code: "fr", isDefault: false }]);
  expect((await run(`${locales}.setIsDefault(null)`)).value).toBeNull();
  const types = 'strapi.plugin("i18n").service("content-types")';
  const note = 'strapi.getModel("api::note.note")';
  const entry = '{ id: 1, title: "a", text: "b", slug: "c" }';
  expect((await run(`${types}.copyNonLocalizedAttributes(${note}, ${entry})`)).value).toEqual({ title: "a" });
  const withCard = '{ attributes: { card: { type: "component", component: "none" } } }';
  const copy = await run(`${types}.copyNonLocalizedAttributes(${withCard}, { card: [{ id: 1, label: "l" }] })`);
  expect(copy.value).toEqual({ card: [{ label: "l" }] });
  const names = await run(`${types}.getNestedPopulateOfNonLocalizedAttributes("api::note.note")`);
  expect(names.value).toContain("text");
  expect((await run('strapi.plugin("i18n").service("iso-locales").getIsoLocales().length')).value).toBe(627);
  const filled = `(async () => { const entry = { title: null, text: null }; ${types}.fillNonLocalizedAttributes(entry, ${entry}, { model: "api::note.note" }); return entry; })()`;
  expect((await run(filled)).value).toEqual({ title: "a", text: null });
});

test("queries are functions of an object, which code may take out of it", async () => {
  const { value, error } = await run(`(async () => {
    const { create, findOne, count, deleteMany, findWithCount, ...others } = strapi.db.query("api::story.story");
    const { id } = await create({ data: { title: "taken out" } });
    const where = { title: "taken out" };
    return {
      found: (await findOne({ where: { id } })).title,
      counts: [await count({ where }), (await findWithCount({ where }))[1], (await deleteMany({ where })).count],
      others: Object.keys(others).sort(),
      isSame: strapi.db.query("api::story.story") === strapi.query("api::story.story"),
    };
  })()`);
  expect(error).toBeUndefined();
  expect(value).toEqual({
    found: "taken out",
    counts: [1, 1, 1],
    others: [
      ...["attachRelations", "createMany", "delete", "deleteRelations", "findMany", "findPage", "load", "loadPages"],
      ...["populate", "update", "updateMany", "updateRelations"],
    ],
    isSame: true,
  });
});

test("credentials of administrators are checked, and tokens made", async () => {
  const { value, error } = await run(`(async () => {
    const { auth, token, user, role } = strapi.admin.services;
    const { id } = await role.getSuperAdmin();
    const of = { email: "own@example.com", firstname: "a", lastname: "b" };
    await user.create({ ...of, password: "Password1", isActive: true, roles: [id] });
    const [, found] = await auth.checkCredentials({ email: of.email, password: "Password1" });
    const refused = await auth.checkCredentials({ email: of.email, password: "other" });
    return [found.email, refused, token.createToken().length, await auth.validatePassword("a", "no hash")];
  })()`);
  expect(error).toBeUndefined();
  expect(value).toEqual(["own@example.com", [null, false, { message: "Invalid credentials" }], 40, false]);
});

test("values are encrypted as in Strapi", async () => {
  // written by Strapi 5.54
  const written = "v1:dc033cacf8819e5b7a1a7289d2dcf53a:ea632e051af530:2300ec586795452f02f6aa50a176b40e";
  const { value, error } = await run(`(async () => {
    const { encrypt, decrypt } = strapi.service("admin::encryption");
    const told = (work) => { try { return work() } catch (error) { return error.message; } };
    const key = (text) => strapi.config.set("admin.secrets", { encryptionKey: text });
    key(undefined);
    const without = [encrypt("a"), decrypt("${written}")];
    key("a key");
    const own = encrypt("tökén"), other = encrypt("tökén");
    const out = [without, decrypt("${written}"), decrypt(own), own !== other, own.split(":").map((part) => part.length),
      decrypt("${written}".replace("ea63", "ea64")), decrypt("${written}".slice(0, -8)),
      told(() => decrypt("v2:a:b:c")), told(() => decrypt("v1:aa:bb"))];
    key("another");
    return [...out, decrypt(own)];
  })()`);
  expect(error).toBeUndefined();
  expect(value).toEqual([
    [null, null],
    "tökén",
    "tökén",
    true,
    [2, 32, 14, 32],
    ...[null, null],
    "Unsupported encryption version: v2",
    "Invalid encrypted value format",
    null,
  ]);
});

test("passwords of administrators that code creates are checked; nobody forgets one, since nobody signs in with it", async () => {
  const { value, error } = await run(`(async () => {
    const { auth, user, role } = strapi.admin.services;
    const { id } = await role.getSuperAdmin();
    const email = "known@example.com";
    const created = await user.create({ email, firstname: "F", password: "Password1", isActive: true, roles: [id] });
    const isOf = async (password) => (await auth.checkCredentials({ email, password }))[1] !== false;
    const out = [await isOf("Password1"), await isOf("Password2")];
    try { auth.forgotPassword({ email }); } catch (error) { out.push(error.message); }
    await user.deleteById(created.id);
    return out;
  })()`);
  expect(error).toBeUndefined();
  expect(value).toEqual([true, false, "admin::auth: forgotPassword is not supported by Galley"]);
});

test("the document manager reads and writes documents with their relations counted", async () => {
  const { value, error } = await run(`(async () => {
    const manager = strapi.plugin("content-manager").service("document-manager");
    const uid = "api::story.story";
    const a = await manager.create(uid, { data: { title: "a" }, status: "published" });
    const b = await manager.create(uid, { data: { title: "b", others: [a.documentId] } });
    const page = await manager.findPage({ page: 2, pageSize: 1, sort: "title", fields: ["title"] }, uid);
    const published = await manager.publish(b.documentId, uid);
    return {
      created: [a.publishedAt, a.others, b.others],
      found: (await manager.findOne(b.documentId, uid, { populate: ["others"] })).others.length,
      all: (await manager.findMany({ sort: "title" }, uid)).map(({ title, others }) => [title, others.length]),
      page: [page.results.map(({ title }) => title), page.pagination],
      exists: [await manager.exists(uid, a.documentId), await manager.exists(uid, "none")],
      updated: (await manager.update(a.documentId, uid, { data: { title: "c" } })).title,
      published: published.map(({ publishedAt, others }) => [publishedAt !== null, others.count]),
      many: [await manager.publishMany(uid, [a.documentId]), await manager.unpublishMany([a.documentId, "none"], uid)],
      unpublished: (await manager.unpublish(b.documentId, uid)).title,
      cloned: (await manager.clone(a.documentId, { title: "copy" }, uid)).title,
      deleted: [await manager.delete(a.documentId, uid), await manager.deleteMany([b.documentId, "none"], uid)],
    };
  })()`);
  expect(error).toBeUndefined();
  expect(value).toEqual({
    ...{
      created: [null, { count: 0 }, { count: 1 }],
      found: 1,
      all: [
        ["a", 0],
        ["b", 1],
      ],
    },
    ...{ page: [["b"], { page: 2, pageSize: 1, pageCount: 2, total: 2 }], exists: [true, false], updated: "c" },
    ...{
      published: [[true, 0]],
      many: [1, { count: 1 }],
      unpublished: "b",
      cloned: "copy",
      deleted: [{}, { count: 2 }],
    },
  });
});

test("the populate builder lists all levels of a type", async () => {
  const builder = 'strapi.plugin("content-manager").service("populate-builder")("api::story.story")';
  const built = async (calls: string) => (await run(`${builder}${calls}.build()`)).value;
  const creators = { createdBy: true, updatedBy: true, localizations: true };
  expect(await built(".populateDeep(2)")).toEqual({
    ...{ others: true, cover: { populate: { folder: true } }, ...creators },
    part: { populate: { inner: { populate: {} } } },
    zone: { on: { "part.outer": { populate: { inner: { populate: {} } } } } },
  });
  const counted = await built(".populateDeep(1).countRelations({ toOne: false })");
  expect(counted).toMatchObject({ others: { count: true }, part: { populate: {} } });
  expect(await built(".populateDeep(1).withPopulateOverride({ others: false })")).toMatchObject({ others: false });
  expect(await built("")).toBeNull();
  const found = await run(
    `${builder}.populateDeep(Infinity).build().then((populate) => strapi.documents("api::story.story").findMany({ populate }))`,
  );
  expect(found.error).toBeUndefined();
});
