/** Tokens, roles and administrators of Strapi's administration, as code reads and writes them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { Jwt } from "../../src/engine/access/jwt.ts";
import { Clock } from "../../src/lib/clock.ts";
import { type Body, configFile, serviceFile, type TestApp, testApp, typeFile } from "../project.ts";

const run = `module.exports = {
  run: async (ctx) => {
    const AsyncFunction = (async () => {}).constructor;
    try {
      ctx.body = { value: await new AsyncFunction("strapi", "tokens", "hash", ctx.request.body.code)(
        strapi, strapi.service("admin::api-token"), (key) => require("node:crypto")
          .createHmac("sha512", strapi.config.get("admin.apiToken.salt")).update(key).digest("hex")) };
    } catch ({ name, message }) {
      ctx.body = { value: { name, message } };
    }
  },
};`;
const core = (kind: string) =>
  `module.exports = require("@strapi/strapi").factories.createCore${kind}("api::note.note");`;
const files = {
  ...typeFile("note", { title: { type: "string" } }),
  ...serviceFile("note"),
  ...configFile({
    roles: { authenticated: ["plugin::users-permissions.user.me"] },
    tokens: [{ name: "admin", type: "admin", key: "an-admin-token" }],
  }),
  "src/api/note/controllers/note.js": core("Controller"),
  "src/api/note/routes/note.js": core("Router"),
  "src/api/run/controllers/run.js": run,
  "src/api/run/routes/run.js": `module.exports = { routes: [{ method: "POST", path: "/run", handler: "run.run", config: { auth: false } }] };`,
  "config/admin.js": `module.exports = { apiToken: { salt: "the project's own" } };`,
};

let app: TestApp;
beforeAll(async () => {
  app = await testApp(files);
});
afterAll(() => app.close());

const evaluate = async (code: string): Promise<Body> => (await app.call("POST", "/api/run", { code })).body.value;
const statusWith = async (key: string): Promise<number> =>
  (await app.call("GET", "/api/notes", undefined, { authorization: `Bearer ${key}` })).status;

test("code gets the secret that tokens of users are verified with", async () => {
  const { secret, id } = await evaluate(`
    const role = await strapi.db.query("plugin::users-permissions.role").findOne({ where: { type: "authenticated" } });
    const data = { username: "ada", email: "ada@example.com", provider: "local", role: role.id };
    const { id } = await strapi.plugin("users-permissions").service("user").add(data);
    return { secret: strapi.config.get("plugin::users-permissions.jwtSecret"), id };`);
  const token = new Jwt(secret, new Clock()).sign({ id }, 60);
  const { body } = await app.call("GET", "/api/users/me", undefined, { authorization: `Bearer ${token}` });
  expect(body.username).toBe("ada");
});

test("a token that code creates opens the Content API, until it is revoked", async () => {
  const token = await evaluate(`return tokens.create({ name: "made", type: "read-only", lifespan: null })`);
  expect(Object.keys(token)).toEqual([
    ...["id", "kind", "name", "description", "lastUsedAt", "type", "lifespan", "expiresAt", "createdAt", "updatedAt"],
    ...["permissions", "accessKey"],
  ]);
  expect(token.accessKey).toHaveLength(256);
  expect(await statusWith(token.accessKey)).toBe(200);
  const { accessKey } = await evaluate(`return tokens.regenerate(${token.id})`);
  expect(await statusWith(token.accessKey)).toBe(401);
  expect(await statusWith(accessKey)).toBe(200);
  const shown = await evaluate(`return tokens.getById(${token.id}, { includeDecryptedKey: true })`);
  expect(shown.accessKey).toBe(accessKey);
  await evaluate(`return tokens.revoke(${token.id})`);
  expect(await statusWith(accessKey)).toBe(401);
});

test("a custom token has the permissions that it was given last", async () => {
  const { id, accessKey, permissions } = await evaluate(
    `return tokens.create({ name: "own", type: "custom", permissions: ["api::note.note.find", "api::note.note.find"] })`,
  );
  expect(permissions).toEqual(["api::note.note.find"]);
  expect(await statusWith(accessKey)).toBe(200);
  await evaluate(`return tokens.update(${id}, { permissions: ["api::note.note.findOne"] })`);
  expect(await statusWith(accessKey)).toBe(403);
  const changed = await evaluate(`return tokens.update(${id}, { type: "full-access" })`);
  expect(changed).toMatchObject({ type: "full-access", permissions: [] });
  expect(await statusWith(accessKey)).toBe(200);
});

test.each([
  [`{ type: "custom", permissions: ["nope"] }`, "Unknown permissions provided: nope"],
  [`{ type: "custom" }`, "Missing permissions attribute for custom token"],
  [`{ type: "read-only", permissions: ["api::note.note.find"] }`, "Non-custom tokens should not reference permissions"],
  [`{ lifespan: 5 }`, "lifespan must be one of the following values:\n      , 604800000, 2592000000, 7776000000"],
  [`{ type: "nope" }`, "admin::api-token: Galley has tokens of the Content API: read-only, full-access or custom"],
  [`{ name: "own" }`, 'admin::api-token: the name "own" is taken; names are unique in Galley'],
])("a token of %s is refused, and none is left", async (attributes, message) => {
  const before = await evaluate("return tokens.count()");
  expect((await evaluate(`return tokens.create({ name: "refused", ...${attributes} })`)).message).toBe(message);
  expect(await evaluate("return tokens.count()")).toBe(before);
});

test("queries find the token of a key, and create tokens from hashes", async () => {
  await evaluate(`return strapi.db.query("admin::api-token").create({ data: {
    name: "seed", type: "read-only", accessKey: hash("seed-key"), lifespan: null, expiresAt: null } })`);
  expect(await statusWith("seed-key")).toBe(200);
  const found = await evaluate(`return strapi.db.query("admin::api-token").findOne({
    where: { accessKey: hash("seed-key"), type: { $in: ["read-only"] } }, select: ["name", "expiresAt"] })`);
  expect(found).toEqual({ name: "seed", expiresAt: null });
  await evaluate(
    `return strapi.db.query("admin::api-token").update({ where: { name: "seed" }, data: { expiresAt: new Date(0) } })`,
  );
  expect(await statusWith("seed-key")).toBe(401);
  await evaluate(`return strapi.db.query("admin::api-token").delete({ where: { name: "seed" } })`);
  expect(await evaluate(`return strapi.db.query("admin::api-token").count({ where: { name: "seed" } })`)).toBe(0);
});

test("a rolled back transaction leaves no token", async () => {
  const failed = await evaluate(`return strapi.db.transaction(async () => {
    await tokens.create({ name: "rolled back", type: "read-only" });
    throw new Error("no");
  })`);
  expect(failed.message).toBe("no");
  expect(await evaluate(`return tokens.exists({ name: "rolled back" })`)).toBeFalse();
});

test("admin tokens are neither listed nor overwritten", async () => {
  const names = async () => (await evaluate("return tokens.list()")).map(({ name }: Body) => name);
  expect(await names()).not.toContain("admin");
  await evaluate(`return tokens.create({ name: "next", type: "read-only" })`);
  const response = await app.call("GET", "/content-manager/content-types", undefined, {
    authorization: "Bearer an-admin-token",
  });
  expect(response.status).toBe(404);
  const taken = await evaluate(`return tokens.create({ name: "admin", type: "read-only" })`);
  expect(taken.message).toContain("is taken");
});

test("seeds find the standard roles, and the administrator that they create", async () => {
  expect(await evaluate(`return strapi.service("admin::user").exists()`)).toBeFalse();
  const user = await evaluate(`
    const role = await strapi.service("admin::role").getSuperAdmin();
    return strapi.service("admin::user").create({
      email: "A@b.co", firstname: "A", password: "Secret123!", isActive: true, registrationToken: null, roles: [role.id] })`);
  expect(user).toMatchObject({ email: "A@b.co", isActive: true, roles: [{ code: "strapi-super-admin" }] });
  expect(user.password).toStartWith("$2");
  const found = await evaluate(`return strapi.service("admin::user").findOneByEmail("a@B.co")`);
  expect(found.id).toBe(user.id);
  const role = await evaluate(`return strapi.db.query("admin::role").findOne({
    where: { code: "strapi-super-admin" }, populate: { users: { select: ["email"] } } })`);
  expect(role.users).toMatchObject([{ email: "A@b.co" }]);
  const refused = await evaluate(`return strapi.service("admin::user").deleteById(${user.id})`);
  expect(refused.message).toBe("You must have at least one user with super admin role.");
  expect(await evaluate(`return strapi.service("admin::role").create({ name: "Editor" })`)).toMatchObject({
    name: "ApplicationError",
    message: "The name must be unique and a role with name `Editor` already exists.",
  });
});

test("a role that is in use, and that of super administrators, cannot be deleted", async () => {
  const refusal = async (code: string) =>
    (await evaluate(`const roles = strapi.service("admin::role"); ${code} return "deleted"`)) as { message: string };
  expect((await refusal(`await roles.deleteByIds([(await roles.getSuperAdmin()).id]);`)).message).toBe(
    "You cannot delete the super admin role",
  );
  const own = `const role = await roles.create({ name: "Own" }); const user = await strapi.service("admin::user").create({ email: "own@b.co", roles: [role.id] });`;
  expect((await refusal(`${own} await roles.deleteByIds([role.id]);`)).message).toBe(
    "Some roles are still assigned to some users",
  );
  const unused = `const role = await roles.create({ name: "Unused" }); await roles.deleteByIds([role.id]); return roles.exists({ id: role.id });`;
  expect(await evaluate(`const roles = strapi.service("admin::role"); ${unused}`)).toBe(false);
});

test("administrators and roles are documents and entities as well", async () => {
  const seen = await evaluate(`
    const users = strapi.documents("admin::user");
    const role = await strapi.documents("admin::role").findFirst({ filters: { code: "strapi-editor" }, fields: ["code"] });
    const { documentId, id } = await users.create({ data: { firstname: "Eve", email: "eve@example.com", roles: [role.id] }, populate: ["roles"] });
    const entities = strapi.entityService;
    return {
      role: role.code,
      found: (await users.findOne({ documentId, populate: { roles: true } })).roles.map(({ code }) => code),
      none: [await users.findOne({ documentId: "none" }), await users.findOne({ documentId, filters: { firstname: "Bob" } })],
      counts: [await users.count({ filters: { firstname: "Eve" } }), await entities.count("admin::user", { filters: { firstname: "Bob" } })],
      updated: (await users.update({ documentId, data: { lastname: "E" } })).lastname,
      missing: await users.update({ documentId: "none", data: { lastname: "E" } }),
      entity: (await entities.findOne("admin::user", id)).email,
      entities: (await entities.findMany("admin::user", { filters: { email: "eve@example.com" }, fields: ["lastname"] })).map(({ lastname }) => lastname),
      deleted: (await users.delete({ documentId })).entries.length,
      left: await users.count(),
    };`);
  expect(seen).toEqual({
    ...{ role: "strapi-editor", found: ["strapi-editor"], none: [null, null], counts: [1, 0] },
    ...{
      updated: "E",
      missing: null,
      entity: "eve@example.com",
      entities: ["E"],
      deleted: 1,
      left: expect.any(Number),
    },
  });
});
