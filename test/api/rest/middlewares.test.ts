/** What config/middlewares says about origins, sizes and compression is done. */
import { afterEach, describe, expect, test } from "bun:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { ProjectReport } from "../../../src/errors.ts";
import type { Galley } from "../../../src/index.ts";
import { ADMIN, configFile, testApp, typeFile } from "../../project.ts";

let app: Galley | undefined;
afterEach(() => app?.close());

const start = async (middlewares: unknown) => {
  app = await testApp({
    ...configFile(),
    ...typeFile("post", { title: { type: "text" } }),
    "config/middlewares.json": JSON.stringify(middlewares),
  });
  return (path: string, init: RequestInit = {}) =>
    app!.handle(
      new Request(`http://localhost${path}`, { ...init, headers: { ...ADMIN, ...(init.headers as object) } }),
    );
};

const cors = (config: unknown) => [{ name: "strapi::cors", config }];

describe("strapi::cors", () => {
  for (const origin of [["https://a.example", "https://b.example"], "https://a.example, https://b.example"]) {
    test(`only listed origins may read answers (${typeof origin})`, async () => {
      const ask = await start(cors({ origin }));
      const from = async (name: string) =>
        (await ask("/api/posts", { headers: { origin: name } })).headers.get("access-control-allow-origin");
      expect(await from("https://b.example")).toBe("https://b.example");
      expect(await from("https://c.example")).toBeNull();
      expect((await ask("/api/posts")).headers.get("access-control-allow-origin")).toBe("");
    });
  }

  test("preflights name methods, headers and age as told; others' are no preflights", async () => {
    const config = {
      origin: ["https://a.example"],
      methods: ["GET"],
      headers: "X-One,X-Two",
      maxAge: 5,
      credentials: false,
    };
    const ask = await start(cors(config));
    const preflight = (origin: string) =>
      ask("/api/posts", { method: "OPTIONS", headers: { origin, "access-control-request-method": "GET" } });
    const { status, headers } = await preflight("https://a.example");
    expect(status).toBe(204);
    expect(headers.get("access-control-allow-methods")).toBe("GET");
    expect(headers.get("access-control-allow-headers")).toBe("X-One,X-Two");
    expect(headers.get("access-control-max-age")).toBe("5");
    expect(headers.get("access-control-allow-credentials")).toBeNull();
    const other = await preflight("https://c.example");
    expect(other.status).toBe(200);
    expect(other.headers.get("access-control-allow-methods")).toBeNull();
    expect((await ask("/api/posts")).headers.get("access-control-allow-origin")).toBe("*");
  });
});

test("strapi::body sets the sizes that bodies may have", async () => {
  const ask = await start([{ name: "strapi::body", config: { jsonLimit: "1kb" } }]);
  const post = (length: number) =>
    ask("/api/posts", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ data: { title: "a".repeat(length) } }),
    });
  expect((await post(500)).status).toBe(201);
  expect((await post(1100)).status).toBe(413);
});

test("X-Powered-By names Galley unless the project names something else", async () => {
  const ask = await start([]);
  for (const path of ["/api/tags", "/api/nothing", "/_health", "/graphql"])
    expect((await ask(path)).headers.get("x-powered-by")).toBe("Galley");
});

test("strapi::poweredBy is sent as told", async () => {
  const ask = await start([{ name: "strapi::poweredBy", config: { poweredBy: "us" } }]);
  expect((await ask("/api/posts")).headers.get("x-powered-by")).toBe("us");
});

describe("strapi::compression", () => {
  const decoders = { br: brotliDecompressSync, gzip: gunzipSync };
  for (const [encoding, decode] of Object.entries(decoders)) {
    test(`large answers are compressed with ${encoding}`, async () => {
      const ask = await start(["strapi::compression"]);
      const body = JSON.stringify({ data: { title: "word ".repeat(1000) } });
      await ask("/api/posts", { method: "POST", headers: { "content-type": "application/json" }, body });
      const response = await ask("/api/posts", { headers: { "accept-encoding": encoding } });
      expect(response.headers.get("content-encoding")).toBe(encoding);
      expect(response.headers.get("vary")).toBe("Origin, Accept-Encoding");
      const bytes = new Uint8Array(await response.arrayBuffer());
      expect(bytes.length).toBeLessThan(1000);
      expect(JSON.parse(decode(bytes).toString()).data).toHaveLength(1);
    });
  }

  for (const header of ["identity", "br;q=0, gzip;q=0.0", ""]) {
    test(`not for a client that takes "${header}"`, async () => {
      const ask = await start(["strapi::compression"]);
      const { documents } = app!;
      await documents("api::post.post").create({ data: { title: "word ".repeat(1000) } });
      const response = await ask("/api/posts", { headers: { "accept-encoding": header } });
      expect(response.headers.get("content-encoding")).toBeNull();
      expect(((await response.json()) as { data: unknown[] }).data).toHaveLength(1);
    });
  }

  test("small answers and answers without a body stay as they are", async () => {
    const ask = await start(["strapi::compression"]);
    const headers = { "accept-encoding": "br" };
    expect((await ask("/api/posts", { headers })).headers.get("content-encoding")).toBeNull();
    expect((await ask("/_health", { headers })).status).toBe(204);
  });
});

describe("what cannot be done", () => {
  const refused: readonly [string, unknown, string][] = [
    ["a file without a list", {}, "config/middlewares.json: must hold a list"],
    ["an entry without a name", [{}], "must be a middleware's name"],
    ["a size in words", [{ name: "strapi::body", config: { jsonLimit: "big" } }], "strapi::body.jsonLimit"],
  ];
  for (const [name, middlewares, message] of refused)
    test(`refused: ${name}`, () => expect(start(middlewares)).rejects.toThrow(message));

  test("what is not used is told", async () => {
    const { httpSettings } = await import("../../../src/config/middlewares.ts");
    const { ignored } = httpSettings(
      ["strapi::errors", "global::own", { resolve: "./x" }, { name: "strapi::security", config: { xssFilter: true } }],
      "config/middlewares.js",
      new ProjectReport(),
    );
    expect(ignored).toEqual([
      "global::own is the project's own code, which is not run",
      "./x is the project's own code, which is not run",
      "the options of strapi::security are not used",
    ]);
  });
});
