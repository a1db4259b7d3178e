/** Members of the upload plugin's services that code replaces and no request calls: a start reports them. */
import { expect, test } from "bun:test";
import { startProject } from "../../src/server/start.ts";
import { configFile, projectFolder, typeFile } from "../project.ts";

async function problemsOf(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const note = typeFile("note", { title: { type: "string" } });
  const { root, remove } = projectFolder({ ...configFile(), ...note, ...files });
  try {
    const { project } = await startProject(root, { memory: true, publicRead: false, environment: {} });
    await project.close();
    return project.code!.problems.map(({ file, message }) => `${file} ${message}`);
  } finally {
    remove();
  }
}

const extension = (body: string) => ({
  "src/extensions/upload/strapi-server.js": `module.exports = (plugin) => { ${body} return plugin; };`,
});

test("members that an extension wraps are reported", async () => {
  const problems = await problemsOf(
    extension(`
      const upload = plugin.services.upload;
      plugin.services.upload = (context) => ({ ...upload(context), remove: async () => "kept", formatFileInfo: async () => ({}) });
      const folder = plugin.services.folder;
      plugin.services.folder = (context) => ({ ...folder(context), create: async () => null });`),
  );
  expect(problems).toEqual([
    "plugin upload replaces upload.formatFileInfo, folder.create, which uploads and deletions over HTTP do not call",
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
