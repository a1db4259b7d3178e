/** A project in a workspace: packages in `node_modules` of a parent folder, and names of files that several projects share. */
import { expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { createGalley } from "../../src/index.ts";
import { projectFolder, typeFile } from "../project.ts";

const below = (folder: string, files: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(files).map(([file, text]) => [`${folder}/${file}`, text]));

test("plugins and packages that are installed in the workspace run, each once", async () => {
  const { root, remove } = projectFolder({
    ...below("packages/shared", {
      "package.json": `{ "name": "shared", "main": "index.js" }`,
      "index.js": "exports.calls = [];",
    }),
    ...below("packages/plugin", {
      "package.json": `{ "name": "strapi-plugin-hoisted", "strapi": { "kind": "plugin", "name": "hoisted" } }`,
      "strapi-server.js": `const { calls } = require("shared");
        module.exports = {
          register: () => void calls.push("plugin"),
          controllers: { own: { calls: (ctx) => { ctx.body = calls; } } },
          routes: { "content-api": { type: "content-api", routes: [{ method: "GET", path: "/calls", handler: "own.calls", config: { auth: false } }] } },
        };`,
    }),
    "node_modules/.package-lock.json": "{}",
    ...below("apps/cms", {
      ...typeFile("note", { title: { type: "string" } }),
      "package.json": `{ "dependencies": { "strapi-plugin-hoisted": "*", "shared": "*", "missing": "*" } }`,
      "src/index.ts": `import { calls } from "shared"; export default { register() { calls.push("project"); } };`,
    }),
  });
  symlinkSync(join(root, "packages/shared"), join(root, "node_modules/shared"));
  symlinkSync(join(root, "packages/plugin"), join(root, "node_modules/strapi-plugin-hoisted"));
  const galley = await createGalley({ project: join(root, "apps/cms"), environment: {} });
  try {
    const response = await galley.fetch("/api/hoisted/calls");
    expect([response.status, await response.json()]).toEqual([200, ["plugin", "project"]]);
  } finally {
    await galley.close();
    remove();
  }
});

test("files are found by paths of an extended tsconfig.json, and by imports of package.json that name compiled files", async () => {
  const { root, remove } = projectFolder({
    "tsconfig.base.json": `{ "compilerOptions": { "baseUrl": ".", "paths": { "@/*": ["apps/cms/src/*"], "~date": ["packages/date.ts"] } } }`,
    "packages/date.ts": `export const date = "date";`,
    ...below("apps/cms", {
      ...typeFile("note", { title: { type: "string" } }),
      "tsconfig.json": `{ "extends": "../../tsconfig.base.json", "compilerOptions": { "outDir": "dist" } }`,
      "package.json": `{ "imports": { "#lib/*": "./dist/src/lib/*.js", "#text": { "node": "./src/lib/text.ts" } } }`,
      "dist/src/lib/text.js": `exports.text = "compiled before";`,
      "src/lib/text.ts": `export const text = "text";`,
      "src/api/note/routes/own.ts": `export default { routes: [{ method: "GET", path: "/own", handler: "own.run", config: { auth: false } }] };`,
      "src/api/note/controllers/own.ts": `
        import { text } from "@/lib/text";
        import { date } from "~date";
        import { text as mapped } from "#lib/text";
        import { text as named } from "#text";
        export default { run(ctx) { ctx.body = [text, date, mapped, named]; } };`,
    }),
  });
  const galley = await createGalley({ project: join(root, "apps/cms"), environment: {} });
  try {
    const response = await galley.fetch("/api/own");
    expect([response.status, await response.json()]).toEqual([200, ["text", "date", "text", "text"]]);
  } finally {
    await galley.close();
    remove();
  }
});
