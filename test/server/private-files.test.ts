/** What Galley writes for itself is for its owner only, whichever part has written it. */
import { expect, test } from "bun:test";
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { UploadFolder } from "../../src/engine/media/upload-folder.ts";
import { createGalley } from "../../src/index.ts";
import { beginSchemaChange } from "../../src/transfer/import/schema-change.ts";
import { ADMIN, configFile, projectFolder, typeFile } from "../project.ts";

const modes = (folder: string): string[] =>
  readdirSync(folder, { recursive: true })
    .map(String)
    .concat("")
    .filter((name) => (lstatSync(join(folder, name)).mode & 0o077) !== 0);

test.skipIf(process.platform === "win32")(
  "files and folders of .galley",
  async () => {
    const users = [{ username: "ada", email: "ada@example.com", password: "ada-password" }];
    const { root, remove } = projectFolder({
      ...configFile({ users, roles: { public: ["plugin::users-permissions.auth.forgotPassword"] } }),
      ...typeFile("post", { title: { type: "string" }, image: { type: "media" } }),
    });
    const before = process.umask(0o022);
    const data = join(root, ".galley");
    const galley = await createGalley({ project: root, memory: false, environment: {} });
    const send = (path: string, body: FormData | string, headers: Record<string, string> = {}) =>
      galley.handle(
        new Request(`http://localhost${path}`, { method: "POST", headers: { ...ADMIN, ...headers }, body }),
      );
    const json = { "content-type": "application/json" };
    const form = new FormData();
    form.append("files", new File(["some text"], "a.txt"));
    expect((await send("/api/upload", form)).status).toBe(201);
    await send("/api/auth/forgot-password", JSON.stringify({ email: "ada@example.com" }), json);
    expect((await send("/api/posts", JSON.stringify({ data: { title: "a" } }), json)).status).toBe(201);
    // an upload and a change of schemas that are going on
    const uploads = new UploadFolder(join(root, "public/uploads"), data);
    await uploads.write(Buffer.from("unfinished"));
    const change = beginSchemaChange(root, join(data, "schema-change.json"), new Map([["src/x.json", "{}"]]));
    try {
      expect(readdirSync(data).filter((name) => name.endsWith(".lock")).length).toBeGreaterThan(0);
      expect(modes(data)).toEqual([]);
      expect(lstatSync(join(root, "public/uploads/.galley")).mode & 0o077).toBe(0);
      // web servers may read finished uploads
      expect(lstatSync(join(root, "public/uploads")).mode & 0o055).toBe(0o055);
    } finally {
      change.undo();
      uploads.close();
      await galley.close();
      process.umask(before);
      remove();
    }
  },
  30_000,
);
