/** A running server follows its files: changes are served, broken ones are reported and the last good state stays. */
import { afterEach, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { ProjectError } from "../../src/lib/errors.ts";
import { type RunningProject, runProject } from "../../src/server/running.ts";
import { ADMIN, type Body, configFile, projectFolder, typeFile, writeFiles } from "../project.ts";

let running: RunningProject | undefined;
let folder: ReturnType<typeof projectFolder> | undefined;
afterEach(async () => {
  await running?.close();
  folder?.remove();
});

async function start(memory: boolean, watch = false) {
  const messages: (string | ProjectError)[] = [];
  folder = projectFolder({ ...configFile(), ...typeFile("post", { title: { type: "string" } }) });
  running = await runProject(folder.root, {
    memory,
    publicRead: false,
    environment: {},
    watch,
    report: (message) => messages.push(message),
  });
  const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = ADMIN) => {
    const init = {
      method,
      headers: { ...headers, "content-type": "application/json" },
      ...(body ? { body: JSON.stringify(body) } : {}),
    };
    const response = await running!.handle(new Request(`http://localhost${path}`, init));
    return { status: response.status, body: (await response.json().catch(() => undefined)) as Body };
  };
  return { root: folder.root, messages, call, server: running };
}

for (const memory of [true, false]) {
  test(`a schema that changes is served with its content (${memory ? "in memory" : "on disk"})`, async () => {
    const { root, call, server, messages } = await start(memory);
    await call("POST", "/api/posts", { data: { title: "a" } });
    writeFiles(root, typeFile("post", { title: { type: "string" }, size: { type: "integer" } }));
    writeFiles(root, typeFile("tag", { label: { type: "string" } }));
    expect(await server.reload()).toBe(true);
    expect((await call("GET", "/api/posts")).body.data).toMatchObject([{ title: "a", size: null }]);
    expect((await call("POST", "/api/tags", { data: { label: "t" } })).status).toBe(201);
    expect(messages).toContain("schema: posts size is new");
  });
}

test("a broken file is reported by name and key, and the last good schema is served on", async () => {
  const { root, call, server, messages } = await start(true);
  writeFiles(root, { "src/api/post/content-types/post/schema.json": "{ broken" });
  expect(await server.reload()).toBe(false);
  writeFiles(root, typeFile("post", { title: { type: "colour" } }));
  expect(await server.reload()).toBe(false);
  expect(messages.map(String)).toEqual([
    expect.stringContaining("src/api/post/content-types/post/schema.json: is not valid JSON"),
    expect.stringContaining('attributes.title.type: unknown attribute type "colour"'),
  ]);
  expect((await call("POST", "/api/posts", { data: { title: "a" } })).status).toBe(201);
});

test("roles and tokens that change in config/galley.json take effect", async () => {
  const { root, call, server } = await start(true);
  expect((await call("GET", "/api/posts", undefined, {})).status).toBe(403);
  writeFiles(root, configFile({ roles: { public: ["api::post.post.find"] } }));
  await server.reload();
  expect((await call("GET", "/api/posts", undefined, {})).status).toBe(200);
  writeFiles(root, { "config/galley.json": '{"roles":{"public":[]}}' });
  await server.reload();
  expect((await call("GET", "/api/posts")).status).toBe(401);
});

test("changes of files are noticed", async () => {
  const { root, call, messages } = await start(true, true);
  await Bun.sleep(150);
  writeFiles(root, typeFile("post", { title: { type: "string" }, size: { type: "integer" } }));
  for (let waited = 0; messages.length < 2 && waited < 3_000; waited += 50) await Bun.sleep(50);
  expect((await call("POST", "/api/posts", { data: { size: 4 } })).body.data.size).toBe(4);
  rmSync(join(root, "src/api/post"), { recursive: true });
  writeFiles(root, typeFile("story", { title: { type: "string" } }));
  for (let waited = 0; (await call("GET", "/api/storys")).status !== 200 && waited < 3_000; waited += 50)
    await Bun.sleep(50);
  expect((await call("GET", "/api/storys")).status).toBe(200);
  expect((await call("GET", "/api/posts")).status).toBe(404);
});
