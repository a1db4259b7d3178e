/** Parts of `strapi` that are neither documents nor queries. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { Writable } from "node:stream";
import { factories, strapiPackage } from "../../src/strapi/packages/strapi.ts";
import { type Body, componentFile, relation, serviceFile, type TestApp, testApp, typeFile } from "../project.ts";
import { until } from "../until.ts";

const files = {
  "src/components/part/link.json": JSON.stringify({
    collectionName: "components_part_links",
    info: { displayName: "Link", icon: "globe", description: "Away" },
    ...{ options: {}, config: { own: 1 }, attributes: { url: { type: "string" } } },
  }),
  ...componentFile("part.seo", { text: { type: "string" }, hidden: { type: "string", private: true } }),
  ...typeFile(
    "note",
    {
      title: { type: "string" },
      secret: { type: "string", private: true },
      color: { type: "customField", customField: "plugin::color-picker.color" },
      seo: { type: "component", component: "part.seo" },
      parent: relation("manyToOne", "note"),
    },
    { draftAndPublish: true },
  ),
  ...typeFile("page", { title: { type: "string" } }, { localized: true }),
  ...serviceFile("note"),
  "src/api/note/controllers/note.js": `module.exports = require("@strapi/strapi").factories.createCoreController("api::note.note", { own() {} });`,
  "src/api/note/routes/note.js": `module.exports = require("@strapi/strapi").factories.createCoreRouter("api::note.note");`,
  "src/api/note/routes/own.js": `module.exports = { routes: [{ method: "GET", path: "/own", handler: "note.own" }] };`,
  "config/custom.js": "module.exports = { list: [{ name: 'a' }] };",
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

test("writes are reported once they are committed, with what clients may see", async () => {
  const events: Body[] = [];
  const names = ["create", "update", "publish", "unpublish", "delete"].map((name) => `entry.${name}`);
  const ends = names.map((name) => strapi.eventHub.on(name, (event: Body) => void events.push([name, event])));
  const notes = strapi.documents(NOTE);
  const seo = { text: "t", hidden: "h" };
  await expect(
    strapi.db.transaction(async () => {
      await notes.create({ data: { title: "rolled back" } });
      throw new Error("no");
    }),
  ).rejects.toThrow("no");
  const { documentId } = await notes.create({ data: { title: "a", secret: "s", seo }, status: "published" });
  await until("events are there", () => events.length === 2);
  await notes.update({ documentId, data: { title: "b" } });
  await until("events are there", () => events.length === 3);
  await notes.unpublish({ documentId });
  await until("events are there", () => events.length === 4);
  await notes.delete({ documentId });
  await until("events are there", () => events.length === 5);
  for (const end of ends) end();
  expect(events.map(([name]) => name)).toEqual([
    "entry.create",
    "entry.publish",
    "entry.update",
    "entry.unpublish",
    "entry.delete",
  ]);
  const [created, published] = events.map(([, event]) => event);
  expect(created).toMatchObject({
    model: "note",
    uid: NOTE,
    entry: { documentId, title: "a", publishedAt: null, seo: { text: "t" }, parent: null },
  });
  expect(published.entry.publishedAt).toBeString();
  expect(JSON.stringify(events)).not.toMatch(/secret|hidden/);
});

test("a mail needs an address with a domain", async () => {
  const send = (to: unknown) => strapi.plugin("email").service("email").send({ to, subject: "s", text: "t" });
  for (const to of ["nobody", "a@example.com, nobody", ""]) expect(send(to)).rejects.toThrow("needs a domain");
  expect(send(undefined)).rejects.toThrow("needs the address");
  expect(await send(["a@example.com", "Ada <b@example.com>"])).toBeUndefined();
});

test("an error of a listener does not fail the write", async () => {
  const end = strapi.eventHub.on("entry.create", () => {
    throw new Error("listener");
  });
  expect((await strapi.documents(NOTE).create({ data: { title: "c" } })).title).toBe("c");
  end();
});

test("parts and registries are found by their names", () => {
  expect(strapi.get("content-types").get(NOTE).globalId).toBe("Note");
  expect(strapi.components["part.seo"].globalId).toBe("ComponentPartSeo");
  expect(strapi.components["part.link"]).toMatchObject({
    ...{ uid: "part.link", category: "part", modelType: "component" },
    ...{ info: { displayName: "Link", icon: "globe", description: "Away" }, options: {}, config: { own: 1 } },
  });
  expect(strapi.get("controllers").keys()).toContain(NOTE);
  expect(Object.keys(strapi.get("services").getAll("api::"))).toEqual([NOTE, "api::page.page"]);
  expect(() => strapi.get("nothing")).toThrow("Could not resolve service nothing");
  strapi.add("mine", () => ({ a: 1 }));
  expect([strapi.get("mine"), strapi.has("mine"), strapi.has("none")]).toEqual([{ a: 1 }, true, false]);
  expect(typeof strapi.api("note").service("note").find).toBe("function");
  expect(strapi.config.get("custom.list[0].name")).toBe("a");
  expect(strapi.internal_config.custom.list).toEqual([{ name: "a" }]);
  expect(strapi.internal_config.info.strapi).toBe("5.54.0");
  expect([strapi.EE, strapi.ee.features.isEnabled("sso"), strapi.telemetry.isDisabled]).toEqual([false, false, true]);
});

test("a custom field has the type that it stores", () => {
  expect(strapi.contentTypes[NOTE].attributes.color).toMatchObject({
    type: "string",
    customField: "plugin::color-picker.color",
  });
});

test("localizations are joined by document ids", () => {
  const { localizations } = strapi.contentTypes[NOTE].attributes;
  expect(localizations).toMatchObject({
    relation: "oneToMany",
    target: NOTE,
    unstable_virtual: true,
    joinColumn: { name: "document_id", referencedColumn: "document_id", referencedTable: "notes" },
  });
});

test("system attributes say whether they are private, from which tools compute hashes of schemas", () => {
  const names = ["createdBy", "locale", "localizations", "createdAt"];
  const privacy = (uid: string) => names.map((name) => strapi.contentTypes[uid].attributes[name].private);
  expect(privacy(NOTE)).toEqual([true, true, true, undefined]);
  expect(privacy("api::page.page")).toEqual([true, false, false, undefined]);
});

test("handlers of a hook are called in their order", async () => {
  const called: string[] = [];
  const hook = strapi.hook("strapi::content-types.afterSync");
  hook.register(() => called.push("a")).register(async () => called.push("b"));
  await hook.call({});
  expect(called).toEqual(["a", "b"]);
});

test("routes and actions of the content API are listed", async () => {
  const { "api::note": own } = await strapi.contentAPI.getRoutesMap();
  expect(own.map(({ method, path, handler }: Body) => `${method} ${path} ${handler}`)).toContain(
    "GET /api/own note.own",
  );
  const { "plugin::email": ofMails } = await strapi.contentAPI.getRoutesMap();
  expect(ofMails.map(({ path, handler }: Body) => `${path} ${handler}`)).toEqual(["/api/email/ email.send"]);
  const listed = await strapi.plugin("users-permissions").service("users-permissions").getRoutes();
  expect(listed["api::note"]).toEqual(own);
  const { getActions } = strapi.plugin("users-permissions").service("users-permissions");
  const isFindEnabled = (options: object) => getActions(options)["api::note"].controllers.note.find.enabled;
  expect([isFindEnabled({}), isFindEnabled({ defaultEnable: true })]).toEqual([false, true]);
  const actions = await strapi.contentAPI.permissions.getActionsMap();
  expect(actions["api::note"].controllers.note).toContain("own");
  expect(strapi.server.listRoutes()).toContainEqual({ methods: ["HEAD", "GET"], path: "/api/notes" });
  expect(strapi.server.router.stack).toEqual(strapi.server.listRoutes());
});

test("settings of plugins are there before anybody stores them", async () => {
  const store = strapi.store({ type: "plugin", name: "users-permissions" });
  const grant = await store.get({ key: "grant" });
  expect(grant.google).toEqual({
    enabled: false,
    icon: "google",
    key: "",
    secret: "",
    callbackUrl: "api/auth/google/callback",
    scope: ["email"],
  });
  const email = await store.get({ key: "email" });
  email.reset_password.options.object = "Changed";
  expect((await store.get({ key: "email" })).reset_password.options.object).toBe("Reset password");
  await store.set({ key: "email", value: email });
  expect((await store.get({ key: "email" })).reset_password.options.object).toBe("Changed");
});

test.each([
  [
    { url: " https://cms.example.com/base/ " },
    {},
    ["https://cms.example.com/base", "https://cms.example.com/base", "https://cms.example.com/base/admin", "/admin"],
    "https://cms.example.com/base/admin",
  ],
  [
    { url: "rel/", host: "127.0.0.1", port: 1400 },
    { url: "/panel" },
    ["/rel", "http://127.0.0.1:1400/rel", "/rel/panel", "/panel"],
    "http://127.0.0.1:1400/rel/panel",
  ],
  [
    { host: "127.0.0.1", port: 1400 },
    { url: "https://admin.example.com/x" },
    ["", "http://127.0.0.1:1400", "https://admin.example.com/x", "/x"],
    "https://admin.example.com/x",
  ],
])("code finds the public URLs of %p and %p", async (server, admin, urls, absoluteAdmin) => {
  const published = await testApp({
    ...files,
    "config/server.json": JSON.stringify(server),
    "config/admin.json": JSON.stringify(admin),
    "src/index.js": "module.exports = { register({ strapi }) { globalThis.publishedCode = strapi; } };",
  });
  const { config } = (globalThis as unknown as { publishedCode: Body }).publishedCode;
  const names = ["server.url", "server.absoluteUrl", "admin.url", "admin.path"];
  expect(names.map((name) => config.get(name))).toEqual(urls);
  expect(config.get("admin").absoluteUrl).toBe(absoluteAdmin);
  await published.close();
});

test("changes of files are reported, with what clients may see", async () => {
  const events: [string, Body][] = [];
  const names = ["create", "update", "delete"].map((name) => `media.${name}`);
  const ends = names.map((name) => strapi.eventHub.on(name, (event: Body) => void events.push([name, event.media])));
  const path = `${strapi.dirs.app.root}/own.txt`;
  await strapi.fs.writeAppFile("own.txt", "text");
  const upload = strapi.plugin("upload").service("upload");
  const input = { filepath: path, originalFilename: "own.txt", mimetype: "text/plain", size: 4 };
  const [file] = await upload.upload({ data: { fileInfo: {} }, files: input });
  await upload.updateFileInfo(file.id, { name: "new.txt" });
  await upload.remove(file);
  await until("events are there", () => events.length === 3);
  for (const end of ends) end();
  expect(events.map(([name, media]) => [name, media.name])).toEqual([
    ["media.create", "own.txt"],
    ["media.update", "new.txt"],
    ["media.delete", "new.txt"],
  ]);
  for (const [, media] of events) {
    expect(media).toMatchObject({ id: file.id, documentId: file.documentId, mime: "text/plain", provider: "local" });
    expect(media).not.toHaveProperty("folderPath");
  }
});

test("errors of the data layers have no status, as Strapi's: code that asks for one gets its own default", async () => {
  const error = await strapi
    .documents(NOTE)
    .findMany({ filters: { none: 1 } })
    .catch((thrown: Body) => thrown);
  expect([error.name, error.status, error.message]).toEqual(["ValidationError", undefined, "Invalid key none"]);
});

test("configuration has Strapi's defaults beside what the files set", () => {
  const { config } = strapi;
  expect(config.get("server.transfer.remote.enabled")).toBe(true);
  expect(config.get("server.proxy")).toBe(false);
  expect(config.get("plugin::i18n")).toEqual({});
  expect(config.get("plugin::users-permissions.sessions.accessTokenLifespan")).toBe(600);
  expect(config.get("plugin::upload.sharp")).toEqual({ cache: false, concurrency: 1 });
  expect([config.get(), config.get(null, 3)]).toEqual([undefined, 3]);
  config.set("custom.nothing", null);
  // null is a value
  expect([config.get("custom.nothing", "default"), config.get("custom.none", "default")]).toEqual([null, "default"]);
});

test("services are added once, and created with strapi when they are needed", () => {
  let created = 0;
  const make = (given: Body) => {
    created++;
    return { isStrapi: given === strapi };
  };
  expect(strapi.add("ownService", make)).toBe(strapi);
  expect(created).toBe(0);
  expect([strapi.get("ownService"), strapi.ownService, created]).toEqual([{ isStrapi: true }, { isStrapi: true }, 1]);
  expect(() => strapi.add("ownService", 1)).toThrow("Cannot register already registered service ownService");
});

test("core routers can be made at any time", () => {
  const { factories } =
    require("../../src/strapi/packages/strapi.ts") as typeof import("../../src/strapi/packages/strapi.ts");
  const { routes } = factories.createCoreRouter(NOTE, { only: ["find"], config: { find: { auth: false } } });
  expect(routes).toMatchObject([
    { method: "GET", path: "/notes", handler: "api::note.note.find", config: { auth: false } },
  ]);
  expect(() => factories.createCoreRouter("api::none.none").routes).toThrow("there is no content-type api::none.none");
});

test("the log takes transports of winston, and its methods can be chained", () => {
  const records: Body[] = [];
  const { winston } = require("@strapi/logger") as typeof import("@strapi/logger");
  const stream = new Writable({ objectMode: true });
  const transport = new winston.transports.Stream({ stream, level: "debug" });
  transport.log = (record: Body, done) => {
    records.push(record);
    done();
  };
  expect(strapi.log.add(transport)).toBe(strapi.log);
  expect(strapi.log.debug("for", { user: 1 })).toBe(strapi.log);
  strapi.log.child({ request: 2 }).info("answered");
  strapi.log.silly("too much");
  strapi.log.remove(transport);
  strapi.log.debug("later");
  expect(records).toMatchObject([
    { message: "for", user: 1, [Symbol.for("level")]: "debug" },
    { message: "answered", request: 2, [Symbol.for("level")]: "info" },
  ]);
  expect([strapi.log.isLevelEnabled("error"), strapi.log.isLevelEnabled("silly")]).toEqual([true, false]);
  expect(() => strapi.log.add({})).toThrow("Invalid transport");
});

test("code that ends the server at a signal is warned, and the server goes on", async () => {
  const { warn } = strapi.log;
  const warnings: unknown[] = [];
  strapi.log.warn = (...args: unknown[]) => warnings.push(...args);
  await strapi.destroy();
  strapi.log.warn = warn;
  expect(warnings).toEqual(["strapi.destroy() was called; the server keeps running"]);
  expect((await app.handle(new Request("http://localhost/_health"))).status).toBe(204);
});

test("the watching of files can be switched off, and a reload does nothing", () => {
  strapi.reload.isWatching = false;
  expect([strapi.reload.isWatching, strapi.reload()]).toEqual([false, undefined]);
});

test("APIs of the server list their routes", () => {
  const api = strapi.server.api("content-api");
  expect(api.mount()).toBe(api);
  expect(api.listRoutes()).toContainEqual({ methods: ["POST"], path: "/api/notes" });
  expect(strapi.server.api("admin").listRoutes()).not.toContainEqual({ methods: ["POST"], path: "/api/notes" });
});

test("what MCP servers are extended with is declared as it is", () => {
  const { mcp } = strapiPackage.ai;
  const definition = { name: "x" };
  for (const define of [mcp.defineTool, mcp.defineResource, mcp.definePrompt])
    expect(define(definition)).toBe(definition);
});

test("controllers with own actions are custom, and errors stop the code that reports them", () => {
  const { createCoreController, isCustomController } = factories;
  const plain = createCoreController(NOTE)({ strapi: strapi as never });
  const custom = createCoreController(NOTE, { own() {} })({ strapi: strapi as never });
  expect([isCustomController(plain), isCustomController(custom), isCustomController({})]).toEqual([false, true, false]);
  expect(() => strapi.stopWithError(new Error("no key"))).toThrow("no key");
});
