/** `createPermissionsManager` and the content manager's `permission-checker`: with what Strapi 5.54 answered for a super admin. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { configFile, type TestApp, testApp, typeFile } from "../project.ts";

const KEY = "an-admin-token";
const EXPLORER = "plugin::content-manager.explorer";

/** Questions by name, as code. */
const questions = {
  isAllowed: `["${EXPLORER}.read", "x"].map((action) => permissions.createPermissionsManager({ ability, action, model: "api::note.note" }).isAllowed)`,
  staticAction: `permissions.createPermissionsManager({ ability, action: "plugin::upload.read", model: "plugin::upload.file" }).isAllowed`,
  can: `["read", "create", "update", "delete", "publish", "unpublish", "discard"].map((action) => [checker.can[action](), checker.cannot[action](), checker.requiresEntity[action]()].join())`,
  canField: `[checker.can.read(null, "title"), checker.can.read({ id: 1 }, "unknown"), checker.can.read(null, "part"), checker.can.read(null, "part.label"), checker.can.delete(null, "title"), checker.can("x")]`,
  canOther: `[checkerOf("api::gone.gone").can.read(), checkerOf("c.part").can.read()]`,
  output: "manager.sanitizeOutput(entry)",
  outputs: "checker.sanitizeOutput([{ title: 'a', pass: 'x' }])",
  created: "checker.sanitizeCreateInput(input)",
  updated: "checker.sanitizeUpdateInput({ id: 1 })(input)",
  filters: `manager.sanitizeQuery({ page: 2, filters: { $and: [{ title: "a" }, { pass: "x" }, { unknown: 1 }], tags: { name: "x", pass: "x" }, createdBy: { password: "x" } } })`,
  sort: `manager.sanitizeQuery({ sort: ["title:asc", "pass:asc", "unknown", "tags.name:desc", "createdBy.email"] })`,
  wildcard: `manager.sanitizeQuery({ populate: "*" })`,
  nested: `manager.sanitizeQuery({ populate: { tags: { filters: { name: "x", pass: "y" }, sort: "name" } } }, { action: "${EXPLORER}.delete" })`,
  query: `checker.sanitizedQuery.read({ filters: { title: "a", pass: "x" } })`,
  emptyQuery: "checker.sanitizedQuery.update({})",
  conditions: `[manager.getQuery(), manager.getQuery("x"), manager.addPermissionsQueryTo({ filters: { a: 1 } }, "x")]`,
  subject: `[manager.toSubject(entry) === entry, ability.can("${EXPLORER}.read", manager.toSubject({})), Object.keys(manager.toSubject({ a: 1 }))]`,
  valid: `manager.validateQuery({ filters: { title: "a", unknown: 1 }, sort: "tags.name", populate: "*" })`,
  validData: `checker.validateInput("${EXPLORER}.create", { title: "a", unknown: 1 })`,
  noAction: `permissions.createPermissionsManager({ ability, model: "api::note.note" }).getQuery()`,
  badFilter: `checker.validateQuery({ filters: { tags: { pass: "x" } } })`,
  badField: `manager.validateQuery({ fields: ["title", "pass"] })`,
  badPopulate: `manager.validateQuery({ populate: { tags: { filters: { pass: "x" } } } })`,
  badInput: `checker.validateInput("${EXPLORER}.create", { createdAt: "x" })`,
  hidden: `checkerOf("plugin::users-permissions.user").sanitizeOutput({ username: "a", password: "x", resetPasswordToken: "x", confirmationToken: "x", provider: "x" })`,
  populate: `builder("api::note.note").populateFromQuery({ filters: { part: { tag: { name: "x" } }, title: "a" }, sort: "tags.name" }).build()`,
  populateOne: `builder("api::note.note").populateFromQuery({ filters: { tags: { name: "x" } } }).populateDeep(1).countRelations().build().then(({ tags, part }) => ({ tags, part }))`,
  populateNone: `builder("api::note.note").populateFromQuery({}).build()`,
};

const files = {
  ...configFile({ tokens: [{ name: "admin", type: "admin", key: KEY }] }),
  ...typeFile("note", {
    title: { type: "string" },
    pass: { type: "password" },
    kept: { type: "string", private: true },
    part: { type: "component", component: "c.part" },
    tags: { type: "relation", relation: "oneToMany", target: "api::tag.tag" },
    user: { type: "relation", relation: "oneToOne", target: "plugin::users-permissions.user" },
  }),
  ...typeFile("tag", { name: { type: "string" }, pass: { type: "password" } }),
  "src/components/c/part.json": JSON.stringify({
    collectionName: "components_c_parts",
    info: { displayName: "Part" },
    attributes: {
      label: { type: "string" },
      pass: { type: "password" },
      tag: { type: "relation", relation: "oneToOne", target: "api::tag.tag" },
    },
  }),
  "config/plugins.js": 'module.exports = { own: { enabled: true, resolve: "./src/plugins/own" } };',
  "src/plugins/own/package.json": "{}",
  "src/plugins/own/strapi-server.js": `
  const input = { title: "t", pass: "x", createdAt: "c", unknown: 1, createdBy: { id: 1, roles: [] } };
  const entry = {
    id: 1, documentId: "d", title: "t", pass: "x", kept: "k", unknown: 1, locale: null, publishedAt: null,
    part: { id: 1, label: "l", pass: "x", tag: { name: "n", pass: "x" } }, tags: [{ name: "n", pass: "x" }],
    user: { username: "u", password: "x", resetPasswordToken: "x" },
    createdBy: { id: 1, firstname: "f", username: "u", email: "e", password: "x", roles: [{ id: 1 }] }, updatedBy: null,
  };
  module.exports = {
    controllers: { own: ({ strapi }) => ({
      async ask(ctx) {
        const ability = ctx.state.userAbility, manages = strapi.plugin("content-manager");
        const permissions = strapi.service("admin::permission"), builder = manages.service("populate-builder");
        const checkerOf = (model) => manages.service("permission-checker").create({ userAbility: ability, model });
        const manager = permissions.createPermissionsManager({ ability, action: "${EXPLORER}.read", model: "api::note.note" });
        const checker = checkerOf("api::note.note");
        const answers = { ${Object.entries(questions)
          .map(([name, code]) => `${name}: () => ${code}`)
          .join(", ")} };
        ctx.body = {};
        for (const [name, answer] of Object.entries(answers))
          ctx.body[name] = await Promise.resolve().then(answer).catch((error) => error.name + ": " + error.message);
      },
      actions(ctx) {
        const { actionProvider } = strapi.service("admin::permission");
        const remove = actionProvider.get("${EXPLORER}.delete");
        remove.displayName = "Soft delete";
        ctx.body = { keys: actionProvider.keys(), size: actionProvider.size(), remove: actionProvider.get("${EXPLORER}.delete"), values: actionProvider.values() };
      },
    }) },
    routes: { admin: { type: "admin", routes: ["ask", "actions"].map((name) => ({ method: "GET", path: "/" + name, handler: "own." + name, config: { policies: [] } })) } },
  };`,
};

