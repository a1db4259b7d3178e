/** Hooks on writes of the administration. */
import { expect, test } from "bun:test";
import { componentFile, configFile, testApp, typeFile } from "../project.ts";

const administrator = { name: "admin", type: "admin", key: "an-admin-token" };
const AUTHORIZATION = { authorization: "Bearer an-admin-token" };

test("a hook gets the whole row that the administration has created", async () => {
  const subscription = `{ models: ["plugin::users-permissions.user"], afterCreate({ result }) { globalThis.createdUser = result; } }`;
  const app = await testApp(
    {
      ...configFile({ tokens: [administrator] }),
      "src/index.js": `module.exports = { bootstrap({ strapi }) { strapi.db.lifecycles.subscribe(${subscription}); } };`,
    },
    { admin: true },
  );
  const path = "/content-manager/collection-types/plugin::users-permissions.user";
  const user = { username: "ida", email: "ida@example.com", password: "Passw0rd", confirmed: true, role: 1 };
  const { status } = await app.call("POST", path, user, AUTHORIZATION);
  expect(status).toBe(201);
  expect(globalThis).toMatchObject({ createdUser: { username: "ida", email: "ida@example.com" } });
  await app.close();
});

test("publishing saves the draft and publishes it, each an action for middlewares, in one transaction", async () => {
  const code = `module.exports = {
    register({ strapi }) {
      globalThis.told = [];
      strapi.documents.use((context, next) => {
        globalThis.told.push(context.action);
        return next();
      });
    },
    bootstrap({ strapi }) {
      for (const name of ["create", "update", "publish"])
        strapi.eventHub.on("entry." + name, ({ entry }) => globalThis.told.push(name + " " + entry.title));
    },
  };`;
  const app = await testApp(
    {
      ...configFile({ tokens: [administrator] }),
      ...typeFile("note", { title: { type: "string", required: true } }, { options: { draftAndPublish: true } }),
      "src/index.js": code,
    },
    { admin: true },
  );
  const path = "/content-manager/collection-types/api::note.note";
  const send = async (method: string, at: string, body?: object) => {
    const response = await app.call(method, path + at, body, AUTHORIZATION);
    const { told } = globalThis as unknown as { told: string[] };
    return { status: response.status, body: response.body, told: told.splice(0) };
  };
  const created = await send("POST", "/actions/publish", { title: "Fog" });
  expect(created).toMatchObject({ status: 200, body: { data: { title: "Fog", status: "published" } } });
  expect(created.told).toEqual(["create", "publish", "create Fog", "publish Fog"]);
  const { documentId } = created.body.data;
  const updated = await send("POST", `/${documentId}/actions/publish`, { title: "Rain" });
  expect(updated).toMatchObject({ status: 200, body: { data: { title: "Rain", status: "published" } } });
  expect(updated.told).toEqual(["update", "publish", "update Rain", "publish Rain"]);
  // a draft may be empty, what is published may not
  for (const [at, action] of [
    ["/actions/publish", "create"],
    [`/${documentId}/actions/publish`, "update"],
  ] as const)
    expect(await send("POST", at, { title: null })).toMatchObject({ status: 400, told: [action, "publish"] });
  const list = await send("GET", "");
  expect(list.body.results).toMatchObject([{ title: "Rain", status: "published" }]);
  await app.close();
});

test("what publishes answers with its version, also when another request removes that at once", async () => {
  const app = await testApp(
    {
      ...configFile({ tokens: [administrator] }),
      ...typeFile("note", { title: { type: "string" } }, { draftAndPublish: true }),
      "src/index.js": `module.exports = {
        register({ strapi }) {
          strapi.documents.use((context, next) => new Promise((done) => setTimeout(done, 5)).then(next));
        },
      };`,
    },
    { admin: true },
  );
  const path = "/content-manager/collection-types/api::note.note";
  const { body } = await app.call("POST", path, { title: "Fog" }, AUTHORIZATION);
  const send = (action: string) =>
    app.call("POST", `${path}/${body.data.documentId}/actions/${action}`, {}, AUTHORIZATION);
  await send("publish");
  const responses = await Promise.all(["publish", "unpublish", "publish", "publish"].map(send));
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  await app.close();
});

