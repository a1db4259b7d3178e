/** An undo restores more than the database: uploads, and the files of `content/`, to the byte. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { filesBelow } from "../../../src/lib/files-below.ts";
import { freePort } from "../../free-port.ts";
import { PROGRAM } from "../../program.ts";
import { type Body, projectFolder, typeFile } from "../../project.ts";
import { until } from "../../until.ts";
import { type Agent, createAgent, files } from "./agent.ts";

const UID = "api::note.note";

/** Own code with a tool that does with files what no other tool does. */
const OWN_CODE = `module.exports = { register({ strapi }) {
  const { z } = require("@strapi/utils");
  const fs = require("node:fs");
  const send = async (text, id) => {
    const filepath = require("node:path").join(require("node:os").tmpdir(), "galley-undo-" + process.pid + ".txt");
    fs.writeFileSync(filepath, text);
    const files = { filepath, originalFilename: text.slice(0, 5) + ".txt", mimetype: "text/plain", size: text.length };
    const data = { fileInfo: { name: files.originalFilename } };
    const { upload, replace } = strapi.plugin("upload").service("upload");
    const stored = id ? await replace(id, { data, file: files }) : (await upload({ data, files }))[0];
    fs.rmSync(filepath);
    return stored;
  };
  strapi.ai.mcp.registerTool({ name: "send_file", title: "", description: "", devModeOnly: true,
    resolveInputSchema: () => z.object({ text: z.string(), id: z.number().optional() }), resolveOutputSchema: () => undefined,
    createHandler: () => async ({ args }) => ({ content: [], structuredContent: { id: (await send(args.text, args.id)).id } }) });
  const add = (name, handler) => strapi.ai.mcp.registerTool({ name, title: "", description: "", devModeOnly: true,
    resolveOutputSchema: () => undefined, createHandler: () => handler });
  add("never", () => new Promise(() => {}));
  add("get_and_write", async () => {
    await strapi.documents("api::note.note").create({ data: { text: "by own code" } });
    return { content: [], structuredContent: {} };
  });
} };`;

const uploadsOf = (root: string): Record<string, string> => {
  const folder = join(root, "public/uploads");
  const names = filesBelow(folder).filter((name) => !name.startsWith(".galley"));
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
};

const contentDump = (db: ReturnType<Agent["galley"]["database"]>) =>
  ["files", "notes", "up_permissions"].map((name) => db.query(`SELECT * FROM ${name}`).values());

