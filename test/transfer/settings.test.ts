import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DocumentService } from "../../src/documents/document-service.ts";
import { LOCALE } from "../../src/schema/builtin/index.ts";
import { contentType } from "../../src/schema/model.ts";
import { createApp } from "../../src/server/app.ts";
import { openArchive } from "../../src/server/archive.ts";
import { openProject } from "../../src/server/project.ts";
import { metadata, type TarEntry, writeArchive } from "./tar.ts";

const MAIN = join(import.meta.dir, "../../src/main.ts");
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
const archive = () =>
  writeArchive(join(folder, "closed.tar.gz"), [
    rows("schemas", schema),
    rows("entities", locale(1, "en"), locale(2, "fr")),
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
    const process_ = Bun.spawn([process.execPath, MAIN, "import", await archive(), root, "--yes", ...options], {
      stdout: "pipe",
      stderr: "inherit",
    });
    const output = await new Response(process_.stdout).text();
    expect(await process_.exited).toBe(0);
    return output;
  };
  await run("--schemas");
  const file = join(root, "config/galley.json");
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ auth: { allowRegister: false, emailConfirmation: true } });
  const open = () => openProject(root, { memory: false, publicRead: false, environment: {} });
  for (const settings of [undefined, { auth: { allowRegister: true } }]) {
    if (settings) await Bun.write(file, JSON.stringify(settings));
    const project = open();
    const locales = await new DocumentService(project.context, contentType(project.model, LOCALE)).findMany({});
    expect(locales.map(({ code }) => code).sort()).toEqual(["en", "fr"]);
    expect(project.context.defaultLocale()).toBe("fr");
    await project.close();
  }
  const output = await run("--schemas");
  expect(output).toContain("auth.allowRegister is false in the archive and stays true here");
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ auth: { allowRegister: true } });
  expect(existsSync(join(root, "src/api/post/content-types/post/schema.json"))).toBe(true);
}, 60_000);
