/** What config/middlewares says about headers, sizes, files and compression is done. */
import { afterEach, describe, expect, test } from "bun:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import type { Galley } from "../../../src/index.ts";
import { ProjectReport } from "../../../src/lib/errors.ts";
import { ADMIN, configFile, testApp, typeFile } from "../../project.ts";

let app: Galley | undefined;
afterEach(() => app?.close());

const start = async (middlewares: unknown, plugins: unknown = {}) => {
  app = await testApp({
    ...configFile(),
    ...typeFile("post", { title: { type: "text" } }),
    "config/middlewares.json": JSON.stringify(middlewares),
    "config/plugins.json": JSON.stringify(plugins),
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

  test("preflights name methods, headers and age as told; others' are not preflights", async () => {
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

  test("other origins may send requests to GraphQL, without cookies", async () => {
    const ask = await start(cors({ origin: ["https://a.example"] }));
    const preflight = async (origin: string) => {
      const requested = {
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type,x-own",
      };
      const response = await ask("/graphql", { method: "OPTIONS", headers: { origin, ...requested } });
      expect(response.status).toBe(204);
      return ["origin", "methods", "headers", "credentials"].map((name) =>
        response.headers.get(`access-control-allow-${name}`),
      );
    };
    expect(await preflight("https://b.example")).toEqual([
      "*",
      "GET,HEAD,PUT,POST,DELETE,PATCH",
      "content-type,x-own",
      null,
    ]);
    expect(await preflight("https://a.example")).toEqual([
      "https://a.example",
      "GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS",
      "Content-Type,Authorization,Origin,Accept",
      "true",
    ]);
    const body = JSON.stringify({ query: "{ posts { title } }" });
    const headers = { origin: "https://b.example", "content-type": "application/json" };
    const response = await ask("/graphql", { method: "POST", headers, body });
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
  });

  test("is all that GraphQL allows, if Apollo is told to allow nothing", async () => {
    const apolloServer = { cors: false };
    const ask = await start(cors({ origin: ["https://a.example"] }), { graphql: { config: { apolloServer } } });
    const body = JSON.stringify({ query: "{ posts { title } }" });
    const allowed = async (origin: string) => {
      const asked = { origin, "access-control-request-method": "POST" };
      const preflight = await ask("/graphql", { method: "OPTIONS", headers: asked });
      const headers = { origin, "content-type": "application/json" };
      const response = await ask("/graphql", { method: "POST", headers, body });
      return [preflight, response].map((answer) => answer.headers.get("access-control-allow-origin"));
    };
    expect(await allowed("https://a.example")).toEqual(["https://a.example", "https://a.example"]);
    expect(await allowed("https://b.example")).toEqual([null, null]);
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

describe("strapi::security", () => {
  const security = (config: unknown) => [{ name: "strapi::security", config }];
  const policy = (directives: unknown) => security({ contentSecurityPolicy: { useDefaults: true, directives } });

  test("without options, Strapi's headers", async () => {
    const { headers } = await (await start(["strapi::security"]))("/api/posts");
    const { headers: made } = await (await start(security({ xssFilter: false })))("/api/posts");
    const names = ["content-security-policy", "referrer-policy", "strict-transport-security", "x-frame-options"];
    for (const name of names) {
      expect(headers.get(name)).toBeString();
      expect(made.get(name)).toBe(headers.get(name));
    }
  });

  test("directives replace the defaults entry by entry, for files and errors as well", async () => {
    const ask = await start(policy({ "img-src": ["'self'", "data:", "img.example"], "frame-src": ["video.example"] }));
    for (const path of ["/api/posts", "/missing.txt", "/api/missing"]) {
      const value = (await ask(path)).headers.get("content-security-policy");
      expect(value).toContain("img-src 'self' data: img.example https://market-assets.strapi.io;");
      expect(value).toContain("frame-src video.example;");
      expect(value).toContain("default-src 'self';");
    }
  });

  test("headers can be switched off, on, and changed", async () => {
    const ask = await start(
      security({
        contentSecurityPolicy: false,
        frameguard: { action: "deny" },
        hsts: { maxAge: 5, preload: true },
        noSniff: false,
        crossOriginResourcePolicy: { policy: "cross-origin" },
      }),
    );
    const { headers } = await ask("/api/posts");
    expect(headers.get("content-security-policy")).toBeNull();
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("strict-transport-security")).toBe("max-age=5; includeSubDomains; preload");
    expect(headers.get("x-content-type-options")).toBeNull();
    expect(headers.get("cross-origin-resource-policy")).toBe("cross-origin");
    expect(headers.get("vary")).toBe("Origin");
  });

  test("functions among the values of a directive are left out with a warning, the rest is sent", async () => {
    const { httpSettings } = await import("../../../src/engine/config/middlewares.ts");
    const report = new ProjectReport();
    const directives = { "script-src": ["'self'", () => "nonce"], "img-src": ["'self'", "data:", "cdn.example.org"] };
    const config = security({ contentSecurityPolicy: { directives }, frameguard: { action: "deny" } });
    const headers = httpSettings(config, "config/middlewares.js", report).security;
    expect(headers["content-security-policy"]).toContain("img-src 'self' data: cdn.example.org");
    expect(headers["content-security-policy"]).toContain("script-src 'self';");
    expect(headers["x-frame-options"]).toBe("DENY");
    expect(report.warnings).toMatchObject([
      {
        key: "strapi::security.contentSecurityPolicy.directives.script-src",
        reason: "functions are not called; the other values are sent",
      },
    ]);
  });

  const invalid: Readonly<Record<string, readonly [config: unknown, message: string]>> = {
    "two spellings of a directive": [
      { contentSecurityPolicy: { directives: { imgSrc: ["'self'"] } } },
      'duplicate directive "img-src"',
    ],
    "an unknown action": [{ frameguard: { action: "sideways" } }, "sideways"],
    "a line break": [{ contentSecurityPolicy: { directives: { "img-src": ["a\nSet-Cookie: b"] } } }, "invalid"],
  };
  for (const [name, [config, message]] of Object.entries(invalid))
    test(`${name} is a warning, and the default headers are sent`, async () => {
      const { httpSettings } = await import("../../../src/engine/config/middlewares.ts");
      const report = new ProjectReport();
      const defaults = httpSettings([], "config/middlewares.js", new ProjectReport()).security;
      expect(httpSettings(security(config), "config/middlewares.js", report).security).toEqual(defaults);
      expect(report.warnings.map(({ reason }) => reason).join()).toContain(message);
    });
});

describe("files", () => {
  test("strapi::body limits all files of a form together", async () => {
    const ask = await start([{ name: "strapi::body", config: { formidable: { maxFileSize: 1000 } } }]);
    const upload = async (sizes: readonly number[], field = "files") => {
      const form = new FormData();
      for (const [index, size] of sizes.entries()) form.append(field, new File([new Uint8Array(size)], `${index}.bin`));
      return ask("/api/upload", { method: "POST", body: form });
    };
    expect((await upload([900])).status).toBe(201);
    for (const field of ["files", "others"]) {
      const refused = await upload([900, 200], field);
      expect(refused.status).toBe(413);
      expect(await refused.json()).toMatchObject({ error: { name: "PayloadTooLargeError", message: "FileTooBig" } });
    }
    expect(await (await ask("/api/upload/files")).json()).toHaveLength(1);
  });

  test("the project's icon is served, and cached as long as configured", async () => {
    const middlewares = [
      { name: "strapi::favicon", config: { path: "assets/icon.png", maxAge: 5000 } },
      { name: "strapi::public", config: { maxAge: 7000 } },
    ];
    app = await testApp({
      ...configFile(),
      ...typeFile("post", { title: { type: "text" } }),
      "config/middlewares.json": JSON.stringify(middlewares),
      "favicon.png": "default",
      "assets/icon.png": "configured",
      "public/robots.txt": "all",
    });
    const ask = (path: string) => app!.handle(new Request(`http://localhost${path}`));
    const icon = await ask("/favicon.ico");
    expect(await icon.text()).toBe("configured");
    expect(icon.headers.get("content-type")).toBe("image/x-icon");
    expect(icon.headers.get("cache-control")).toBe("public, max-age=5");
    expect((await ask("/robots.txt")).headers.get("cache-control")).toBe("max-age=7");
    expect((await ask("/favicon.png")).status).toBe(404);
  });

  test("without options, the icon is favicon.png of the project, and else a file of the public folder", async () => {
    const files = { ...configFile(), ...typeFile("post", {}), "public/favicon.ico": "public" };
    app = await testApp({ ...files, "favicon.png": "project" });
    const ask = (path: string) => app!.handle(new Request(`http://localhost${path}`));
    const icon = await ask("/favicon.ico");
    expect(await icon.text()).toBe("project");
    expect(icon.headers.get("cache-control")).toBe("public, max-age=86400");
    await app.close();
    app = await testApp(files);
    expect(await (await ask("/favicon.ico")).text()).toBe("public");
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
    const { httpSettings } = await import("../../../src/engine/config/middlewares.ts");
    const { ignoredMiddlewares } = await import("../../../src/server/code.ts");
    const settings = httpSettings(
      [
        "strapi::errors",
        "global::own",
        { resolve: "./x" },
        { name: "strapi::session", config: { maxAge: 5 } },
        {
          name: "strapi::body",
          config: { multipart: false, patchKoa: true, formidable: { maxFields: 1, keepExtensions: true } },
        },
        { name: "strapi::query", config: { arrayLimit: 5 } },
      ],
      "config/middlewares.js",
      new ProjectReport(),
    );
    expect(settings.others).toEqual(["global::own", "./x"]);
    expect(ignoredMiddlewares(settings, true)).toEqual(settings.ignored);
    expect(ignoredMiddlewares(settings, false)).toEqual([
      "global::own is the project's own code, which is not run",
      "./x is the project's own code, which is not run",
      "strapi::body: formidable.keepExtensions is not used: it has no effect in Galley",
    ]);
  });
});
