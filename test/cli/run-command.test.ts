import { afterAll, expect, test } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../free-port.ts";
import { PROGRAM } from "../program.ts";
import { projectFolder, typeFile } from "../project.ts";

const ARCHIVE = join(import.meta.dir, "../transfer/fixtures/reference.tar.gz");
const folder = mkdtempSync(join(tmpdir(), "galley-run-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const start = (...args: readonly string[]) => startIn(folder, args);

const startIn = (cwd: string, args: readonly string[]) =>
  Bun.spawn([...PROGRAM, "run", ...args], {
    cwd,
    env: { ...process.env, API_URL: "https://other.example" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });

async function galley(...args: readonly string[]) {
  const child = start(...args);
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, output, errors };
}

function script(name: string, text: string): string[] {
  const file = join(folder, name);
  writeFileSync(file, text);
  return [process.execPath, file];
}

const client = `
  const { STRAPI_URL: url, STRAPI_TOKEN: token } = process.env;
  const get = async (path, init = {}) => {
    const response = await fetch(url + path, { ...init, headers: { authorization: "Bearer " + token } });
    return { status: response.status, body: await response.json().catch(() => null) };
  };`;

test("a command that succeeds without a request gets a hint", async () => {
  const hint = "a task runner, such as Turborepo or Nx, may have hidden STRAPI_URL";
  const run = (code: string) => galley(ARCHIVE, "--", process.execPath, "-e", code);
  expect((await run("")).errors).toContain(hint);
  expect((await run("process.exit(3)")).errors).not.toContain(hint);
  expect((await run("await fetch(process.env.STRAPI_URL)")).errors).not.toContain(hint);
}, 60_000);

test("the command gets a server with a read-only token, and its exit code is passed on", async () => {
  const read = script(
    "read.mjs",
    `${client}
    const list = await get("/api/articles?pagination[pageSize]=3&sort=title");
    await get("/api/articles?pagination[pageSize]=100&sort=id");
    await get("/api/articles?pagination[pageSize]=100&sort=id");
    const written = await get("/api/articles", { method: "POST", body: "{}" });
    const anonymous = await fetch(url + "/api/articles");
    console.log(JSON.stringify([list.status, list.body.data.length, written.status, anonymous.status, process.cwd()]));
    // what sources of site generators look at first
    const described = [];
    for (const path of ["content-type-builder/content-types", "content-type-builder/components", "i18n/locales", "upload/files"])
      described.push((await get("/api/" + path)).status);
    for (const path of ["upload/files/1", "users/1"])
      described.push((await fetch(url + "/api/" + path, { method: "DELETE", headers: { authorization: "Bearer " + token } })).status);
    console.log(described.join());
    console.log("HEAD", (await fetch(url + "/api/articles", { method: "HEAD", headers: { authorization: "Bearer " + token } })).status);
    console.log(process.env.STRAPI_API_URL === url, process.env.NUXT_STRAPI_URL === url, process.env.STRAPI_GRAPHQL_URL === url + "/graphql");
    process.exit(7);`,
  );
  const record = join(folder, "requests.json");
  const { code, output, errors } = await galley(ARCHIVE, "--record", record, "--", ...read);
  expect(output).toContain("[200,3,403,200,");
  expect(output).toContain(folder);
  expect(output).toContain("true true true");
  expect(output).toContain("200,200,200,200,403,403");
  expect(output).toContain("HEAD 200");
  expect(code).toBe(7);
  expect(errors).toMatch(/cut off by pagination: 3 of \d+ entries were read of \/api\/articles\?sort=title/);
  expect(errors).not.toContain("sort=id");
  const requests = JSON.parse(readFileSync(record, "utf8")) as { path: string; count: number; method: string }[];
  const content = requests.filter(({ path }) => path.startsWith("/api/articles"));
  expect(content.map(({ method, path, count }) => [method, path, count])).toEqual([
    ["GET", "/api/articles", 1],
    ["HEAD", "/api/articles", 1],
    ["POST", "/api/articles", 1],
    ["GET", "/api/articles?pagination[pageSize]=100&sort=id", 2],
    ["GET", "/api/articles?pagination[pageSize]=3&sort=title", 1],
  ]);
}, 180_000);

test("limits of the project's files are replaced, and nothing is stored", async () => {
  const root = join(folder, "project");
  cpSync(join(import.meta.dir, "../../data/starter"), root, { recursive: true });
  writeFileSync(join(root, "config/api.json"), JSON.stringify({ rest: { maxLimit: 1 } }));
  const count = script(
    "count.mjs",
    `${client} console.log((await get("/api/articles?pagination[pageSize]=100")).body.data.length)`,
  );
  expect((await galley(root, "--", ...count)).output.trim()).toBe("1");
  const all = await galley(root, "--max-limit", "-1", "--", ...count);
  expect(Number(all.output)).toBeGreaterThan(1);
  expect(all.errors).toMatch(/^galley: 1 request, \d+\.\d KB\n$/);
  const { Database } = await import("bun:sqlite");
  const db = new Database(join(root, ".galley/content.db"), { readonly: true });
  expect(db.query("SELECT count(*) AS count FROM galley_tokens").get()).toEqual({ count: 0 });
  db.close();
}, 180_000);

test("a development server gets what has changed since the start, with the same token", async () => {
  const { root, remove } = projectFolder(typeFile("tag", { name: { type: "string" } }));
  const file = JSON.stringify(join(root, "src/api/tag/content-types/tag/schema.json"));
  const edit = script(
    "edit.mjs",
    `${client}
    const { readFileSync, writeFileSync } = await import("node:fs");
    const ask = async () => (await get("/api/tags?fields=colour")).status;
    const statuses = new Set([await ask()]);
    const schema = JSON.parse(readFileSync(${file}, "utf8"));
    schema.attributes.colour = { type: "string" };
    writeFileSync(${file}, JSON.stringify(schema));
    for (let tries = 0; tries < 400 && !statuses.has(200); tries++) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      statuses.add(await ask());
    }
    console.log([...statuses].join());`,
  );
  const { output, errors } = await galley(root, "--watch", "--", ...edit);
  remove();
  expect(output.trim()).toBe("400,200");
  expect(errors).toContain("galley: The project's files have changed and are served now");
}, 180_000);

test("a site that expects another address or other variables gets them", async () => {
  const port = freePort();
  const show = script(
    "show.mjs",
    `const { SITE_API: api, SITE_KEY: key, NEXT_PUBLIC_API_URL, API_URL, EXPO_PUBLIC_STRAPI_API_URL, STRAPI_TOKEN } = process.env;
    const { status } = await fetch(api + "/tags", { headers: { authorization: "Bearer " + key } });
    console.log([status, api, key === STRAPI_TOKEN, NEXT_PUBLIC_API_URL, API_URL, EXPO_PUBLIC_STRAPI_API_URL].join());`,
  );
  const options = ["--port", String(port), "--env", "SITE_API={url}/api", "--env=SITE_KEY={token}"];
  const { code, output, errors } = await galley(ARCHIVE, ...options, "--", ...show);
  const url = `http://localhost:${port}`;
  // the command's environment already says what API_URL is
  expect(output.trim()).toBe(`200,${url}/api,true,${url},https://other.example,${url}`);
  expect(code).toBe(0);
  expect(errors).toContain("galley: 1 request, ");
}, 180_000);

test("a front end for Strapi 4 gets its format", async () => {
  const read = script(
    "v4.mjs",
    `${client}
    const { data } = (await get("/api/articles?populate=tags&pagination[pageSize]=1")).body;
    const query = "{ articles_connection(pagination: { limit: 1 }) { data { id attributes { title } } } }";
    const headers = { authorization: "Bearer " + token, "content-type": "application/json" };
    const answer = await fetch(url + "/graphql", { method: "POST", headers, body: JSON.stringify({ query }) });
    const [article] = (await answer.json()).data.articles_connection.data;
    console.log(typeof data[0].attributes.title, Array.isArray(data[0].attributes.tags.data), typeof article.attributes.title);`,
  );
  const v4 = await galley(ARCHIVE, "--v4", "--", ...read);
  expect([v4.output, v4.code]).toEqual(["string true string\n", 0]);
  expect((await galley(ARCHIVE, "--", ...read)).code).not.toBe(0);
}, 180_000);

test("each build of a site has the same address, unless the port is in use", async () => {
  const show = script("address.mjs", `console.log(process.env.STRAPI_URL)`);
  const { output: first } = await galley(ARCHIVE, "--", ...show);
  expect((await galley(ARCHIVE, "--", ...show)).output).toBe(first);
  const other = Bun.serve({ port: Number(new URL(first.trim()).port), fetch: () => new Response() });
  const { output, code } = await galley(ARCHIVE, "--", ...show);
  await other.stop(true);
  expect(code).toBe(0);
  expect(output).toMatch(/^http:\/\/localhost:\d+\n$/);
  expect(output).not.toBe(first);
}, 180_000);

test("what a build has read is remembered after it has succeeded, and what was not modified is counted", async () => {
  const root = join(folder, "site");
  cpSync(join(import.meta.dir, "../../data/starter"), root, { recursive: true });
  const file = join(root, ".galley/builds.json");
  const build = script(
    "build.mjs",
    `import { existsSync, writeFileSync } from "node:fs";
    const { STRAPI_URL: url, STRAPI_TOKEN: token, GALLEY_SINCE: since } = process.env;
    const get = (path, headers) => fetch(url + path, { headers: { authorization: "Bearer " + token, ...headers } });
    const etag = (await get("/api/tags")).headers.get("etag");
    console.log((await get("/api/tags", { "if-none-match": etag })).status);
    const { changes } = await (await get("/galley/changes?since=" + since)).json();
    console.log(changes.length > 10 ? "all" : changes.map(({ type, kind }) => type + " " + kind).join());
    // bundlers keep it in what they make
    console.log(Bun.hash(JSON.stringify(process.env)));
    process.exit(existsSync(${JSON.stringify(join(folder, "fail"))}) ? 5 : 0);`,
  );
  const first = await galley(root, "--", ...build);
  const [status, changes, environment] = first.output.split("\n");
  expect([status, changes]).toEqual(["304", "all"]);
  expect(first.errors).toContain(", 1 of them not modified (304)");
  const [[command, kept]] = Object.entries(JSON.parse(readFileSync(file, "utf8"))) as [[string, { token: string }]];
  expect(command).toBe(`${realpathSync(folder)}: ${build.join(" ")}`);
  // another site of the project, which is built by the same command, has read nothing yet
  const other = join(folder, "other");
  mkdirSync(other);
  expect(await new Response(startIn(other, [root, "--", ...build]).stdout).text()).toStartWith("304\nall\n");
  const write = script(
    "write.mjs",
    `const { STRAPI_URL: url } = process.env;
    await fetch(url + "/api/tags", { method: "POST", headers: { authorization: "Bearer writer", "content-type": "application/json" }, body: JSON.stringify({ data: { name: "new", slug: "new" } }) });`,
  );
  writeFileSync(
    join(root, "config/galley.json"),
    JSON.stringify({
      ...(JSON.parse(readFileSync(join(root, "config/galley.json"), "utf8")) as object),
      tokens: [{ name: "writer", type: "full-access", key: "writer" }],
    }),
  );
  expect((await galley(root, "--", ...write)).code).toBe(0);
  writeFileSync(join(folder, "fail"), "");
  const failed = await galley(root, "--", ...build);
  expect(failed.output.split("\n")).toEqual(["304", "api::tag.tag create", environment!, ""]);
  expect(failed.code).toBe(5);
  // it is to be read again
  expect((JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>)[command]).toEqual(kept);
  writeFileSync(file, "{");
  rmSync(join(folder, "fail"));
  expect((await galley(root, "--", ...build)).output).toBe(first.output);
  expect(Object.keys(JSON.parse(readFileSync(file, "utf8")) as object)).toEqual([command]);
}, 180_000);

test("a signal reaches the command, whose end is the end of everything", async () => {
  const wait = script(
    "wait.mjs",
    `process.on("SIGTERM", () => process.exit(3)); console.log("ready"); setInterval(() => {}, 1000)`,
  );
  const child = start(ARCHIVE, "--", ...wait);
  const reader = child.stdout.getReader();
  expect(new TextDecoder().decode((await reader.read()).value)).toContain("ready");
  child.kill("SIGTERM");
  expect(await child.exited).toBe(3);
}, 180_000);

test("what cannot be run is refused with a message", async () => {
  const refused = [
    [[ARCHIVE], 1, "which command?"],
    [[ARCHIVE, "--max-limit", "0", "--", "true"], 1, "--max-limit must be"],
    [[ARCHIVE, "--port", "x", "--", "true"], 1, "--port must be a port number"],
    [[ARCHIVE, "--env", "x", "--", "true"], 1, "--env must be NAME=VALUE"],
    [[ARCHIVE, "--watch", "--", "true"], 1, "--watch is for a project"],
    [["nowhere", "--", "true"], 1, "there is no folder"],
    [[ARCHIVE, "--", "no-such-command-here"], 127, "there is no such command"],
    [[ARCHIVE, "--", "npm run build"], 127, "npm run build: there is no such command; write it without quotes"],
    [[ARCHIVE, "--", import.meta.dir], 126, "this is not a command"],
    // before the command has run
    [[ARCHIVE, "--record", import.meta.dir, "--", "sh", "-c", "exit 9"], 1, "cannot be written (EISDIR)"],
  ] as const;
  for (const [args, code, message] of refused) {
    const result = await galley(...args);
    expect(result.errors).toContain(message);
    expect(result.code).toBe(code);
  }
  expect((await galley(ARCHIVE, "--", "sh", "-c", "kill -9 $$")).code).toBe(137);
}, 180_000);
