/** The page for browsers, and that nothing of GraphQL is loaded before somebody asks for it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { CONFORMANCE, configFile, conformanceApp, type TestApp, testApp, typeFile } from "../../project.ts";

let app: TestApp;
beforeAll(async () => {
  app = await conformanceApp();
});
afterAll(() => app.close());

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  app.handle(new Request(`http://localhost${path}`, { headers }));
const HTML = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };

describe("the page", () => {
  test("is what a browser gets, with or without a query or credentials", async () => {
    for (const path of ["/graphql", "/graphql/", "/graphql?query={tags{label}}"]) {
      const response = await get(path, HTML);
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    }
    expect((await get("/graphql", { ...HTML, authorization: "Bearer nobody" })).status).toBe(200);
  });

  test("loads its own files and no others", async () => {
    const page = await (await get("/graphql", HTML)).text();
    const addresses = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => String(address));
    const files = addresses.filter((address) => address !== "data:,");
    expect(files.length).toBe(5);
    for (const address of files) {
      expect(address).toStartWith("graphql/playground/");
      const response = await get(`/${address}`);
      expect(response.status).toBe(200);
      expect(response.headers.get("cache-control")).toContain("immutable");
      expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(100);
    }
    expect(page).not.toContain("http://");
    expect(page).not.toContain("https://");
  });

  test("may load scripts from its own server only, and runs none in the page", async () => {
    const response = await get("/graphql", HTML);
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'; script-src 'self';");
    expect(await response.text()).not.toMatch(/<script(?![^>]*\bsrc=)/);
  });

  test("has no files but its own", async () => {
    for (const path of ["/graphql/playground/other.js", "/graphql/playground/../../package.json", "/graphql/other"]) {
      expect((await get(path)).status).toBe(404);
    }
  });

  test("stands where the project wants it", async () => {
    const other = await testApp({
      ...typeFile("tag", { label: { type: "string" } }),
      ...configFile({ roles: { public: ["api::tag.tag.find"] } }),
      "config/plugins.json": JSON.stringify({ graphql: { config: { endpoint: "api/query/" } } }),
    });
    const page = await other.handle(new Request("http://localhost/api/query", { headers: HTML }));
    expect(await page.text()).toContain('src="../api/query/playground/graphiql.js');
    expect((await other.call("GET", "/graphql")).status).toBe(404);
    expect((await other.call("POST", "/api/query", { query: "{ tags { label } }" })).body).toEqual({
      data: { tags: [] },
    });
    await other.close();
  });
});

describe("settings", () => {
  const withConfig = (config: Readonly<Record<string, unknown>>): Promise<TestApp> =>
    testApp({
      ...typeFile("tag", {
        label: { type: "string" },
        other: { type: "relation", relation: "oneToOne", target: "api::tag.tag" },
      }),
      "config/plugins.json": JSON.stringify({ graphql: { config } }),
    });

  test("introspection is on, and off where the project says so", async () => {
    const query = "{ __schema { queryType { name } } }";
    expect((await app.call("POST", "/graphql", { query })).body.data.__schema.queryType.name).toBe("Query");
    const closed = await withConfig({ introspection: false });
    const { status, body } = await closed.call("POST", "/graphql", { query });
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([
      {
        message: expect.stringContaining("GraphQL introspection is not allowed"),
        locations: [{ line: 1, column: 3 }],
        extensions: { validationErrorCode: "INTROSPECTION_DISABLED", code: "GRAPHQL_VALIDATION_FAILED" },
      },
    ]);
    expect((await closed.call("POST", "/graphql", { query: "{ __typename }" })).status).toBe(200);
    await closed.close();
  });

  test("the flags of apolloServer are followed", async () => {
    const query = "{ __schema { queryType { name } } }";
    const get = "/graphql?query={tags{label}}";
    const hash = { extensions: { persistedQuery: { version: 1, sha256Hash: "x" } } };
    expect((await app.call("GET", get)).status).toBe(400);
    const missing = (await app.call("POST", "/graphql", hash)).body.errors;
    expect(missing).toMatchObject([{ extensions: { code: "PERSISTED_QUERY_NOT_FOUND" } }]);
    const apolloServer = { introspection: false, csrfPrevention: false, persistedQueries: false };
    const other = await withConfig({ apolloServer });
    expect((await other.call("POST", "/graphql", { query })).status).toBe(400);
    const read = await other.call("GET", get);
    expect([read.status, read.body]).toEqual([200, { data: { tags: [] } }]);
    const refused = await other.call("POST", "/graphql", hash);
    expect([refused.status, refused.body.errors]).toEqual([
      200,
      [{ message: "PersistedQueryNotSupported", extensions: { code: "PERSISTED_QUERY_NOT_SUPPORTED" } }],
    ]);
    await other.close();
  });

  test("limits of pages and of depth are the project's", async () => {
    const limited = await withConfig({ defaultLimit: 2, maxLimit: 3, depthLimit: 1 });
    const create = Array.from({ length: 5 }, (_, index) => `m${index}: createTag(data: {label: "${index}"}) { label }`);
    await limited.call("POST", "/graphql", { query: `mutation { ${create.join(" ")} }` });
    const size = async (pagination: string) => {
      const query = `{ tags_connection(pagination: ${pagination}) { nodes { label } pageInfo { pageSize } } }`;
      const { tags_connection: page } = (await limited.call("POST", "/graphql", { query })).body.data ?? {};
      return page && [page.nodes.length, page.pageInfo.pageSize];
    };
    expect(await size("{}")).toBeUndefined();
    const query = (pagination: string) => `{ tags(pagination: ${pagination}) { label } }`;
    const count = async (pagination: string): Promise<number> =>
      (await limited.call("POST", "/graphql", { query: query(pagination) })).body.data.tags.length;
    expect([await count("{}"), await count("{limit: 50}"), await count("{limit: -1}")]).toEqual([2, 3, 3]);
    await limited.close();
  });

  test("without a maximum everything may be asked for at once", async () => {
    const open = await withConfig({ maxLimit: -1, defaultLimit: 1 });
    const create = Array.from({ length: 5 }, (_, index) => `m${index}: createTag(data: {label: "${index}"}) { label }`);
    await open.call("POST", "/graphql", { query: `mutation { ${create.join(" ")} }` });
    const query =
      "{ tags_connection(pagination: {start: 1, limit: -1}) { nodes { label } pageInfo { total page pageSize pageCount } } }";
    const { tags_connection: page } = (await open.call("POST", "/graphql", { query })).body.data;
    expect(page.nodes).toHaveLength(4);
    expect(page.pageInfo).toEqual({ total: 5, page: 1, pageSize: 4, pageCount: 1 });
    await open.close();
  });

  test("the default may be the maximum, and 0 sets none", async () => {
    const sizes: number[][] = [];
    for (const config of [{ defaultLimit: -1, maxLimit: 3 }, { defaultLimit: -1, maxLimit: -1 }, { maxLimit: 0 }]) {
      const limited = await withConfig(config);
      const create = Array.from({ length: 5 }, (_, i) => `m${i}: createTag(data: {label: "${i}"}) { label }`);
      await limited.call("POST", "/graphql", { query: `mutation { ${create.join(" ")} }` });
      const page = (own: string) => `tags_connection(pagination: ${own}) { nodes { label } pageInfo { page } }`;
      const query = `{ a: ${page("{}")} b: ${page("{start: 3}")} c: ${page("{page: 2}")} d: ${page("{limit: 2}")} }`;
      const { data } = (await limited.call("POST", "/graphql", { query })).body;
      sizes.push(Object.values(data).map((page) => (page as { nodes: unknown[] }).nodes.length));
      await limited.close();
    }
    expect(sizes).toEqual([
      [3, 2, 3, 2],
      [5, 2, 5, 2],
      [5, 2, 0, 2],
    ]);
  });
});

test("packages for GraphQL are loaded by the first request for it, not before", () => {
  const script = `
    const { createGalley } = await import(${JSON.stringify(join(import.meta.dir, "../../../src/index.ts"))});
    const loaded = () => Object.keys(require.cache).filter((file) => /node_modules.(graphql|graphql-yoga|graphiql).|api.graphql./.test(file)).length;
    const galley = await createGalley({ project: ${JSON.stringify(CONFORMANCE)}, environment: {} });
    const ask = async (path, body) => (await galley.handle(new Request("http://localhost" + path, { method: body ? "POST" : "GET", headers: { "content-type": "application/json" }, body }))).status;
    const counts = [await ask("/api/tags"), loaded(), await ask("/graphql", '{"query":"{ __typename }"}'), loaded() > 50];
    await galley.close();
    console.log(JSON.stringify(counts));
  `;
  const { stdout, stderr } = Bun.spawnSync([process.execPath, "-e", script]);
  expect([stdout.toString().trim(), stderr.toString()]).toEqual(["[200,0,200,true]", ""]);
});
