/** `galley mcp` with the client of the official SDK, which starts it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createGalley } from "../../src/index.ts";
import { freePort } from "../free-port.ts";
import { PROGRAM } from "../program.ts";
import { configFile, projectFolder, typeFile } from "../project.ts";
import { until } from "../until.ts";

const environment = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" };
let folder: ReturnType<typeof projectFolder>;
beforeAll(() => {
  folder = projectFolder({ ...typeFile("note", { text: { type: "string" } }), ...configFile() });
});
afterAll(() => folder.remove());

async function connect(port: number, root = folder.root, env: Record<string, string> = environment): Promise<Client> {
  const client = new Client({ name: "editor", version: "1.0.0" });
  const [command, ...args] = [...PROGRAM, "mcp", root, "--port", String(port)];
  await client.connect(new StdioClientTransport({ command: command!, args, env, stderr: "inherit" }));
  return client;
}

const isFree = (port: number): Promise<boolean> =>
  fetch(`http://localhost:${port}/_health`).then(
    () => false,
    () => true,
  );

test("it starts a server, which ends with it", async () => {
  const port = freePort();
  const client = await connect(port);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["model_plan", "list_note", "media_list_assets"]),
  );
  await client.callTool({ name: "create_note", arguments: { data: { text: "a" } } });
  const refused = await client.callTool({ name: "create_note", arguments: { data: { nope: 1 } } });
  expect(refused.isError).toBe(true);
  expect(await isFree(port)).toBe(false);
  await client.close();
  for (let tries = 0; tries < 100 && !(await isFree(port)); tries++) await Bun.sleep(50);
  expect(await isFree(port)).toBe(true);
}, 60_000);

test("it starts one for this machine where the environment has a public host", async () => {
  const client = await connect(freePort(), folder.root, { ...environment, HOST: "0.0.0.0" });
  await client.ping();
  await client.close();
}, 60_000);

test("it joins a server of the project, and starts another beside one of another project", async () => {
  const galley = await createGalley({ project: folder.root, memory: false, admin: true, environment });
  const port = Number(new URL(galley.serve()).port);
  const joined = await connect(port);
  await joined.callTool({ name: "create_note", arguments: { data: { text: "joined" } } });
  expect(await galley.documents("api::note.note").count({ filters: { text: "joined" } })).toBe(1);
  await joined.close();
  await galley.close();
  const other = Bun.serve({ port: 0, hostname: "localhost", fetch: () => new Response("other", { status: 401 }) });
  const beside = await connect(other.port!);
  expect((await beside.listTools()).tools.length).toBeGreaterThan(10);
  await beside.close();
  await other.stop(true);
}, 60_000);

test("it starts a server in place of one that a person has stopped", async () => {
  const galley = await createGalley({ project: folder.root, memory: false, admin: true, environment });
  const client = await connect(Number(new URL(galley.serve()).port));
  const count = async () => {
    const { structuredContent } = await client.callTool({ name: "list_note", arguments: {} });
    return (structuredContent as { pagination: { total: number } }).pagination.total;
  };
  const before = await count();
  await galley.close();
  expect(await Promise.all([count(), count()])).toEqual([before, before]);
  await client.close();
}, 60_000);

test("a change that is cancelled before its turn is not made", async () => {
  const slow = `const fs = require("node:fs");
    module.exports = { async beforeCreate() {
      fs.writeFileSync(strapi.dirs.app.root + "/begun", "");
      while (!fs.existsSync(strapi.dirs.app.root + "/go")) await Bun.sleep(20);
    } };`;
  const { root, remove } = projectFolder({
    ...typeFile("note", { text: { type: "string" } }),
    ...configFile(),
    "src/api/note/content-types/note/lifecycles.js": slow,
  });
  const client = await connect(freePort(), root);
  const create = (text: string, signal?: AbortSignal) =>
    client.callTool({ name: "create_note", arguments: { data: { text } } }, signal ? { signal } : {});
  const first = create("a");
  await until("the first change is being made", () => existsSync(join(root, "begun")));
  await expect(create("b", AbortSignal.timeout(300))).rejects.toThrow();
  // the server learns of it after the client
  await client.ping();
  writeFileSync(join(root, "go"), "");
  await first;
  await create("c");
  const { structuredContent } = await client.callTool({ name: "list_note", arguments: { sort: "text:asc" } });
  const { results } = structuredContent as { results: { text: string }[] };
  expect(results.map(({ text }) => text)).toEqual(["a", "c"]);
  await client.close();
  remove();
}, 60_000);

test("a message that the server refuses is answered with its id", async () => {
  const port = freePort();
  const [command, ...args] = [...PROGRAM, "mcp", folder.root, "--port", String(port)];
  const child = Bun.spawn([command!, ...args], { env: environment, stdin: "pipe", stdout: "pipe" });
  child.stdin.write(
    `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":${'{"a":'.repeat(600)}1${"}".repeat(600)}}\n`,
  );
  child.stdin.write('{"jsonrpc":"2.0","id":8,"method":"ping"}\n');
  await child.stdin.end();
  const lines = (await new Response(child.stdout).text())
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines).toContainEqual({ jsonrpc: "2.0", id: 8, result: {} });
  expect(lines.find(({ id }) => id === 7)).toMatchObject({ error: { code: -32603 } });
  expect(await child.exited).toBe(0);
}, 60_000);

test("an editor that goes away before it is answered leaves no error", async () => {
  const child = Bun.spawn([...PROGRAM, "mcp", folder.root, "--port", String(freePort())], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
    env: environment,
  });
  await child.stdout.cancel();
  for (const id of [1, 2]) child.stdin.write(`{"jsonrpc":"2.0","id":${id},"method":"tools/list"}\n`);
  await child.stdin.flush();
  const errors = new Response(child.stderr).text();
  await Promise.race([child.exited, Bun.sleep(10_000)]);
  await child.stdin.end();
  expect(await child.exited).toBe(0);
  expect(await errors).not.toContain("Error");
}, 60_000);