test("lists and documents are what hooks and middlewares of reads make of them", async () => {
  const code = `module.exports = {
    register({ strapi }) {
      strapi.documents.use(async (context, next) => {
        if (context.action === "findMany") context.params.filters = { $and: [context.params.filters ?? {}, { title: { $ne: "Hidden" } }] };
        return next();
      });
    },
    bootstrap({ strapi }) {
      const mark = (row) => { if (row) row.title += "!"; };
      strapi.db.lifecycles.subscribe({
        models: ["api::note.note", "api::about.about"],
        afterFindOne({ result }) { mark(result); },
        afterFindMany({ result }) { result.forEach(mark); },
      });
    },
  };`;
  const app = await testApp(
    {
      ...configFile({ tokens: [administrator] }),
      ...typeFile("note", { title: { type: "string" }, size: { type: "integer" } }, { draftAndPublish: true }),
      ...typeFile("about", { title: { type: "string" } }, { kind: "singleType" }),
      "src/index.js": code,
    },
    { admin: true },
  );
  const send = async (method: string, path: string, body?: object) =>
    (await app.call(method, `/content-manager${path}`, body, AUTHORIZATION)).body;
  const notes = "/collection-types/api::note.note";
  const { data: fog } = await send("POST", notes, { title: "Fog", size: 2 });
  const { data: hidden } = await send("POST", notes, { title: "Hidden" });
  expect((await send("GET", notes)).results).toMatchObject([{ title: "Fog!", size: 2, status: "draft" }]);
  const [selected] = (await send("GET", `${notes}?fields=size`)).results;
  expect(selected).toMatchObject({ size: 2 });
  expect(selected).not.toHaveProperty("title");
  expect((await send("GET", `${notes}/${fog.documentId}`)).data).toMatchObject({ title: "Fog!", status: "draft" });
  expect((await send("GET", `${notes}/${hidden.documentId}`)).data).toMatchObject({ title: "Hidden!" });
  await send("PUT", "/single-types/api::about.about", { title: "About" });
  expect((await send("GET", "/single-types/api::about.about")).data).toMatchObject({ title: "About!" });
  await app.close();
});

test("hooks of the admin's reads find components and relations, as in Strapi", async () => {
  const relation = { type: "relation", relation: "oneToOne", target: "api::note.note" };
  const app = await testApp(
    {
      ...configFile({ tokens: [administrator] }),
      ...componentFile("a.part", { word: { type: "string" } }),
      ...typeFile("note", {
        title: { type: "string" },
        parts: { type: "component", repeatable: true, component: "a.part" },
        zone: { type: "dynamiczone", components: ["a.part"] },
        one: relation,
        any: { type: "relation", relation: "morphToMany" },
      }),
      "src/index.js": `module.exports = { bootstrap({ strapi }) {
        const show = ({ parts, zone, one, any }) => JSON.stringify([parts.map(({ word }) => word), zone, one, any]);
        strapi.db.lifecycles.subscribe({
          models: ["api::note.note"],
          afterFindOne({ result }) { result.title = show(result); },
          afterFindMany({ result }) { for (const row of result) row.title = show(row); },
        });
      } };`,
    },
    { admin: true },
  );
  const notes = "/content-manager/collection-types/api::note.note";
  const send = async (method: string, path: string, body?: object) =>
    (await app.call(method, `${notes}${path}`, body, AUTHORIZATION)).body;
  const { data } = await send("POST", "", { parts: [{ word: "w" }] });
  const read = async (path: string) => {
    const { results, data: document } = await send("GET", path);
    return JSON.parse((results?.[0] ?? document).title);
  };
  expect(await read("")).toEqual([["w"], [], null, { count: 0 }]);
  expect(await read(`/${data.documentId}`)).toEqual([["w"], [], { count: 0 }, { count: 0 }]);
  await app.close();
});
