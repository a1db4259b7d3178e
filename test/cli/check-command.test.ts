/** `galley check` against commits, archives and running servers. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGalley } from "../../src/index.ts";
import { PROGRAM } from "../program.ts";
import { TOKEN, typeFile } from "../project.ts";
import { ContentProject, removeProjects, VALID } from "./content-project.ts";

const scratch = mkdtempSync(join(tmpdir(), "galley-check-test-"));
afterAll(() => {
  removeProjects();
  rmSync(scratch, { recursive: true, force: true });
});

const AUTHOR = "src/api/author/content-types/author/schema.json";

function createProject(): ContentProject {
  const project = new ContentProject({ ...VALID, ".gitignore": ".galley\npublic\n" });
  // of a commit, it would lead out of the project
  symlinkSync("/etc", join(project.root, "src/api/link"));
  project.git("init", "-q", "-b", "main");
  project.commit();
  return project;
}

/** `name` of authors becomes a number, and articles lose `size`. */
function changeSchemas(project: ContentProject): void {
  project.replace(AUTHOR, '"name":{"type":"string"}', '"name":{"type":"integer"}');
  project.replace("content/authors/ada.yaml", "name: Ada", "name: 7");
  project.replace("src/api/article/content-types/article/schema.json", '"size":{"type":"integer"},', "");
  project.replace("content/articles/one.yaml", "size: 3\n", "");
}
const CHANGES = `api::article.article.size is gone
api::author.author.name was string, and is number now
`;

async function check(project: ContentProject, ...args: readonly string[]) {
  const child = Bun.spawn([...PROGRAM, "check", ...args], { cwd: project.root, stdout: "pipe", stderr: "pipe" });
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { output, errors, exitCode: await child.exited };
}

/** As `galley run --record` writes it. */
function record(...requests: readonly (string | Record<string, unknown>)[]): string {
  const file = join(scratch, `${crypto.randomUUID()}.json`);
  const all = requests.map((request) => ({
    method: "GET",
    status: 200,
    count: 1,
    milliseconds: 1,
    ...(typeof request === "string" ? { path: request } : request),
  }));
  writeFileSync(file, JSON.stringify(all));
  return file;
}

/** The project as it was, on a port. */
async function serve(project: ContentProject) {
  const galley = await createGalley({ project: project.root, environment: {} });
  return { url: galley.serve(), galley };
}

describe("schemas", () => {
  test("of a commit, which is read without a change of the working tree", async () => {
    const project = createProject();
    expect(await check(project, "--against", "main")).toEqual({ output: "", errors: "", exitCode: 0 });
    changeSchemas(project);
    const before = readFileSync(join(project.root, AUTHOR), "utf8");
    expect(await check(project, "--against", "main")).toEqual({ output: CHANGES, errors: "", exitCode: 1 });
    const { output, exitCode } = await check(project, "--against", "HEAD", "--json");
    expect(exitCode).toBe(1);
    expect(JSON.parse(output)).toEqual({
      changes: [
        { uid: "api::article.article", attribute: "size", change: "is gone" },
        { uid: "api::author.author", attribute: "name", change: "was string, and is number now" },
      ],
    });
    expect(readFileSync(join(project.root, AUTHOR), "utf8")).toBe(before);
    expect(readdirSync(join(project.root, ".galley"))).toEqual([]);
  }, 60_000);

  test("of a commit whose code adds a component", async () => {
    const code = (
      attribute: string,
    ): string => `module.exports = { register: ({ strapi }) => strapi.get("components").add({
      "ext.seo": { collectionName: "seos", info: { displayName: "Seo" }, attributes: { ${attribute}: { type: "string" } } },
    }) };`;
    const attributes = { name: { type: "string" }, seo: { type: "component", component: "ext.seo" } };
    const files = {
      ...VALID,
      ...typeFile("author", attributes),
      "src/index.js": code("title"),
      ".gitignore": ".galley\n",
    };
    const project = new ContentProject(files);
    project.git("init", "-q", "-b", "main");
    project.commit();
    project.write({ "src/index.js": code("heading") });
    const { output, errors } = await check(project, "--against", "main");
    expect({ output, errors }).toEqual({
      output: "ext.seo.title is gone (heading is new, and defined alike)\n",
      errors: "",
    });
  }, 60_000);

  test("of an archive, and of a running server", async () => {
    const project = createProject();
    const archive = join(scratch, "before.tar.gz");
    expect(project.run("content apply").exitCode).toBe(0);
    const exported = Bun.spawnSync([...PROGRAM, "export", archive], { cwd: project.root });
    expect(exported.exitCode).toBe(0);
    const { url, galley } = await serve(project);
    changeSchemas(project);
    expect(await check(project, "--against", archive)).toEqual({ output: CHANGES, errors: "", exitCode: 1 });
    expect(await check(project, "--against", url, "--token", TOKEN)).toEqual({
      output: CHANGES,
      errors: "",
      exitCode: 1,
    });
    await galley.close();
    expect((await check(project, "--against", url)).errors).toContain("GALLEY_REMOTE_TOKEN");
  }, 60_000);
});

