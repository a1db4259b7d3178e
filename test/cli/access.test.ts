/** `galley access` and `galley token`: what they print, refuse and leave behind. */

import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createGalley } from "../../src/index.ts";
import { PROGRAM } from "../program.ts";
import { ADMIN, configFile, createCall, projectFolder, typeFile } from "../project.ts";

const folders: { remove: () => void }[] = [];
afterAll(() => {
  for (const folder of folders) folder.remove();
});

function folder(settings: Readonly<Record<string, unknown>> = {}): string {
  const made = projectFolder({
    ...configFile(settings),
    ...typeFile("post", { title: { type: "string" } }),
    ...typeFile("page", { title: { type: "string" } }, { draftAndPublish: true }),
  });
  folders.push(made);
  return made.root;
}

function galley(...args: string[]) {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...PROGRAM, ...args], { env: {} });
  return { exitCode, out: stdout.toString(), err: stderr.toString() };
}

describe("galley access", () => {
  test("shows the matrix of every role and writes nothing", () => {
    const root = folder({ tokens: [], roles: { editor: ["api::post.post.*"], public: ["api::post.post.find"] } });
    const { out, exitCode } = galley("access", root);
    expect(exitCode).toBe(0);
    const [, publicPart] = out.split("role public");
    expect(publicPart).toMatch(/api::post\.post +yes +- +- +- +-\n/);
    expect(out.split("role editor")[1]).toMatch(/api::post\.post +yes +yes +yes +yes +yes\n/);
    expect(out).toEndWith("no warnings\n");
    expect(existsSync(join(root, ".galley"))).toBe(false);
  });

  const risks: readonly [string, Readonly<Record<string, unknown>>, string][] = [
    ["public-writes", { roles: { public: ["api::post.post.create"] } }, "everybody may create posts"],
    ["public-writes", { roles: { public: ["plugin::upload.content-api.upload"] } }, "everybody may upload files"],
    ["public-users", { roles: { public: ["plugin::users-permissions.user.find"] } }, "user.find"],
    ["public-users", { roles: { public: ["plugin::users-permissions.role.*"] } }, "role.createRole"],
    ["public-drafts", { roles: { public: ["api::page.page.find"] } }, "everybody may read the drafts of pages"],
    ["secrets-in-files", { tokens: [{ name: "t", type: "full-access", key: "k" }] }, 'token "t"'],
    ["secrets-in-files", { users: [{ username: "ada", email: "a@b.co", password: "secret1" }] }, 'user "ada"'],
  ];
  for (const [risk, settings, text] of risks) {
    test(`${risk}: ${text}`, () => {
      const root = folder({ tokens: [], ...settings });
      const { out, exitCode } = galley("access", root);
      expect(exitCode).toBe(1);
      expect(out).toContain(`warning (${risk}): `);
      expect(out).toContain(text);
      expect(galley("access", root, "--allow", risk).exitCode).toBe(0);
    });
  }

  test("an unknown risk is refused with those that there are", () => {
    const { err, exitCode } = galley("access", folder(), "--allow", "nothing");
    expect(exitCode).toBe(1);
    expect(err).toContain('--allow knows public-writes, public-users, public-drafts, secrets-in-files, not "nothing"');
  });
});

