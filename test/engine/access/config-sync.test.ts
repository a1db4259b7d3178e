import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Roles } from "../../../src/engine/access/roles.ts";
import { DocumentService } from "../../../src/engine/documents/document-service.ts";
import { LOCALE } from "../../../src/engine/schema/builtin/index.ts";
import { contentType } from "../../../src/engine/schema/model.ts";
import { createApp } from "../../../src/server/app.ts";
import { openProject, type Project } from "../../../src/server/project/project.ts";

const folder = mkdtempSync(join(tmpdir(), "galley-config-sync-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const schema = {
  kind: "collectionType",
  collectionName: "posts",
  info: { singularName: "post", pluralName: "posts", displayName: "Post" },
  options: { draftAndPublish: false },
  attributes: { title: { type: "string" } },
};
const role = (type: string, ...actions: readonly string[]) => ({
  type,
  name: `The ${type}`,
  description: "as committed",
  documentId: "x",
  permissions: actions.map((action) => ({ action, documentId: action, locale: null })),
});
const files: Readonly<Record<string, unknown>> = {
  "src/api/post/content-types/post/schema.json": schema,
  "config/sync/user-role.public.json": role("public", "api::post.post.find", "api::gone.gone.find"),
  "config/sync/user-role.writer.json": role("writer", "api::post.post.create", "api::post.post.create"),
  "config/sync/admin-role.strapi-editor.json": { code: "strapi-editor", permissions: null },
  "config/sync/i18n-locale.cs.json": { code: "cs", name: "Czech (cs)", locale: null },
  "config/sync/i18n-locale.en.json": { code: "en", name: "English (en)" },
  "config/sync/core-store.plugin_i18n_default_locale.json": {
    key: "plugin_i18n_default_locale",
    value: "cs",
    type: "string",
  },
  "config/sync/core-store.plugin_users-permissions_advanced.json": {
    key: "plugin_users-permissions_advanced",
    value: JSON.stringify({ allow_register: false, default_role: "writer" }),
    type: "object",
  },
};

function write(root: string, changed: Readonly<Record<string, unknown>>): void {
  for (const [path, value] of Object.entries(changed)) {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof value === "string" ? value : JSON.stringify(value));
    utimesSync(file, new Date(), new Date(2030, 0, 1));
  }
}

function projectIn(name: string, more: Readonly<Record<string, unknown>> = {}): string {
  const root = join(folder, name);
  write(root, { ...files, ...more });
  return root;
}

const open = (root: string): Project => openProject(root, { memory: false, publicRead: false, environment: {} });

function listActions({ context }: Project, type: string): string[] {
  const roles = new Roles(context);
  return [...roles.actions(roles.idByType(type)!)].sort();
}

test("roles, locales and settings are those of the config-sync plugin's files", async () => {
  const project = open(projectIn("plain"));
  expect((await createApp(project).handle(new Request("http://localhost/api/posts"))).status).toBe(200);
  expect(listActions(project, "public")).toEqual(["api::gone.gone.find", "api::post.post.find"]);
  expect(listActions(project, "writer")).toEqual(["api::post.post.create"]);
  const names = project.access.roles.list().map((found) => `${found.type}: ${found.name}`);
  expect(names.sort()).toEqual(["authenticated: Authenticated", "public: The public", "writer: The writer"]);
  const locales = await new DocumentService(project.context, contentType(project.model, LOCALE)).findMany({});
  expect(locales.map(({ code, name }) => [code, name])).toEqual([
    ["cs", "Czech (cs)"],
    ["en", "English (en)"],
  ]);
  expect(project.context.defaultLocale()).toBe("cs");
  expect(project.settings.auth).toMatchObject({ allowRegister: false, defaultRole: "writer" });
  await project.close();
});

test("the ids of the roles that always exist are the first ones", async () => {
  const project = open(projectIn("ids", { "config/sync/user-role.author.json": role("author") }));
  const { roles } = project.access;
  expect(["authenticated", "public", "author", "writer"].map((type) => roles.idByType(type))).toEqual([1, 2, 3, 4]);
  await project.close();
});

test("config/galley.json comes first", async () => {
  const root = projectIn("both", {
    "config/galley.json": {
      roles: { public: [] },
      locales: [{ code: "de", isDefault: true }],
      auth: { allowRegister: true },
    },
  });
  const project = open(root);
  expect(listActions(project, "public")).toEqual([]);
  expect(project.context.defaultLocale()).toBe("de");
  expect(project.settings.auth).toMatchObject({ allowRegister: true, defaultRole: "writer" });
  await project.close();
});

test("what was changed since stays until the files change", async () => {
  const root = projectIn("changed");
  const reopened = async (): Promise<string[]> => {
    const project = open(root);
    const actions = listActions(project, "public");
    await project.close();
    return actions;
  };
  const project = open(root);
  const roles = new Roles(project.context);
  project.context.storage.transaction(() => roles.setActions(roles.idByType("public")!, []));
  await project.close();
  expect(await reopened()).toEqual([]);
  write(root, {
    "src/api/tag/content-types/tag/schema.json": {
      ...schema,
      collectionName: "tags",
      info: { ...schema.info, singularName: "tag", pluralName: "tags" },
    },
  });
  expect(await reopened()).toEqual([]);
  write(root, { "config/sync/user-role.public.json": role("public", "api::post.post.findOne") });
  expect(await reopened()).toEqual(["api::post.post.findOne"]);
});

for (const [name, content, message] of [
  ["no JSON", "{", /user-role\.public\.json.*is not valid JSON/],
  ["a list", "[]", /user-role\.public\.json.*must hold an object/],
  ["no type", { permissions: [] }, /user-role\.public\.json.*type.*must be a text/],
  ["permissions that are none", { type: "public", permissions: [{}] }, /permissions\.0\.action.*must be a text/],
] as const) {
  test(`a file with ${name} is named`, () => {
    const root = projectIn(`wrong ${name}`, { "config/sync/user-role.public.json": content });
    expect(() => open(root)).toThrow(message);
  });
}

test("another folder is read where the plugin's configuration says so", async () => {
  const root = projectIn("elsewhere", {
    "config/plugins.json": { "config-sync": { enabled: true, config: { syncDir: "sync/" } } },
    "sync/user-role.public.json": role("public", "api::post.post.delete"),
  });
  const project = open(root);
  expect(listActions(project, "public")).toEqual(["api::post.post.delete"]);
  await project.close();
});
