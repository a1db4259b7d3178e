/** `galley stale`: which recorded requests of a build have changed. */
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { createGalley } from "../../src/index.ts";
import { PROGRAM } from "../program.ts";
import { configFile, projectFolder, typeFile, writeFiles } from "../project.ts";

const ARTICLE = "api::article.article";
const { root, remove } = projectFolder({
  ...typeFile("article", { title: { type: "string" } }),
  ...configFile(),
});
afterAll(remove);

async function galley(...args: readonly string[]) {
  const child = Bun.spawn([...PROGRAM, ...args], { cwd: root, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, output, errors };
}

async function write<T>(work: (app: Awaited<ReturnType<typeof createGalley>>) => Promise<T>): Promise<T> {
  const app = await createGalley({ project: root, memory: false, environment: {} });
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}

const file = join(root, "requests.json");

test("names what has changed, and what nothing is known of", async () => {
  const [one, two] = await write(async (app) =>
    Promise.all(
      ["a", "b"].map(async (title) => (await app.documents(ARTICLE).create({ data: { title } })).documentId as string),
    ),
  );
  const build = `
    const headers = { authorization: "Bearer " + process.env.STRAPI_TOKEN };
    const get = (path) => fetch(process.env.STRAPI_URL + path, { headers });
    const { token } = await (await get("/galley/changes")).json();
    for (const path of ["/api/articles", "/api/articles/${one}", "/api/articles/${two}"]) await get(path);
    console.log(token);`;
  writeFiles(root, { "build.mjs": build });
  const { output, code } = await galley("run", "--record", file, "--", process.execPath, join(root, "build.mjs"));
  expect(code).toBe(0);
  const since = output.trim();
  const stale = async (...more: readonly string[]) => galley("stale", "--since", since, "--requests", file, ...more);
  // the feed's own answer has no tags
  expect((await stale()).output.trim().split("\n")).toEqual(["GET /galley/changes"]);
  await write((app) => app.documents(ARTICLE).update({ documentId: one!, data: { title: "c" } }));
  const changed = ["/api/articles", `/api/articles/${one}`, "/galley/changes"];
  expect((await stale()).output.trim().split("\n")).toEqual(changed.map((path) => `GET ${path}`));
  expect(JSON.parse((await stale("--json")).output)).toEqual({
    requests: 4,
    stale: changed.map((path) => ({ method: "GET", path })),
  });
  const other = await galley("stale", "--since", "x".repeat(since.length), "--requests", file);
  expect(other).toMatchObject({ code: 1, output: "" });
  expect(other.errors).toContain("another database");
}, 60_000);

test.each([
  [["--since", "x"], "needs --since and --requests"],
  [["--since", "x", "--requests", "no.json"], "not a valid token"],
  [["--since", "A".repeat(102), "--requests", "no.json"], "no.json cannot be read (ENOENT)"],
])("%p is refused", async (args, message) => {
  const { code, errors } = await galley("stale", ...args);
  expect(code).toBe(1);
  expect(errors).toContain(message);
});
