/** Answers that a project's own code takes part in do not depend on what the caller must not see. */
import { afterAll, describe, expect, test } from "bun:test";
import { secretApp } from "../engine/query/secrets/project.ts";
import { ADMIN, configFile, TOKEN, testApp } from "../project.ts";

const TYPES = ["post", "tag", "news", "home", "vault"];
const factories = 'require("@strapi/strapi").factories';

/** What each type has, as the scaffolding of Strapi writes it. */
function scaffold(): Record<string, string> {
  const files: Record<string, string> = {};
  for (const name of TYPES) {
    for (const part of ["Router", "Controller", "Service"])
      files[`src/api/${name}/${part.toLowerCase()}s/${name}.js`] =
        `module.exports = ${factories}.createCore${part}("api::${name}.${name}");`;
  }
  return files;
}

const each = (file: (name: string) => Record<string, string>): Record<string, string> =>
  Object.assign({}, ...TYPES.map(file));

const controller = (body: string): Record<string, string> =>
  each((name) => ({
    [`src/api/${name}/controllers/${name}.js`]: `module.exports = ${factories}.createCoreController("api::${name}.${name}", ({ strapi }) => ({ ${body.replaceAll("UID", `"api::${name}.${name}"`)} }));`,
  }));

const projects: Readonly<Record<string, Record<string, string>>> = {
  "actions that call super": controller(`
    async find(ctx) { return await super.find(ctx); },
    async create(ctx) { return await super.create(ctx); },
    async update(ctx) { return await super.update(ctx); },`),
  "actions that read by themselves": controller(`
    async find(ctx) {
      await this.validateQuery(ctx);
      const found = await strapi.service(UID).find(await this.sanitizeQuery(ctx));
      return this.transformResponse(await this.sanitizeOutput(found?.results ?? found, ctx));
    },`),
  "middlewares of documents": {
    "src/index.js": "module.exports = { register({ strapi }) { strapi.documents.use((context, next) => next()); } };",
  },
  "hooks of reads": each((name) => ({
    [`src/api/${name}/content-types/${name}/lifecycles.js`]:
      "module.exports = { beforeFindMany() {}, beforeFindOne() {}, beforeCount() {} };",
  })),
};

const reads = [
  "/api/posts?filters[tags][mentions][code]=alpha-one-1",
  "/api/posts?filters[tags][mentions][pass][$startsWith]=$2",
  "/api/posts?sort=tags.mentions.code,id",
  "/api/posts?sort[tags][mentions][hidden][views]=desc",
  "/api/posts?sort[0][tags][mentions][code]=desc",
  "/api/tags?populate[posts][sort]=hidden.name&populate[posts][fields]=title",
  "/api/tags?populate[mentions][sort]=hidden.views:desc",
  "/api/tags?populate[mentions][filters][code]=alpha-one-1",
  "/api/posts?populate[zone][on][parts.part][sort]=inner",
  "/api/posts?populate[zone][on][parts.part][populate]=*",
  "/api/posts?populate[zone]=*",
  "/api/posts?populate=*",
  "/api/posts?populate=related,subject",
  "/api/posts?populate[related]=*",
  "/api/posts?populate[related][count]=true",
  "/api/posts?populate[related][on][api::vault.vault]=true",
  "/api/posts?populate[related][on][api::tag.tag][filters][posts][code]=alpha-one-1",
  "/api/tags?populate[vaults][count]=true",
  "/api/posts?_q=alpha",
  "/api/newss?_q=alpha-one&status=draft",
  "/api/tags?filters[vaults][name][$contains]=alpha",
];

const writes: readonly (readonly [method: string, path: string, data: Record<string, unknown>])[] = [
  ["PUT", "/api/posts/@posts-2?populate=*", { title: "changed" }],
  ["PUT", "/api/posts/@posts-1?populate[related][populate]=*", { title: "changed" }],
  ["POST", "/api/posts?populate=*", { title: "new", related: [{ __type: "api::vault.vault", id: 1 }] }],
];

