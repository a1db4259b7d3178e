/** Members of services of upload and users-permissions that code replaces and no request calls: a start reports them. */
import { expect, test } from "bun:test";
import { configFile, typeFile } from "../project.ts";
import { startProblems } from "./start-problems.ts";

const note = typeFile("note", { title: { type: "string" } });
const problemsOf = (files: Readonly<Record<string, string>>) => startProblems({ ...configFile(), ...note, ...files });

const extension = (body: string) => ({
  "src/extensions/upload/strapi-server.js": `module.exports = (plugin) => { ${body} return plugin; };`,
});

test("members that an extension wraps are reported", async () => {
  const problems = await problemsOf(
    extension(`
      const upload = plugin.services.upload;
      plugin.services.upload = (context) => ({ ...upload(context), remove: async () => "kept", formatFileInfo: async () => ({}) });
      plugin.services.folder = { ...plugin.services.folder, create: async () => null };`),
  );
  expect(problems).toEqual([
    "plugin upload replaces upload.formatFileInfo, folder.create, which uploads and deletions over HTTP do not call",
  ]);
});

test("members for users that requests do not call are reported", async () => {
  const problems = await problemsOf({
    "src/extensions/users-permissions/strapi-server.js": `module.exports = (plugin) => {
      const user = plugin.services.user;
      plugin.services.user = (context) => ({ ...user(context), add: () => ({}), ensureHashedPasswords: () => null, own: () => 1 });
      return plugin;
    };`,
  });
  expect(problems).toEqual([
    "plugin users-permissions replaces user.ensureHashedPasswords, which requests do not call",
  ]);
});

test("members that a start hook assigns are reported", async () => {
  const problems = await problemsOf({
    "src/index.js": `module.exports = { bootstrap({ strapi }) {
      strapi.plugin("upload").service("upload").formatFileInfo = () => ({});
    } };`,
  });
  expect(problems).toEqual([
    "plugin upload replaces upload.formatFileInfo, which uploads and deletions over HTTP do not call",
  ]);
});

test("new members and wrapped controllers are not", async () => {
  const problems = await problemsOf(
    extension(`
      const upload = plugin.services.upload;
      plugin.services.upload = (context) => ({ ...upload(context), describe: () => "ours" });
      plugin.services.thumbnails = () => ({ list: () => [] });`),
  );
  expect(problems).toEqual([]);
});
