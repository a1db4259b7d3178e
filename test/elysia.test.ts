/** Galley as a plugin of another Elysia application: from source and compiled, below a prefix and beside other routes. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Elysia } from "elysia";
import { type GalleyPlugin, type GalleyPluginOptions, galley } from "../src/elysia.ts";
import { codeBlocks, page } from "./documents.ts";
import { freePort } from "./free-port.ts";
import { ADMIN, configFile, projectFolder, typeFile } from "./project.ts";
import { until } from "./until.ts";

const files = {
  ...configFile(),
  ...typeFile("post", { title: { type: "string" } }),
  "public/uploads/note.txt": "a note",
  "public/robots.txt": "of the project",
};

/** What GraphQL wants of requests that another site's form could send. */
const SIMPLE = { ...ADMIN, "apollo-require-preflight": "1" };

let folder: ReturnType<typeof projectFolder>;
beforeAll(() => {
  folder = projectFolder(files);
});
afterAll(() => folder.remove());

let plugin: GalleyPlugin | undefined;
afterEach(() => plugin?.close());

/** A host with error formats of its own. */
async function host(options: Partial<GalleyPluginOptions> = {}, app = new Elysia()) {
  plugin = await galley({ project: folder.root, memory: true, environment: {}, ...options });
  return app
    .onError(({ code, set }) => {
      set.status = code === "NOT_FOUND" ? 404 : 418;
      return `the host's ${code}`;
    })
    .get("/", () => "the host")
    .get("/broken", () => {
      throw new Error("broken");
    })
    .use(plugin);
}

const ask = async (app: { handle: (request: Request) => Promise<Response> }, path: string, init: RequestInit = {}) => {
  const response = await app.handle(new Request(`http://localhost${path}`, { headers: ADMIN, ...init }));
  const text = await response.text();
  return [response.status, text.startsWith("{") ? JSON.parse(text) : text];
};

const post = (title: unknown): RequestInit => ({
  method: "POST",
  headers: { ...ADMIN, "content-type": "application/json" },
  body: JSON.stringify({ data: { title } }),
});

/** The paths of the scripts of a page at a path. */
const scriptsOf = (page: string, path: string): readonly string[] =>
  [...page.matchAll(/src="([^"]+)"/g)].map(([, url]) => new URL(url!, `http://localhost${path}`).pathname);

const notFound = { data: null, error: { status: 404, name: "NotFoundError", message: "Not Found", details: {} } };

for (const prefix of [undefined, "/cms"]) {
  const at = prefix ?? "";
  describe(prefix ? "below a prefix" : "without a prefix", () => {
    test("REST, GraphQL and uploads are served", async () => {
      const app = await host({ prefix });
      expect(await ask(app, `${at}/api/posts`, post("a"))).toMatchObject([201, { data: { title: "a" } }]);
      expect(await ask(app, `${at}/api/posts?filters[title]=a`)).toMatchObject([200, { data: [{ title: "a" }] }]);
      const query = new URLSearchParams({ query: "{ posts { title } }" });
      expect(await ask(app, `${at}/graphql?${query}`, { headers: SIMPLE })).toEqual([
        200,
        { data: { posts: [{ title: "a" }] } },
      ]);
      expect(await ask(app, `${at}/uploads/note.txt`)).toEqual([200, "a note"]);
      expect((await ask(app, `${at}/_health`))[0]).toBe(204);
    });

    test("spellings that only Strapi accepts are served", async () => {
      const app = await host({ prefix });
      for (const path of ["/api/POSTS", "/api/posts/"])
        expect(await ask(app, at + path)).toMatchObject([200, { data: [] }]);
    });

    test("each keeps its own errors", async () => {
      const app = await host({ prefix });
      expect(await ask(app, `${at}/api/nothing`)).toEqual([404, notFound]);
      expect(await ask(app, `${at}/api/posts/nothing`)).toEqual([404, notFound]);
      expect(await ask(app, `${at}/api/posts`, post([]))).toMatchObject([400, { error: { name: "ValidationError" } }]);
      expect(await ask(app, `${at}/api/posts`, { method: "PATCH" })).toEqual([405, "Method Not Allowed"]);
      expect(await ask(app, "/nothing")).toEqual([404, "the host's NOT_FOUND"]);
      expect(await ask(app, "/broken")).toEqual([418, "the host's UNKNOWN"]);
      expect(await ask(app, "/")).toEqual([200, "the host"]);
    });

    test("its routes are listed with the host's", async () => {
      const { routes } = await host({ prefix });
      const listed = routes.map(({ method, path }) => `${method} ${path}`);
      for (const route of ["GET /", `GET ${at}/api/posts/:id`, `POST ${at}/api/auth/local`, `ALL ${at}/graphql`])
        expect(listed).toContain(route);
    });

    test("its page for queries leads to the files and the endpoint there", async () => {
      const app = await host({ prefix });
      const [status, page] = await ask(app, `${at}/graphql`, { headers: { accept: "text/html" } });
      expect(status).toBe(200);
      expect(scriptsOf(page, `${at}/graphql`)).toContain(`${at}/graphql/playground/start.js`);
      expect((await ask(app, `${at}/graphql/playground/start.js`))[0]).toBe(200);
    });
  });
}

