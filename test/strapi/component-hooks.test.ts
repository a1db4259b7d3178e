/** Lifecycle hooks of components in writes over REST: each component is a query of its own. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Body, componentFile, configFile, type TestApp, testApp, typeFile } from "../project.ts";

const files = {
  ...configFile({ roles: { public: ["api::page.page.*", "api::plain.plain.*"] } }),
  ...componentFile("parts.link", { url: { type: "string" } }),
  ...componentFile("parts.card", {
    title: { type: "string" },
    link: { type: "component", component: "parts.link" },
    owner: { type: "relation", relation: "oneToOne", target: "api::plain.plain" },
  }),
  ...typeFile("plain", { name: { type: "string" } }),
  ...typeFile(
    "page",
    {
      title: { type: "string" },
      hero: { type: "component", component: "parts.card" },
      zone: { type: "dynamiczone", components: ["parts.card", "parts.link"] },
    },
    { draftAndPublish: true },
  ),
  "src/index.js": `
    const { errors } = require("@strapi/utils");
    module.exports = { bootstrap({ strapi }) {
      globalThis.componentTrace = [];
      const hooks = ["beforeCreate", "afterCreate", "beforeUpdate", "afterUpdate", "beforeDelete", "afterDelete"];
      strapi.db.lifecycles.subscribe({
        models: ["parts.card", "parts.link"],
        ...Object.fromEntries(hooks.map((name) => [name, ({ model, params, result }) => {
          const { title, url } = params.data ?? result ?? {};
          globalThis.componentTrace.push(name + " " + model.singularName + " " + (title ?? url ?? ""));
          if (name === "beforeCreate" && title === "refused") throw new errors.ApplicationError("no such card");
          if (name === "beforeCreate" && title === "changed") params.data.title = "by a hook";
          if (name === "beforeCreate" && title === "owned") params.data.owner = { set: [{ id: 1 }] };
        }])),
      });
    } };`,
};

let app: TestApp;
beforeAll(async () => {
  app = await testApp(files);
  await app.call("POST", "/api/plains", { data: { name: "first" } });
});
afterAll(() => app.close());

const trace = (): string[] => (globalThis as unknown as { componentTrace: string[] }).componentTrace;
const traced = async (work: () => Promise<unknown>): Promise<string[]> => {
  trace().length = 0;
  await work();
  return [...trace()];
};
const create = async (data: object): Promise<Body> =>
  (await app.call("POST", "/api/pages?status=draft&populate[hero][populate]=*&populate[zone]=true", { data })).body;

const around = (action: string, row: string): string[] => [`before${action} ${row}`, `after${action} ${row}`];

describe("components that are written over REST", () => {
  test("are created before their page, nested ones first, and again for the published page", async () => {
    const data = { title: "page", hero: { title: "hero", link: { url: "nested" } } };
    const version = [...around("Create", "link nested"), ...around("Create", "card hero")];
    expect(await traced(() => create(data))).toEqual(version);
    expect(await traced(() => app.call("POST", "/api/pages", { data }))).toEqual([...version, ...version]);
  });

  test("are updated if they have an id, and deleted otherwise", async () => {
    const { data } = await create({
      hero: { title: "old", link: { url: "nested" } },
      zone: [{ __component: "parts.link", url: "a" }],
    });
    const path = `/api/pages/${data.documentId}?status=draft`;
    const { id } = data.hero;
    expect(await traced(() => app.call("PUT", path, { data: { hero: { id, title: "kept" } } }))).toEqual(
      around("Update", "card kept"),
    );
    expect(await traced(() => app.call("PUT", path, { data: { hero: { title: "new" }, zone: [] } }))).toEqual([
      "beforeDelete link ",
      "afterDelete link nested",
      "beforeDelete card ",
      "afterDelete card kept",
      ...around("Create", "card new"),
      "beforeDelete link ",
      "afterDelete link a",
    ]);
  });

  test("are deleted after their page", async () => {
    const { data } = await create({ hero: { title: "gone" }, zone: [{ __component: "parts.link", url: "z" }] });
    expect(await traced(() => app.call("DELETE", `/api/pages/${data.documentId}`))).toEqual([
      "beforeDelete card ",
      "afterDelete card gone",
      "beforeDelete link ",
      "afterDelete link z",
    ]);
  });

  test("are not touched by updates of other attributes", async () => {
    const { data } = await create({ hero: { title: "left alone" } });
    const path = `/api/pages/${data.documentId}?status=draft&populate=hero`;
    let body: Body;
    const update = async () => {
      ({ body } = await app.call("PUT", path, { data: { title: "other" } }));
    };
    expect(await traced(update)).toEqual([]);
    expect(body.data.hero).toEqual({ id: data.hero.id, title: "left alone" });
  });
});

describe("hooks of components", () => {
  test("change what is stored, in both versions", async () => {
    const { body } = await app.call("POST", "/api/pages?populate=hero", { data: { hero: { title: "changed" } } });
    expect(body.data.hero.title).toBe("by a hook");
    const draft = await app.call("GET", `/api/pages/${body.data.documentId}?status=draft&populate=hero`);
    expect(draft.body.data.hero.title).toBe("by a hook");
  });

  test("add relations to components, also to those of the published page", async () => {
    const populate = "populate[hero][populate]=owner";
    const { body } = await app.call("POST", `/api/pages?${populate}`, { data: { hero: { title: "owned" } } });
    expect(body.data.hero.owner.name).toBe("first");
    const { data } = (await app.call("GET", `/api/pages/${body.data.documentId}?${populate}`)).body;
    expect(data.hero.owner.name).toBe("first");
  });

  test("roll the page back with their errors", async () => {
    const count = async () => (await app.call("GET", "/api/pages?status=draft")).body.meta.pagination.total;
    const before = await count();
    const { status, body } = await app.call("POST", "/api/pages", { data: { title: "x", hero: { title: "refused" } } });
    expect([status, body.error.name, body.error.message]).toEqual([400, "ApplicationError", "no such card"]);
    expect(await count()).toBe(before);
  });
});
