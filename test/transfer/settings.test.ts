import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ADVANCED_KEY } from "../../src/engine/access/stored-auth.ts";
import { DocumentService } from "../../src/engine/documents/document-service.ts";
import { LOCALE, USER } from "../../src/engine/schema/builtin/index.ts";
import { contentType } from "../../src/engine/schema/model.ts";
import { setStored } from "../../src/engine/storage/core-store.ts";
import { storedWebhooks } from "../../src/engine/webhooks/webhook.ts";
import { createApp } from "../../src/server/app.ts";
import { openArchive } from "../../src/server/archive.ts";
import { openProject, type Project } from "../../src/server/project/project.ts";
import { readEntries } from "../../src/transfer/archive/entries.ts";
import { readLines } from "../../src/transfer/archive/lines.ts";
import { surveyArchive } from "../../src/transfer/archive/survey.ts";
import { exportArchive } from "../../src/transfer/export/export-archive.ts";
import { importArchive } from "../../src/transfer/import/import-archive.ts";
import { PROGRAM } from "../program.ts";
import { metadata, type TarEntry, writeArchive } from "./tar.ts";

const folder = mkdtempSync(join(tmpdir(), "galley-settings-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const schema = {
  uid: "api::post.post",
  modelType: "contentType",
  kind: "collectionType",
  collectionName: "posts",
  info: { singularName: "post", pluralName: "posts", displayName: "Post" },
  options: { draftAndPublish: false },
  attributes: { title: { type: "string" } },
};
const locale = (id: number, code: string) => ({ type: LOCALE, id, data: { code, name: code } });
const setting = (key: string, value: unknown) => ({ type: "core-store", value: { id: 1, key, value, type: "object" } });
const rows = (stage: string, ...values: readonly object[]): TarEntry => ({
  name: `${stage}/${stage}_00001.jsonl`,
  content: values.map((value) => JSON.stringify(value)).join("\n"),
});
const user = { type: USER, id: 1, data: { documentId: "eve", username: "eve", email: "eve@example.com" } };
const archive = (...entities: readonly object[]) =>
  writeArchive(join(folder, "closed.tar.gz"), [
    rows("schemas", schema),
    rows("entities", locale(1, "en"), locale(2, "fr"), ...entities),
    rows(
      "configuration",
      setting("plugin_i18n_default_locale", "fr"),
      setting("plugin_users-permissions_advanced", {
        allow_register: false,
        email_confirmation: true,
        email_confirmation_redirection: null,
        default_role: 5,
      }),
    ),
    metadata,
  ]);

const register = () =>
  new Request("http://localhost/api/auth/local/register", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username: "eve", email: "eve@example.com", password: "Secret-123" }),
  });

test("an archive that lets nobody register is served like that", async () => {
  const project = await openArchive({ file: await archive() }, { memory: true, publicRead: false, environment: {} });
  const response = await createApp(project).handle(register());
  expect(response.status).toBe(400);
  expect(await response.text()).toContain("Register action is currently disabled");
  await project.close();
});

test("a project that an import makes has the archive's settings and locales; one that is there keeps its own", async () => {
  const root = join(folder, "new");
  const run = async (...options: readonly string[]) => {
    const process_ = Bun.spawn([...PROGRAM, "import", await archive(user), root, "--yes", ...options], {
      stdout: "pipe",
      stderr: "inherit",
    });
    const output = await new Response(process_.stdout).text();
    expect(await process_.exited).toBe(0);
    return output;
  };
  await run("--schemas");
  const file = join(root, "config/galley.json");
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
    // an id, of which Strapi finds no role either
    auth: { allowRegister: false, emailConfirmation: true, defaultRole: "5" },
  });
  const open = () => openProject(root, { memory: false, publicRead: false, environment: {} });
  const own = { auth: { allowRegister: true }, users: [{ username: "ada", email: "ada@example.com" }] };
  for (const settings of [undefined, own]) {
    if (settings) await Bun.write(file, JSON.stringify(settings));
    const project = open();
    const locales = await new DocumentService(project.context, contentType(project.model, LOCALE)).findMany({});
    expect(locales.map(({ code }) => code).sort()).toEqual(["en", "fr"]);
    expect(project.context.defaultLocale()).toBe("fr");
    await project.close();
  }
  const output = await run("--schemas");
  expect(output).toContain("auth.allowRegister is false in the archive and stays true here");
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(own);
  await using project = open();
  const found = await new DocumentService(project.context, contentType(project.model, USER)).findMany({});
  expect(found.map(({ username }) => username).sort()).toEqual(["ada", "eve"]);
  expect(existsSync(join(root, "src/api/post/content-types/post/schema.json"))).toBe(true);
}, 180_000);