let app: TestApp;
let answers: Record<keyof typeof questions, unknown>;
const get = async (path: string) =>
  (await app.call("GET", path, undefined, { authorization: `Bearer ${KEY}` })).body as unknown;
beforeAll(async () => {
  app = await testApp(files, { admin: true });
  answers = (await get("/own/ask")) as typeof answers;
});
afterAll(() => app.close());

const INPUT = { title: "t", pass: "x", unknown: 1 };
const RELATIONS = { part: true, tags: true, user: true, createdBy: true, updatedBy: true };

test.each<[keyof typeof questions, unknown]>([
  ["isAllowed", [true, false]],
  ["staticAction", true],
  ["can", Array(7).fill("true,false,false")],
  ["canField", [true, false, false, true, true, false]],
  ["canOther", [false, false]],
  [
    "output",
    {
      ...{ id: 1, documentId: "d", title: "t", kept: "k", unknown: 1, locale: null, publishedAt: null },
      ...{ part: { id: 1, label: "l", tag: { name: "n" } }, tags: [{ name: "n" }], user: { username: "u" } },
      ...{ createdBy: { id: 1, firstname: "f", username: "u", email: "e" }, updatedBy: null },
    },
  ],
  ["outputs", [{ title: "a" }]],
  ["created", INPUT],
  ["updated", INPUT],
  ["filters", { page: 2, filters: { $and: [{ title: "a" }, { unknown: 1 }], tags: { name: "x" } } }],
  ["sort", { sort: ["title:asc", "tags.name:desc", "createdBy.email"] }],
  ["wildcard", { populate: RELATIONS }],
  ["nested", { populate: { tags: { filters: { name: "x" }, sort: "name" } } }],
  ["query", { filters: { $and: [{ title: "a" }, {}] } }],
  ["emptyQuery", { filters: {} }],
  ["conditions", [{}, null, { filters: { a: 1 } }]],
  ["subject", [true, true, ["a"]]],
  ["valid", true],
  ["validData", { title: "a", unknown: 1 }],
  ["noAction", "Error: Action must be defined to build a permission query"],
  ["badFilter", "ValidationError: Invalid key pass at tags.pass"],
  ["badField", "ValidationError: Invalid key pass"],
  ["badPopulate", "ValidationError: Invalid key pass"],
  ["badInput", "ValidationError: Invalid key createdAt"],
  ["hidden", { username: "a" }],
  ["populate", { part: { populate: { tag: {} } } }],
  ["populateOne", { tags: {}, part: { populate: {} } }],
  ["populateNone", {}],
])("%s", (name, expected) => {
  expect(answers[name]).toEqual(expected);
});

test("the actions of Strapi are listed before those of code, and code may rename them", async () => {
  const { keys, size, remove, values } = (await get("/own/actions")) as {
    readonly keys: readonly string[];
    readonly size: number;
    readonly remove: object;
    readonly values: readonly { readonly actionId: string }[];
  };
  expect(size).toBe(64);
  expect(keys.slice(0, 6)).toEqual([
    ...["create", "read", "update", "delete", "publish"].map((name) => `${EXPLORER}.${name}`),
    "plugin::content-manager.single-types.configure-view",
  ]);
  expect(remove).toEqual({
    ...{ options: { applyToProperties: ["locales"] }, section: "contentTypes", displayName: "Soft delete" },
    ...{ pluginName: "content-manager", actionId: `${EXPLORER}.delete` },
    subjects: expect.arrayContaining(["api::note.note", "api::tag.tag", "plugin::users-permissions.user"]),
  });
  const find = (id: string) => values.find(({ actionId }) => actionId === id);
  const plain = { options: { applyToProperties: null } };
  expect(find("plugin::upload.assets.copy-link")).toEqual({
    ...{ ...plain, section: "plugins", displayName: "Copy link", subCategory: "assets", pluginName: "upload" },
    actionId: "plugin::upload.assets.copy-link",
  } as never);
  expect(find("admin::users.create")).toEqual({
    ...{ ...plain, section: "settings", displayName: "Create (invite)", category: "users and roles" },
    ...{ subCategory: "users", pluginName: "admin", actionId: "admin::users.create" },
  } as never);
});