describe("uploads", () => {
  let agent: Agent;
  const ids: number[] = [];
  const send = (text: string, id?: number) => agent.use("send_file", { text, ...(id === undefined ? {} : { id }) });
  const rows = () => agent.galley.database().query("SELECT id, name, hash, folderPath FROM files ORDER BY id").values();
  beforeAll(async () => {
    agent = await createAgent({
      "src/index.js": OWN_CODE,
      "public/uploads/.gitkeep": "",
      "public/uploads/by hand.txt": "hand",
    });
    for (const text of ["first file", "other file", "third file"]) ids.push((await send(text)).id);
  });
  afterAll(() => agent.close());

  test("what was uploaded, replaced, deleted and moved is as it was, and no other file is touched", async () => {
    const { use, root } = agent;
    const before = { files: uploadsOf(root), rows: rows() };
    await use("session_begin", { name: "files" });
    await send("a new file");
    await send("other bytes of it", ids[0]);
    await use("media_delete_assets", { ids: [ids[1]], dryRun: false });
    const { data: folder } = await use("media_create_folder", { name: "new" });
    await use("media_move_assets", { ids: [ids[2]], folder: folder.id });
    await use("media_update_asset", { id: ids[2], name: "renamed" });
    expect(Object.keys(uploadsOf(root))).toHaveLength(5);
    expect((await use("session_list")).sessions.at(-1)).toMatchObject({ others: [], notRestored: [] });
    expect(await use("session_undo")).toEqual({ undone: ["files"], notRestored: [] });
    expect({ files: uploadsOf(root), rows: rows() }).toEqual(before);
    expect(filesBelow(join(root, "public/uploads/.galley")).filter((name) => !name.endsWith(".lock"))).toEqual([]);
  }, 60_000);

  test("a link that a person has made in the place of an upload stays", async () => {
    const { use, root } = agent;
    const id = await send("linked file");
    const file = join(root, "public/uploads", Object.keys(uploadsOf(root)).find((name) => name.startsWith("linke"))!);
    renameSync(file, join(root, "elsewhere.txt"));
    symlinkSync(join(root, "elsewhere.txt"), file);
    await use("session_begin", { name: "link" });
    await use("create_note", { data: { text: "a" } });
    await use("session_undo");
    expect(readFileSync(file, "utf8")).toBe("linked file");
    await use("media_delete_assets", { ids: [id.id], dryRun: false });
  });

  test("a tool of own code whose name begins with get may write, and is undone", async () => {
    const { use } = agent;
    await use("session_begin", { name: "own" });
    await use("get_and_write");
    expect((await use("session_list")).sessions.at(-1).changes).toEqual(["get_and_write"]);
    await use("session_undo");
    expect((await use("content_find", { uid: UID, fields: ["text"] })).documents).toEqual([]);
  });

  test("a folder with its files is deleted and comes back", async () => {
    const { use, root } = agent;
    const { data: folder } = await use("media_create_folder", { name: "albums" });
    await use("media_move_assets", { ids: [ids[0]], folder: folder.id });
    const before = { files: uploadsOf(root), rows: rows() };
    await use("session_begin", { name: "folder" });
    await use("media_delete_folder", { ids: [folder.id], dryRun: false });
    expect(rows()).toHaveLength(2);
    await use("session_undo");
    expect({ files: uploadsOf(root), rows: rows() }).toEqual(before);
  }, 60_000);

  const byOthers: Readonly<Record<string, readonly [others: string, change: (root: string) => unknown]>> = {
    "a file that is replaced on disk": [
      "the uploaded files",
      (root) => {
        const file = join(root, "public/uploads/by hand.txt");
        unlinkSync(file);
        writeFileSync(file, "another hand");
      },
    ],
    "a file that is moved to a folder": [
      "the content",
      () => agent.galley.database().run("UPDATE files SET folderPath = '/1' WHERE id = ?", [ids[2]!]),
    ],
    "a setting of the admin page": [
      "the content",
      () => agent.galley.database().run("INSERT INTO galley_meta VALUES ('store:plugin_x', '1')"),
    ],
  };
  for (const [name, [others, change]] of Object.entries(byOthers))
    test(`${name} by somebody else is named, and restored only if that is asked for`, async () => {
      const { use, root } = agent;
      const before = { files: uploadsOf(root), rows: rows() };
      await use("session_begin", { name: "others" });
      await use("create_note", { data: { text: "a" } });
      await change(root);
      await expect(use("session_undo")).rejects.toThrow(`Others may have changed ${others} since`);
      await use("session_undo", { discardOthers: true });
      expect({ files: uploadsOf(root), rows: rows() }).toEqual(before);
    }, 60_000);

  test("files of an upload provider are named before, since they stay as they are", async () => {
    const { use, galley } = agent;
    await use("session_begin", { name: "provider" });
    await use("create_note", { data: { text: "a" } });
    galley.database().run("UPDATE files SET provider = 'aws-s3' WHERE id = ?", [ids[2]!]);
    const notRestored = ["third.txt (aws-s3)"];
    expect((await use("session_list")).sessions.at(-1)).toMatchObject({ notRestored });
    expect(await use("session_undo", { discardOthers: true })).toEqual({ undone: ["provider"], notRestored });
  });
});

test("with an upload provider files are not deleted by tools that cannot bring them back", async () => {
  const provider =
    "module.exports = { init: () => ({ upload: async (file) => { file.url = 'https://cdn.example/' + file.hash; }, delete: async () => {} }) };";
  const plugins = "module.exports = () => ({ upload: { config: { provider: 'local-cdn' } } });";
  const agent = await createAgent({
    "config/plugins.js": plugins,
    "src/index.js": "module.exports = {};",
    "node_modules/@strapi/provider-upload-local-cdn/index.js": provider,
    "node_modules/@strapi/provider-upload-local-cdn/package.json":
      '{ "name": "@strapi/provider-upload-local-cdn", "main": "index.js" }',
  });
  const names = (await agent.client.listTools()).tools.map(({ name }) => name);
  expect(names).toContain("media_move_assets");
  expect(names.filter((name) => name.startsWith("media_delete"))).toEqual([]);
  await agent.close();
}, 60_000);