describe("recorded requests", () => {
  const requests = record(
    "/api/articles?populate=author&sort=title",
    "/api/authors?fields=name",
    "/api/articles?fields=size",
    "/api/articles?fields=title",
    { path: "/api/articles?filters[title]=One", public: true },
    { method: "POST", path: "/graphql" },
    { path: "other requests" },
    "/uploads/a.txt",
    "@example.org/api/articles",
    "/api/auth/callback?code=secret",
  );
  const TOLD = `GET /api/articles?populate=author&sort=title
  breaks   data[].author.name: here 7, there "Ada"
  breaks   data[].size: here nothing, there 3
GET /api/authors?fields=name
  breaks   data[].name: here 7, there "Ada"
GET /api/articles?fields=size
  breaks   status: here 400, there 200
breaks: api::author.author.name
breaks: api::article.article.size
5 requests: 3 are answered differently, 3 of these break
not compared: 5 recorded requests of other kinds
`;

  test("of a commit, with its files of content", async () => {
    const project = createProject();
    expect(await check(project, "--against", "main", "--requests", requests)).toEqual({
      output:
        "5 requests: 0 are answered differently, 0 of these break\nnot compared: 5 recorded requests of other kinds\n",
      errors: "",
      exitCode: 0,
    });
    changeSchemas(project);
    expect(await check(project, "--against", "main", "--requests", requests)).toEqual({
      output: TOLD,
      errors: "",
      exitCode: 1,
    });
    const { output } = await check(project, "--against", "main", "--requests", requests, "--json");
    expect(JSON.parse(output)).toMatchObject({
      compared: 5,
      notCompared: 5,
      failures: {},
      requests: [
        {
          path: "/api/articles?populate=author&sort=title",
          differences: [
            { kind: "type", path: "data[].author.name", attribute: "api::author.author.name" },
            { kind: "gone", path: "data[].size", there: "3", isBreak: true, attribute: "api::article.article.size" },
          ],
        },
        {},
        { differences: [{ kind: "status", isBreak: true }] },
      ],
    });
    expect(readdirSync(join(project.root, ".galley"))).toEqual([]);
  }, 60_000);

  test("of a commit without content, with that of the database", async () => {
    const project = new ContentProject({ ...VALID, ".gitignore": ".galley\npublic\ncontent\n" });
    project.git("init", "-q", "-b", "main");
    project.commit();
    expect(project.run("content apply").exitCode).toBe(0);
    project.replace("src/api/article/content-types/article/schema.json", '"size":{"type":"integer"},', "");
    project.replace("content/articles/one.yaml", "size: 3\n", "");
    const { output } = await check(project, "--against", "main", "--requests", record("/api/articles?sort=title"));
    expect(output).toBe(`GET /api/articles?sort=title
  breaks   data[].size: here nothing, there 3
breaks: api::article.article.size
1 request: 1 are answered differently, 1 of these break
`);
  }, 60_000);

  test("other values are told, and break nothing", async () => {
    const project = createProject();
    project.replace("content/authors/ada.yaml", "name: Ada", "name: Adele");
    const { output, exitCode } = await check(project, "--against", "main", "--requests", requests);
    expect(exitCode).toBe(0);
    expect(output).toContain('differs  data[].name: here "Adele", there "Ada"');
    expect(output).toContain("2 are answered differently, 0 of these break");
  }, 60_000);

  test("of a running server, with its token for the requests that had one", async () => {
    const project = createProject();
    const { url, galley } = await serve(project);
    changeSchemas(project);
    const run = (...args: string[]) => check(project, "--against", url, "--requests", requests, ...args);
    expect(await run("--token", TOKEN)).toEqual({ output: TOLD, errors: "", exitCode: 1 });
    // without it, all are refused there
    const { output } = await run();
    expect(output).toContain("status: here 200, there 403");
    await galley.close();
    const gone = await run("--token", TOKEN);
    expect(gone.exitCode).toBe(1);
    expect(gone.output).toContain("not compared: 3, since");
    expect(gone.output).toContain("cannot be reached");
  }, 60_000);

  test("queries for GraphQL are sent again, mutations are not", async () => {
    const project = createProject();
    const { url } = await serve(project);
    changeSchemas(project);
    const query = (text: string) => ({ method: "POST", path: "/graphql", body: JSON.stringify({ query: text }) });
    const file = record(
      query("{ articles { title size } }"),
      query("query Names { authors { name } }"),
      query('mutation { createAuthor(data: { name: "new" }) { name } }'),
      { ...query("{ authors { name } }"), path: "/elsewhere" },
    );
    const { output, exitCode } = await check(project, "--against", url, "--requests", file, "--token", TOKEN);
    expect(exitCode).toBe(1);
    expect(output).toContain(
      'POST /graphql {"query":"{ articles { title size } }"}\n  breaks   status: here 400, there 200',
    );
    expect(output).toContain("2 requests: ");
    expect(output).toContain("not compared: 2 recorded requests of other kinds");
  }, 60_000);

  test("own code takes part, also that of a commit, which finds the packages of the project", async () => {
    const controller = (title: string) => `
      const { factories } = require("@strapi/strapi");
      const { suffix } = require("a-package");
      module.exports = factories.createCoreController("api::author.author", () => ({
        async find(ctx) { return { data: [{ title: ctx.query.big ? "x".repeat(11e6) : "${title}" + suffix }] }; },
      }));`;
    const path = "src/api/author/controllers/author.js";
    const project = createProject();
    project.write({
      [path]: controller("before"),
      "node_modules/a-package/index.js": "exports.suffix = '!';",
      "node_modules/a-package/package.json": '{"name":"a-package","version":"1.0.0"}',
      ".gitignore": ".galley\nnode_modules\npublic\n",
    });
    project.commit();
    project.write({ [path]: controller("after") });
    const { output, exitCode } = await check(project, "--against", "main", "--requests", record("/api/authors"));
    expect(output).toContain('data[].title: here "after!", there "before!"');
    expect(exitCode).toBe(0);
    const big = await check(project, "--against", "main", "--requests", record("/api/authors?big=1", "/api/authors"));
    expect(big.output).toContain("1 request: 1 are answered differently");
    expect(big.output).toContain("not compared: 1, since Galley: answers with more than 10 MB");
    expect(big.exitCode).toBe(1);
  }, 60_000);
});