for (const [name, code] of Object.entries(projects)) {
  describe(name, async () => {
    const files = { ...scaffold(), ...code };
    const sides = [await secretApp("alpha-one", files), await secretApp("omega-two", files)] as const;
    afterAll(async () => {
      for (const { app } of sides) await app.close();
    });
    const answers = (method: string, path: string, data?: unknown) =>
      Promise.all(
        sides.map(async ({ app, documents }) => {
          const resolved = path.replace(/@(\w+)-(\d)/, (_, type: string, at: string) => documents[type]![Number(at)]!);
          const response = await app.handle(
            new Request(`http://localhost${resolved}`, {
              method,
              headers: { "content-type": "application/json" },
              ...(data === undefined ? {} : { body: JSON.stringify({ data }) }),
            }),
          );
          const text = await response.text();
          return {
            status: response.status,
            text: text
              .replace(/"documentId":"[a-z0-9]{24}"/g, "")
              .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "")
              .replace(/_[0-9a-f]{10}\b/g, ""),
          };
        }),
      );
    for (const [method, path, data] of [...reads.map((read) => ["GET", read, undefined] as const), ...writes]) {
      test(`${method} ${path}`, async () => {
        const [one, other] = await answers(method, path, data);
        expect(other).toEqual(one!);
        expect(one!.status).toBeLessThan(500);
        expect(one!.text).not.toMatch(/"alpha-one-\d/);
      });
    }
  });
}

test("data without what the caller may not link", async () => {
  const files = {
    ...scaffold(),
    ...controller("async find(ctx) { return { data: await this.sanitizeInput(JSON.parse(ctx.query.data), ctx) }; },"),
  };
  const { app } = await secretApp("alpha-one", files);
  const hidden = { __type: "api::vault.vault", id: 1 };
  const open = { __type: "api::tag.tag", id: 1 };
  const data = {
    title: "new",
    hidden: 1,
    tags: [1],
    related: { connect: [hidden, open], disconnect: [hidden] },
    subject: hidden,
    part: { label: "a", vault: 1, tag: 1 },
    zone: [{ __component: "parts.part", vault: { connect: [1] } }],
  };
  const { body } = await app.call("GET", `/api/posts?data=${encodeURIComponent(JSON.stringify(data))}`, undefined, {});
  expect(body.data).toEqual({
    title: "new",
    tags: [1],
    related: { connect: [open], disconnect: [] },
    subject: null,
    part: { label: "a", tag: 1 },
    zone: [{ __component: "parts.part" }],
  });
  await app.close();
});

describe("parameters of strapi.db.query in requests", async () => {
  const actions = [
    "users-permissions.user.find",
    "users-permissions.user.findOne",
    "users-permissions.user.count",
  ].concat(["upload.content-api.find", "upload.content-api.findPage", "upload.content-api.findOne"]);
  const app = await testApp({
    ...configFile({
      tokens: [{ name: "full", type: "full-access", key: TOKEN }],
      users: ["ada", "bob"].map((username) => ({ username, email: `${username}@example.com`, password: "a password" })),
      roles: { public: actions.map((action) => `plugin::${action}`) },
    }),
    "src/index.js": `module.exports = { bootstrap({ strapi }) {
      strapi.db.lifecycles.subscribe({ beforeFindMany() {}, beforeFindOne() {}, beforeCount() {} });
    } };`,
  });
  afterAll(() => app.close());
  const form = new FormData();
  form.set("files", new File(["text"], "a.txt"));
  await app.handle(new Request("http://localhost/api/upload", { method: "POST", body: form, headers: ADMIN }));
  const read = (path: string) => app.call("GET", path, undefined, {});

  test.each([
    "where[password][$startsWith]=none",
    "where[resetPasswordToken][$notNull]=true",
    "where[$not][role][users][password][$startsWith]=$2",
    "where[folderPath][$startsWith]=none",
    "where[unknown]=1",
    "where=text",
    "orderBy[password]=desc",
    "orderBy[id]=desc",
    "select=id",
    "select[0]=unknown",
    "groupBy=provider",
    "offset=1",
  ])("%s changes nothing", async (query) => {
    for (const path of ["users", "users/1", "users/count", "upload/files", "upload/files/page", "upload/files/1"]) {
      const usual = await read(`/api/${path}`);
      expect(usual.status).toBe(200);
      expect(await read(`/api/${path}?${query}`)).toEqual(usual);
    }
  });

  test.each([
    "filters=text",
    "filters[$and]=text",
    "filters[createdAt]=text",
    "filters[id][$between]=1",
    "sort[id]=up",
    "fields[a]=id",
    "limit=text",
    "start=-1",
    "page=0",
  ])("%s is refused as without code", async (query) => {
    for (const path of ["users", "users/1", "users/count", "upload/files"])
      expect((await read(`/api/${path}?${query}`)).status).toBe(400);
  });
});
