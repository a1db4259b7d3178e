/** Who may do what, changed from the page: written into `config/galley.json`, shown before, and served at once. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createGalley, type Galley } from "../../src/index.ts";
import { type Body, configFile, projectFolder, typeFile } from "../project.ts";
import { askAs, signedIn } from "./signed-in.ts";

const folder = projectFolder({
  ...typeFile("note", { text: { type: "string" } }),
  ...configFile({
    roles: { public: ["api::note.note.*"], editor: ["api::note.note.find"] },
    users: [{ username: "ann", email: "ann@example.com", password: "a secret of Ann", role: "editor" }],
    tokens: [
      { name: "site", type: "full-access", key: "key-of-the-site" },
      { name: "admin", type: "admin", key: "key-of-the-admin" },
    ],
  }),
});
const FILE = join(folder.root, "config/galley.json");
const saved = (): Body => JSON.parse(readFileSync(FILE, "utf8"));

let galley: Galley;
let ask: ReturnType<typeof askAs>;

beforeAll(async () => {
  galley = await createGalley({
    project: folder.root,
    memory: false,
    admin: true,
    environment: { ADMIN_JWT_SECRET: "k" },
  });
  ask = askAs(galley, await signedIn(galley, "k"));
});
afterAll(async () => {
  await galley.close();
  folder.remove();
});

async function change(kind: string, given: object): Promise<Body> {
  const preview = await ask("POST", "/access/preview", { kind, change: given });
  if (preview.status !== 200) return preview;
  return ask("POST", "/access/change", { kind, change: given, mark: preview.body.data.mark });
}
const publicStatus = async (): Promise<number> =>
  (await galley.handle(new Request("http://localhost/api/notes"))).status;

describe("a change", () => {
  test("of a file that is not JSON is refused, and the file is left as it is", async () => {
    const before = readFileSync(FILE, "utf8");
    writeFileSync(FILE, `${before},`);
    const given = { kind: "role", change: { type: "public", actions: [] } };
    const { status, body } = await ask("POST", "/access/preview", given);
    expect([status, body.error.name]).toEqual([400, "ApplicationError"]);
    expect(body.error.message).toStartWith("config/galley.json is not valid JSON");
    expect((await ask("POST", "/access/change", { ...given, mark: "any" })).status).toBe(400);
    expect(readFileSync(FILE, "utf8")).toBe(`${before},`);
    writeFileSync(FILE, before);
  });

  test("is shown before anything is written, without keys and passwords", async () => {
    const before = readFileSync(FILE, "utf8");
    const { status, body } = await ask("POST", "/access/preview", {
      kind: "role",
      change: { type: "public", actions: [] },
    });
    expect(status).toBe(200);
    expect(body.data.before).toContain("api::note.note.*");
    expect(body.data.after).not.toContain("api::note.note.*");
    for (const secret of ["a secret of Ann", "key-of-the-site", "key-of-the-admin"])
      expect(JSON.stringify(body)).not.toContain(secret);
    expect(readFileSync(FILE, "utf8")).toBe(before);
  });

  test("is served when it is answered", async () => {
    expect(await publicStatus()).toBe(200);
    expect((await change("role", { type: "public", actions: ["api::note.note.findOne"] })).status).toBe(200);
    expect(saved().roles.public).toEqual(["api::note.note.findOne"]);
    expect(await publicStatus()).toBe(403);
  });

  test("of permissions that somebody has seen leaves what others have changed since", async () => {
    const named = (...names: string[]) => names.map((name) => `api::note.note.${name}`);
    await change("role", { type: "public", actions: named("find", "create") });
    await change("role", { type: "public", seen: named("find"), actions: named("find", "delete") });
    expect(saved().roles.public).toEqual(named("find", "create", "delete"));
    await change("role", { type: "public", seen: named("find", "update"), actions: named("update") });
    expect(saved().roles.public).toEqual(named("create", "delete"));
  });

  test("of a role that the file lacks keeps what it has had in the database", async () => {
    const roles = (await ask("GET", "/access")).body.data.roles as Body[];
    const seen: string[] = roles.find(({ type }) => type === "authenticated")!.actions;
    expect(seen.length).toBeGreaterThan(0);
    expect(saved().roles.authenticated).toBeUndefined();
    const actions = [...seen, "api::note.note.find"];
    expect((await change("role", { type: "authenticated", seen, actions })).status).toBe(200);
    expect(saved().roles.authenticated).toEqual(actions);
  });

  test("of a file that was changed meanwhile is refused", async () => {
    const given = { kind: "role", change: { type: "public", actions: [] } };
    const { body } = await ask("POST", "/access/preview", given);
    const text = readFileSync(FILE, "utf8");
    writeFileSync(FILE, `${text}\n`);
    expect((await ask("POST", "/access/change", { ...given, mark: body.data.mark })).status).toBe(400);
    expect((await ask("POST", "/access/change", given)).status).toBe(400);
    expect(readFileSync(FILE, "utf8")).toBe(`${text}\n`);
  });

  test("that cannot be served leaves the file as it was", async () => {
    const before = readFileSync(FILE, "utf8");
    const { status, body } = await change("role", { type: "public", actions: ["api::note.note.findd"] });
    expect(status).toBe(400);
    expect(body.error.message).toContain("api::note.note.find");
    expect(readFileSync(FILE, "utf8")).toBe(before);
  });

  test("of users and tokens of the file keeps their passwords and keys", async () => {
    await change("user", { username: "ann", blocked: true });
    await change("token", { name: "site", type: "custom", permissions: ["api::note.note.find"] });
    const { users, tokens } = saved();
    expect(users).toMatchObject([{ password: "a secret of Ann", role: "editor", blocked: true }]);
    expect(tokens[0]).toEqual({
      name: "site",
      type: "custom",
      key: "key-of-the-site",
      permissions: ["api::note.note.find"],
    });
  });

  test.each([
    ["removeRole", { type: "public" }, 400],
    ["removeRole", { type: "editor" }, 400],
    ["removeToken", { name: "admin" }, 404],
    ["token", { name: "admin", type: "full-access", permissions: [] }, 404],
    ["token", { name: "site", type: "admin", permissions: [] }, 400],
    ["user", { username: "nobody", blocked: true }, 404],
    ["user", { username: "ann", blocked: "yes" }, 400],
    ["role", { type: "__proto__ x", actions: [] }, 400],
    ["role", { type: "__proto__", actions: [] }, 400],
    ["constructor", {}, 400],
    ["role", null, 400],
  ])("%s %j is refused with %i", async (kind, given, status) => {
    const before = readFileSync(FILE, "utf8");
    expect((await change(kind, given as object)).status).toBe(status);
    expect(readFileSync(FILE, "utf8")).toBe(before);
  });
});

test("everything is answered at once, without keys, for sessions alone", async () => {
  const { body } = await ask("GET", "/access");
  expect(body.data).toMatchObject({
    source: { file: "config/galley.json" },
    usersInFile: ["ann"],
    tokensInFile: ["site", "admin"],
  });
  expect(body.data.roles.map(({ type }: Body) => type).toSorted()).toEqual(["authenticated", "editor", "public"]);
  expect(JSON.stringify(body)).not.toContain("the key");
  expect((await askAs(galley, "")("GET", "/access")).status).toBe(401);
  expect((await askAs(galley, "")("POST", "/access/change", {})).status).toBe(401);
});

test("users are made, found and blocked by the rules of the Content API; no password is answered", async () => {
  const { body: made } = await ask("POST", "/users", {
    username: "bob",
    email: "bob@example.com",
    password: "a secret of Bob",
    role: (await ask("GET", "/access")).body.data.roles.find(({ type }: Body) => type === "editor").id,
  });
  expect((await ask("GET", "/users?_q=bob&populate=role")).body).toMatchObject([
    { username: "bob", role: { type: "editor" } },
  ]);
  expect((await ask("PUT", `/users/${made.id}`, { blocked: true })).status).toBe(200);
  expect(JSON.stringify((await ask("GET", "/users")).body)).not.toContain("password");
  expect((await ask("DELETE", `/users/${made.id}`)).status).toBe(200);
  expect((await askAs(galley, "")("GET", "/users")).status).toBe(401);
});

test("a role may have the name of an object's own function", async () => {
  const change = { type: "constructor", actions: ["api::note.note.find"] };
  const { status, body } = await ask("POST", "/access/preview", { kind: "role", change });
  expect(status).toBe(200);
  expect(JSON.parse(body.data.after).roles.constructor).toEqual(["api::note.note.find"]);
});

test("settings that come from code are shown as such, and not changed", async () => {
  const code = projectFolder({
    ...typeFile("note", { text: { type: "string" } }),
    "config/galley.js": "module.exports = () => ({ roles: { public: [] } });",
  });
  const options = { project: code.root, memory: false, admin: true, environment: { ADMIN_JWT_SECRET: "k" } };
  const own = await createGalley(options);
  const askOwn = askAs(own, await signedIn(own, "k"));
  expect((await askOwn("GET", "/access")).body.data.source.problem).toContain("config/galley.js");
  const refused = await askOwn("POST", "/access/preview", { kind: "role", change: { type: "public", actions: [] } });
  expect(refused.status).toBe(400);
  await own.close();
  code.remove();
});

test("names that stand for several actions stay in the file while all of them are wanted", async () => {
  const all = ["find", "findOne", "create", "update", "delete"].map((action) => `api::note.note.${action}`);
  const text = JSON.stringify({ ...saved(), roles: { public: ["api::note.note.*"] } });
  writeFileSync(FILE, text);
  await change("role", { type: "public", actions: [...all, "plugin::upload.content-api.find"] });
  expect(saved().roles.public).toEqual(["api::note.note.*", "plugin::upload.content-api.find"]);
  await change("role", { type: "public", actions: all.slice(1) });
  expect(saved().roles.public).toEqual(all.slice(1));
});