test("requests that galley run records tell which had no credentials", async () => {
  const project = createProject();
  const file = join(scratch, "recorded.json");
  const build = `
    const headers = { authorization: "Bearer " + process.env.STRAPI_TOKEN };
    const get = (path, init) => fetch(process.env.STRAPI_URL + path, init);
    await get("/api/articles", { headers });
    await get("/api/articles?sort=title");
    await get("/api/authors", { headers });
    await get("/api/authors");
    await get("/api/authors", { headers });
    const ask = (query) => get("/graphql", {
      method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ query }),
    });
    await ask("{ authors { name } }");
    await ask("{ authors { name } }");
    await ask("{ articles { title } }");
    await ask("mutation { deleteAuthor(documentId: \\"a\\") { documentId } }");
    await ask("# " + "x".repeat(50_000) + "\\n{ articles { title } }");`;
  project.write({ "build.mjs": build });
  const command = [process.execPath, join(project.root, "build.mjs")];
  const { exitCode } = Bun.spawnSync([...PROGRAM, "run", "--memory", "--public", "--record", file, "--", ...command], {
    cwd: project.root,
  });
  expect(exitCode).toBe(0);
  const recorded = JSON.parse(readFileSync(file, "utf8")) as {
    path: string;
    body?: string;
    count: number;
    public?: boolean;
  }[];
  expect(recorded.map(({ path, public: isPublic }) => [path, isPublic])).toEqual([
    ["/api/articles", undefined],
    ["/api/articles?sort=title", true],
    ["/api/authors", undefined],
    ["/graphql", true],
    ["/graphql", true],
    ["/graphql", true],
  ]);
  // of the others it is not known what they ask
  expect(recorded.slice(3).map(({ body, count }) => [body, count])).toEqual([
    [undefined, 2],
    [JSON.stringify({ query: "{ articles { title } }" }), 1],
    [JSON.stringify({ query: "{ authors { name } }" }), 2],
  ]);
}, 60_000);

test.each<[string[], string]>([
  [[], "needs --against"],
  [["--against", "HEAD", "--public"], "--public needs --requests"],
  [["--against", "HEAD", "--token", "x"], "--token is for the URL"],
  [["--against=--output=/tmp/x"], "is not a reference of git"],
  [["--against", "no-such-ref"], "no-such-ref"],
  [["--against", "none.tar.gz"], "there is no archive"],
  [["--against", "HEAD", "--requests", "none.json"], "none.json cannot be read (ENOENT)"],
  [["--against", "HEAD", "--key", "x"], "--key is for archives"],
])(
  "%p is refused",
  async (args, message) => {
    const project = new ContentProject(VALID);
    project.git("init", "-q", "-b", "main");
    project.commit();
    const { exitCode, errors } = await check(project, ...args);
    expect(exitCode).toBe(1);
    expect(errors).toContain(message);
  },
  30_000,
);