const exported = async (project: Project, file: string) => {
  const { context, schema, settings, uploads } = project;
  await exportArchive({ context, schema, settings, uploadFolder: uploads.path }, { file });
  const found: unknown[] = [];
  for await (const { parsedPath, path, content } of readEntries({ file })) {
    if (parsedPath.kind !== "rows" || parsedPath.stage !== "configuration") continue;
    for await (const { value } of readLines(path, content, (text) => new Error(text) as never)) found.push(value);
  }
  return found as { readonly type: string; readonly value: Record<string, unknown> }[];
};

const webhook = {
  id: 3,
  name: "build",
  url: "https://example.com/hook",
  headers: { a: "b" },
  events: [],
  enabled: true,
};
const mails = {
  reset_password: {
    display: "Email.template.reset_password",
    options: {
      from: { name: "Staff", email: "staff@example.com" },
      response_email: "answers@example.com",
      object: "New password for <%= USER.username %>",
      message: "<p><%= URL %>?code=<%= TOKEN %> <%= USER.password %> <%= process.exit() %></p>",
    },
  },
};
const layout = {
  settings: { bulkable: true },
  metadatas: {},
  layouts: { list: ["id"], edit: [] },
  uid: "api::post.post",
};
const LAYOUT = "plugin_content_manager_configuration_content_types::api::post.post";
const advanced = { unique_email: false, allow_register: false, email_confirmation: false, own_key: 1 };
const withSettings = () =>
  writeArchive(join(folder, "with-settings.tar.gz"), [
    rows("schemas", schema),
    rows("entities", locale(1, "en")),
    rows(
      "configuration",
      setting("plugin_i18n_default_locale", "en"),
      setting("plugin_users-permissions_advanced", advanced),
      setting("plugin_users-permissions_email", mails),
      setting("plugin_users-permissions_grant", { email: { enabled: true }, github: { enabled: true } }),
      setting(LAYOUT, layout),
      setting("strapi_content_types_schema", { old: true }),
      setting("plugin_text", JSON.stringify({ parsed: true })),
      { type: "core-store", value: { id: 9, key: "old", value: "1", type: "string", environment: "production" } },
      { type: "webhook", value: webhook },
    ),
    metadata,
  ]);

test("settings and webhooks are exported again as they came; what has no effect is said", async () => {
  const file = await withSettings();
  const options = { memory: true, publicRead: false, environment: {} };
  const project = await openArchive({ file }, options);
  const found = await exported(project, join(folder, "again.tar"));
  // what came from elsewhere is confirmed by nobody yet
  expect(storedWebhooks(project.context.storage)).toMatchObject([{ name: "build", isUnconfirmed: true }]);
  const values = new Map(found.map(({ value }) => [value.key, value.value]));
  expect(values.get("plugin_users-permissions_advanced")).toMatchObject(advanced);
  expect(values.get(LAYOUT)).toEqual(layout);
  expect(values.get("plugin_users-permissions_email")).toEqual(mails);
  expect(values.get("plugin_text")).toEqual({ parsed: true });
  expect(values.has("strapi_content_types_schema")).toBe(false);
  expect(found.find(({ value }) => value.key === "old")?.value.environment).toBe("production");
  expect(found.filter(({ type }) => type === "webhook")).toEqual([{ type: "webhook", value: webhook }]);
  expect(new Set(found.flatMap(({ value, type }) => (type === "webhook" ? [] : [value.id]))).size).toBe(
    found.length - 1,
  );
  const target = { context: project.context, uploads: project.uploads };
  const again = await importArchive({ file }, await surveyArchive({ file }), target, { mode: "replace" });
  expect(again.notes.join("\n")).toContain("1 webhooks");
  // an archive of the content alone leaves the settings
  const bare = await writeArchive(join(folder, "bare.tar.gz"), [rows("schemas", schema), metadata]);
  await importArchive({ file: bare }, await surveyArchive({ file: bare }), target, { mode: "replace" });
  expect((await exported(project, join(folder, "kept.tar"))).length).toBe(found.length);
  await project.close();
});