describe("what cannot be done is done by none of it", () => {
  let agent: Agent;
  const create = (...texts: string[]) =>
    agent.use("content_create", { uid: UID, documents: texts.map((text) => ({ text })) });
  const texts = async (): Promise<string[]> => {
    const { documents } = await agent.use("content_find", { uid: UID, fields: ["text"], sort: "text" });
    return documents.map(({ text }: Body) => text);
  };
  beforeAll(async () => {
    agent = await createAgent({ "src/index.js": OWN_CODE, ...typeFile("note", { text: { type: "text" } }) });
  });
  afterAll(() => agent.close());

  test("on a full disk the database, uploads and files stay as they are", async () => {
    const { use, root, galley } = agent;
    const { id } = await use("send_file", { text: "a file" });
    await create(...Array.from({ length: 100 }, () => "x".repeat(10_000)));
    await use("session_begin", { name: "full" });
    const db = galley.database();
    await use("media_delete_assets", { ids: [id], dryRun: false });
    const grant = { role: "public", add: ["api::note.note.find"], apply: true };
    await use("access_grant", grant);
    db.run("DELETE FROM notes");
    db.run("VACUUM");
    const state = () => [uploadsOf(root), readFileSync(join(root, "config/galley.json"), "utf8"), contentDump(db)];
    const before = state();
    const [[pages]] = db.query("PRAGMA page_count").values() as [[number]];
    db.run(`PRAGMA max_page_count = ${pages + 10}`);
    await expect(use("session_undo", { discardOthers: true })).rejects.toThrow("full");
    expect(state()).toEqual(before);
    db.run("PRAGMA max_page_count = 1000000000");
    await use("session_undo", { discardOthers: true });
    expect(db.query("SELECT count(*) FROM notes").values()).toEqual([[100]]);
    expect(Object.values(uploadsOf(root))).toEqual(["a file"]);
  }, 60_000);

  test("a change is not made where the state before it cannot be kept", async () => {
    const { use, root } = agent;
    await use("session_undo", { discardOthers: true }).catch(() => {});
    const folder = join(root, ".galley/agents");
    const before = (await texts()).length;
    rmSync(folder, { recursive: true });
    writeFileSync(folder, "");
    await expect(create("never")).rejects.toThrow();
    rmSync(folder);
    expect((await texts()).length).toBe(before);
  });
});

test("own code that never ends stops no other tool", async () => {
  const agent = await createAgent({
    "src/index.js": OWN_CODE,
    "config/server.json": JSON.stringify({ mcp: { requestTimeoutMs: 1000 } }),
  });
  const never = agent.use("never");
  const created = agent.use("create_note", { data: { text: "a" } });
  await expect(never).rejects.toThrow("never takes longer than 1000 ms");
  expect(await created).toMatchObject({ data: { text: "a" } });
  await agent.close();
}, 20_000);

test("a session whose file was cut off by a power failure stops no other", async () => {
  const agent = await createAgent();
  const { use, root } = agent;
  await use("session_begin", { name: "cut off" });
  writeFileSync(join(root, ".galley/agents/1/session.json"), '{"id":1,"na');
  await use("session_begin", { name: "whole" });
  await use("create_note", { data: { text: "a" } });
  expect(await use("session_undo")).toMatchObject({ undone: ["whole"] });
  await agent.close();
}, 20_000);