describe("galley token", () => {
  async function status(root: string, key: string, method = "GET"): Promise<number> {
    const app = await createGalley({ project: root, memory: false, environment: {} });
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const body = method === "POST" ? { body: JSON.stringify({ data: {} }) } : {};
    const response = await app.handle(new Request("http://localhost/api/posts", { method, headers, ...body }));
    await app.close();
    return response.status;
  }

  test("a key is shown once, works, is stored hashed, and is refused once revoked", async () => {
    const root = folder();
    const made = galley("token", "create", "build", root);
    expect(made.exitCode).toBe(0);
    const key = made.out.trim();
    expect(key).toMatch(/^[0-9a-f]{96}$/);
    expect(await status(root, key)).toBe(200);
    expect(await status(root, key, "POST")).toBe(403);
    const db = new Database(join(root, ".galley/content.db"));
    db.run("PRAGMA wal_checkpoint(TRUNCATE)");
    db.close();
    expect(readFileSync(join(root, ".galley/content.db")).includes(key)).toBe(false);
    const listed = galley("token", "list", root).out;
    expect(listed).toMatch(/^build {2}read-only {2}never expires {2}last used .*galley token$/m);
    expect(listed).not.toContain(key);
    expect(galley("token", "revoke", "build", root).exitCode).toBe(0);
    expect(await status(root, key)).toBe(401);
  });

  test("a custom token may do what is listed", async () => {
    const root = folder();
    const { out } = galley("token", "create", "c", root, "--type", "custom", "--permissions", "api::post.post.create");
    expect(await status(root, out.trim())).toBe(403);
    expect(await status(root, out.trim(), "POST")).toBe(201);
  });

  const refused: readonly [string, string[], string][] = [
    ["no name", ["create"], "Its name comes first"],
    ["an unknown type", ["create", "x", "ROOT", "--type", "owner"], 'not "owner"'],
    ["a custom token without permissions", ["create", "x", "ROOT", "--type", "custom"], "needs --permissions"],
    ["permissions of a full-access token", ["create", "x", "ROOT", "--permissions", "api::a.a.b"], "only custom"],
    [
      "an unknown action",
      ["create", "x", "ROOT", "--type", "custom", "--permissions", "api::post.post.fnd"],
      "did you mean api::post.post.find?",
    ],
    ["a time that is over", ["create", "x", "ROOT", "--expires", "2020-01-01"], "in the future"],
    ["no time", ["create", "x", "ROOT", "--expires", "soon"], "in the future"],
    ["a name that is in use", ["create", "full", "ROOT"], "already"],
    ["revoking an unknown token", ["revoke", "x", "ROOT"], 'there is no token "x"'],
    ["revoking a token of the file", ["revoke", "full", "ROOT"], "remove it there"],
    ["an unknown command", ["make"], 'unknown command "token make"'],
  ];
  for (const [name, args, message] of refused) {
    test(`refused: ${name}`, () => {
      const root = folder();
      const { exitCode, err, out } = galley("token", ...args.map((arg) => (arg === "ROOT" ? root : arg)));
      expect(exitCode).toBe(1);
      expect(err).toContain(message);
      expect(out).toBe("");
    });
  }
});

describe("a project whose code declares content-types", () => {
  const plugin = {
    "config/plugins.js": `module.exports = { kennel: { enabled: true, resolve: "./src/plugins/kennel" } };`,
    "src/plugins/kennel/package.json": "{}",
    "src/plugins/kennel/strapi-server.js": `console.log("loaded");
      module.exports = { contentTypes: { dog: { schema: {
        kind: "collectionType", collectionName: "kennel_dogs",
        info: { singularName: "dog", pluralName: "dogs", displayName: "Dog" }, attributes: { name: { type: "string" } },
      } } } };`,
  };

  test("commands leave the tables of a running server as they are, and print what they print only", async () => {
    const made = projectFolder({ ...configFile(), ...typeFile("post", { title: { type: "string" } }), ...plugin });
    folders.push(made);
    const server = await createGalley({ project: made.root, memory: false, environment: {} });
    const write = () =>
      createCall(server, ADMIN)("POST", "/api/posts", { data: { title: "a" } }).then(({ status }) => status);
    expect(await write()).toBe(201);
    expect(galley("token", "create", "ci", made.root).out).toMatch(/^[0-9a-f]{96}\n$/);
    expect(galley("token", "list", made.root, "--json").out).toContain('"ci"');
    expect(JSON.parse(galley("migrate", made.root).out)).toEqual([]);
    expect(await write()).toBe(201);
    await server.close();
  });
});