test("mails are sent as stored templates say, and nothing in them is run", async () => {
  const lines: string[] = [];
  const root = join(folder, "mails");
  const project = await openArchive(
    { file: await withSettings() },
    { memory: false, publicRead: false, environment: {}, announce: (line) => lines.push(line) },
    root,
  );
  expect(project.settings.auth.allowRegister).toBe(false);
  await project.access.users.create({ username: "ada", email: "ada@example.com", password: "Secret-123" }, () => {});
  project.access.auth.forgotPassword({ email: "ada@example.com" });
  await project.idle();
  const [file = ""] = lines.flatMap((line) => /written to (.*)$/.exec(line)?.[1] ?? []);
  const mail = readFileSync(file, "utf8").replaceAll("=\r\n", "");
  expect(mail).toContain("From: Staff <staff@example.com>");
  expect(mail).toContain("Reply-To: answers@example.com");
  expect(mail).toContain("Subject: New password for ada");
  expect(mail).toMatch(
    /reset-password\?code=(3D)?[0-9a-f]{128} <%=(3D)? USER\.password %> <%=(3D)? process\.exit\(\) %>/,
  );
  await project.close();
});

test("settings that a program stores are those of the next request, unless a file says otherwise", async () => {
  const root = join(folder, "live");
  await Bun.write(join(root, "config/galley.json"), JSON.stringify({ auth: { defaultRole: "public" } }));
  const project = openProject(root, { memory: true, publicRead: false, environment: {} });
  const { auth } = project.settings;
  expect([auth.allowRegister, auth.defaultRole]).toEqual([true, "public"]);
  await project.context.storage.write(() =>
    setStored(project.context.storage, ADVANCED_KEY, { allow_register: false, default_role: "authenticated" }),
  );
  expect([auth.allowRegister, auth.defaultRole]).toEqual([false, "public"]);
  expect((await createApp(project).handle(register())).status).toBe(400);
  await project.close();
});

test("what an archive has too much of is left out and said", async () => {
  const many = Array.from({ length: 1_001 }, (_, index) => ({ type: "webhook", value: { ...webhook, id: index + 1 } }));
  const file = await writeArchive(join(folder, "many.tar.gz"), [
    rows("schemas", schema),
    rows(
      "configuration",
      ...many,
      { type: "webhook", value: { ...webhook, headers: { long: "x".repeat(30_000) } } },
      setting("plugin_long", "x".repeat(8_000_001)),
    ),
    metadata,
  ]);
  const options = { memory: true, publicRead: false, environment: {} };
  const project = await openArchive({ file }, options);
  const target = { context: project.context, uploads: project.uploads };
  const { notes } = await importArchive({ file }, await surveyArchive({ file }), target, { mode: "replace" });
  expect(notes.join("\n")).toMatch(/plugin_long, which is too large[\s\S]*too many or too large[\s\S]*1000 webhooks/);
  const found = await exported(project, join(folder, "many-again.tar"));
  expect(found.filter(({ type }) => type === "webhook").length).toBe(1_000);
  await project.close();
});