describe("several agents", () => {
  let agent: Agent;
  const create = (text: string) => agent.use("content_create", { uid: UID, documents: [{ text }] });
  const texts = async (): Promise<string[]> => {
    const { documents } = await agent.use("content_find", { uid: UID, fields: ["text"], sort: "text" });
    return documents.map(({ text }: Body) => text);
  };
  beforeAll(async () => {
    agent = await createAgent();
  });
  afterAll(() => agent.close());

  test("a change belongs to the session that was begun last, and an undo names all that it undoes", async () => {
    const { use } = agent;
    await use("session_begin", { name: "one" });
    await create("a");
    await use("session_begin", { name: "two" });
    await create("b");
    await create("c");
    expect((await use("session_list")).sessions).toMatchObject([
      { name: "one", changes: ["content_create"] },
      { name: "two", changes: ["content_create", "content_create"] },
    ]);
    expect(await use("session_undo", { name: "two" })).toMatchObject({ undone: ["two"] });
    expect(await texts()).toEqual(["a"]);
    await use("session_begin", { name: "three" });
    await create("d");
    expect(await use("session_undo", { name: "one" })).toMatchObject({ undone: ["one", "three"] });
    expect(await texts()).toEqual([]);
  }, 60_000);

  test("changes and undos at once run one after the other", async () => {
    const { use } = agent;
    await use("session_begin", { name: "busy" });
    const works = Array.from({ length: 12 }, (_, index) =>
      index % 4 === 3 ? use("session_undo") : create(`text ${index}`),
    );
    const settled = await Promise.allSettled(works);
    const refused = settled.flatMap((result) => (result.status === "rejected" ? [String(result.reason)] : []));
    for (const reason of refused) expect(reason).toContain("There is no such session");
    for (const _ of (await use("session_list")).sessions) await use("session_undo");
    expect(await texts()).toEqual([]);
  }, 60_000);
});

test("files of content/ are as they were, to the byte, and nothing brings back what was undone", async () => {
  const yaml = "# by hand\ncount:   1\ntext: 'one'\n";
  const { root, remove } = projectFolder({
    ...files(),
    "content/notes/a.yaml": yaml,
    "content/README.md": "words",
    "content/media/first.txt": "bytes",
  });
  const client = new Client({ name: "editor", version: "1.0.0" });
  const [command, ...args] = [...PROGRAM, "mcp", root, "--port", String(freePort())];
  const env = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" };
  await client.connect(new StdioClientTransport({ command: command!, args, env, stderr: "inherit" }));
  const use = async (name: string, values: Record<string, unknown> = {}): Promise<Body> => {
    const result = await client.callTool({ name, arguments: values });
    if (result.isError) throw new Error((result.content as { text: string }[])[0]!.text);
    return result.structuredContent;
  };
  const folder = join(root, "content");
  const state = () => filesBelow(folder).map((name) => `${name}: ${readFileSync(join(folder, name), "base64")}`);
  const find = async () => (await use("content_find", { uid: UID, fields: ["text"] })).documents;
  // it has an identity now
  await until("the file is known", () => existsSync(join(folder, "media/first.txt.yaml")));
  await until("the document is loaded", async () => (await find()).length === 1);
  await Bun.sleep(500);
  const before = { files: state(), documents: await find() };
  await use("session_begin", { name: "content" });
  await use("content_replace", { uid: UID, field: "text", find: "one", replace: "two", apply: true });
  await use("content_create", { uid: UID, documents: [{ text: "new" }] });
  const { results } = await use("media_list_assets");
  await use("media_delete_assets", { ids: [results[0].id], dryRun: false });
  await until("the change is in its file", () => readFileSync(join(folder, "notes/a.yaml"), "utf8").includes("two"));
  await until(
    "files came and went",
    () => existsSync(join(folder, "notes/new.yaml")) && !existsSync(join(folder, "media/first.txt")),
  );
  expect((await use("session_list")).sessions.at(-1).others).toEqual([]);
  await use("session_undo");
  expect({ files: state(), documents: await find() }).toEqual(before);
  // and after everything was synchronised again
  await Bun.sleep(2000);
  expect({ files: state(), documents: await find() }).toEqual(before);
  await use("session_begin", { name: "by hand" });
  await use("create_note", { data: { text: "b" } });
  writeFileSync(join(folder, "README.md"), "other words");
  writeFileSync(join(folder, "notes/a.yaml"), "text: of a person\n");
  await expect(use("session_undo")).rejects.toThrow("Others may have changed the content, the files of content/ since");
  await use("session_undo", { discardOthers: true });
  expect(readFileSync(join(folder, "notes/a.yaml"), "utf8")).toEndWith(yaml);
  // which is not synchronised
  expect(readFileSync(join(folder, "README.md"), "utf8")).toBe("other words");
  await client.close();
  remove();
}, 120_000);