test("files of the project are served below a prefix only, where they are in nobody's way", async () => {
  expect(await ask(await host({ prefix: "/cms" }), "/cms/robots.txt")).toEqual([200, "of the project"]);
  expect(await ask(await host(), "/robots.txt")).toEqual([404, "the host's NOT_FOUND"]);
});

test("a host that has a prefix itself, and one that compiles no handlers", async () => {
  for (const app of [new Elysia({ prefix: "/inner" }), new Elysia({ prefix: "/inner", aot: false })]) {
    const outer = new Elysia().use(await host({ prefix: "/cms" }, app as never));
    expect(await ask(outer, "/inner/cms/api/posts", post("a"))).toMatchObject([201, { data: { title: "a" } }]);
    expect(await ask(outer, "/inner/cms/api/POSTS")).toMatchObject([200, { data: [{ title: "a" }] }]);
    const [, page] = await ask(outer, "/inner/cms/graphql", { headers: { accept: "text/html" } });
    expect(scriptsOf(page, "/inner/cms/graphql")).toContain("/inner/cms/graphql/playground/start.js");
    await plugin?.close();
  }
});

test("what the host checks before its plugins is checked for Galley's routes, too", async () => {
  const guarded = new Elysia().onBeforeHandle(({ request, status }) =>
    request.headers.has("x-open") ? undefined : status(401, "closed"),
  );
  const app = await host({}, guarded as never);
  expect(await ask(app, "/api/posts")).toEqual([401, "closed"]);
  expect((await ask(app, "/api/posts", { headers: { ...ADMIN, "x-open": "1" } }))[0]).toBe(200);
});

test("a reset takes the content back, and the routes stay", async () => {
  const app = await host();
  await ask(app, "/api/posts", post("a"));
  await plugin!.reset();
  expect(await ask(app, "/api/posts")).toMatchObject([200, { data: [] }]);
  await plugin!.documents("api::post.post").create({ data: { title: "b" }, status: "published" });
  expect(await ask(app, "/api/posts")).toMatchObject([200, { data: [{ title: "b" }] }]);
});

test("it closes with the host", async () => {
  const app = (await host()).listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = app.server!;
  const response = await fetch(`http://127.0.0.1:${port}/api/posts`, { headers: ADMIN });
  expect(response.status).toBe(200);
  await app.stop();
  const { documents } = plugin!;
  const isClosed = () =>
    documents("api::post.post")
      .findMany({})
      .then(
        () => false,
        () => true,
      );
  await until("the project is closed", isClosed);
});

test("a prefix that is not a path is refused", async () => {
  for (const prefix of ["cms", "/", "/cms/", "/:tenant", "/a*"])
    expect(galley({ project: folder.root, memory: true, environment: {}, prefix })).rejects.toThrow("prefix must be");
});

/** A folder in which `galley-cms` and `elysia` are installed. */
function programFolder(name: string): string {
  const root = join(import.meta.dir, "..");
  const scratch = join(folder.root, name);
  mkdirSync(join(scratch, "node_modules"), { recursive: true });
  symlinkSync(root, join(scratch, "node_modules/galley-cms"));
  symlinkSync(join(root, "node_modules/elysia"), join(scratch, "node_modules/elysia"));
  return scratch;
}

test("the manual's test of an application passes", () => {
  const scratch = programFolder("manual");
  const examples = codeBlocks(page("elysia")).map(({ code }) => code);
  const example = examples.find((code) => code.includes('from "bun:test"')) ?? "";
  expect(example).toContain("galley-cms/elysia");
  writeFileSync(join(scratch, "manual.test.ts"), example);
  cpSync(join(import.meta.dir, "../data/starter"), join(scratch, "cms"), { recursive: true });
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, "test"], { cwd: scratch });
  expect([exitCode, stderr.toString()]).toEqual([0, expect.stringContaining("1 pass")]);
}, 180_000);

test("it is compiled into a host's executable", async () => {
  const scratch = programFolder("host");
  const main = join(scratch, "main.ts");
  writeFileSync(
    main,
    `import { Elysia } from "elysia";
import { galley } from "galley-cms/elysia";
const [project, port] = process.argv.slice(2);
const app = new Elysia().get("/", () => "the host").use(await galley({ project, memory: true, environment: {} }));
app.listen({ port: Number(port), hostname: "127.0.0.1" });
`,
  );
  const file = join(scratch, "host");
  const built = Bun.spawnSync([process.execPath, "build", "--compile", main, "--outfile", file], { cwd: scratch });
  expect(built.stderr.toString()).not.toContain("error");
  const port = freePort();
  const child = Bun.spawn([file, folder.root, String(port)], { cwd: scratch, stdout: "ignore" });
  try {
    const url = `http://127.0.0.1:${port}`;
    await until("the host answers", async () => (await fetch(url).catch(() => undefined))?.ok === true);
    const list = await fetch(`${url}/api/posts`, { headers: ADMIN });
    expect([list.status, await list.json()]).toMatchObject([200, { data: [] }]);
    expect(await (await fetch(url)).text()).toBe("the host");
    const query = new URLSearchParams({ query: "{ posts { title } }" });
    expect(await (await fetch(`${url}/graphql?${query}`, { headers: SIMPLE })).json()).toEqual({ data: { posts: [] } });
    const refused = await fetch(`${url}/api/nothing`);
    expect([refused.status, await refused.json()]).toMatchObject([404, { error: { name: "NotFoundError" } }]);
  } finally {
    child.kill();
    await child.exited;
  }
}, 180_000);
