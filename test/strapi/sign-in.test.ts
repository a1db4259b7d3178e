/** Sign-in with providers, against a provider of the test. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createGalley } from "../../src/index.ts";
import { startProject } from "../../src/server/start.ts";
import { profiles } from "../../src/strapi/sign-in/profiles.ts";
import { configFile, projectFolder, type TestApp, testApp, typeFile, writeFiles } from "../project.ts";

const CALLBACK = "http://localhost:3000/done";
/** Of the OAuth 1 provider: the signature of its requests is checked, as RFC 5849 says. */
const SECRETS: Readonly<Record<string, string>> = { "": "", rt: "request&secret", at: "access secret" };
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (at) => `%${at.charCodeAt(0).toString(16).toUpperCase()}`);

/** The OAuth parameters of a header; undefined if the signature is wrong. */
function signedParams(
  method: string,
  url: URL,
  header: string | null,
  secret = "very secret",
): Record<string, string> | undefined {
  const pairs = [...(header ?? "").matchAll(/(\w+)="([^"]*)"/g)].map(
    ([, name = "", value = ""]) => [name, decodeURIComponent(value)] as const,
  );
  const { oauth_signature: signature, ...params } = Object.fromEntries(pairs);
  const all = [...Object.entries(params), ...url.searchParams]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort();
  const base = [method, encode(url.origin + url.pathname), encode(all.join("&"))].join("&");
  const key = `${encode(secret)}&${encode(SECRETS[params.oauth_token ?? ""]!)}`;
  const expected = new Bun.CryptoHasher("sha1", key).update(base).digest("base64");
  return signature === expected ? params : undefined;
}

function oauth1(request: Request, url: URL): Response | undefined {
  const params = signedParams(request.method, url, request.headers.get("authorization"));
  if (!params) return new Response("oauth_problem=signature_invalid", { status: 401 });
  if (url.pathname === "/one/request")
    return new Response(
      `oauth_token=rt&oauth_token_secret=${encodeURIComponent(SECRETS.rt!)}&oauth_callback_confirmed=${params.oauth_callback === "https://cms.example/api/connect/one/callback"}`,
    );
  if (url.pathname === "/one/access")
    return params.oauth_verifier === "v1"
      ? new Response("oauth_token=at&oauth_token_secret=access+secret&screen_name=ada")
      : new Response("not verified", { status: 401 });
  return undefined;
}

const requests: { path: string; body: string; authorization: string | null }[] = [];
const answers: Record<string, (body: URLSearchParams) => Response> = {
  "/token": (body) => Response.json({ access_token: `token-${body.get("code")}`, refresh_token: "unused" }),
  "/form": () => new Response("access_token=form-token&token_type=bearer"),
  "/fail": () => Response.json({ error: "invalid_grant", error_description: "The code is used" }, { status: 400 }),
  "/verbose": () => new Response("x".repeat(5_000), { status: 500 }),
  "/away": () => Response.redirect("file:///etc/hostname"),
  "/endless": () =>
    new Response(
      new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(100_000)),
      }),
    ),
};

let provider: ReturnType<typeof Bun.serve>;
let app: TestApp;
let cookies: Record<string, string> = {};

const indexFile = (url: string) => `module.exports = {
  register({ strapi }) {
    const registry = strapi.plugin("users-permissions").service("providers-registry");
    const add = (name, path, config = {}, authCallback) => registry.add(name, { enabled: true, icon: "", authCallback: authCallback ?? (async ({ accessToken }) => ({ email: accessToken })),
      grantConfig: { key: name + "-key", secret: "very secret", authorize_url: "${url}/authorize", access_url: path.includes(":") ? path : "${url}" + path, callback: "${CALLBACK}?kept=no", ...config } });
    add("acme", "/token", { scope: ["email", "name"], scope_delimiter: " " }, async ({ accessToken, query, providers, grantResponse }) => {
      strapi.called = { accessToken, query, key: providers.acme.key, grantResponse };
      return { username: "Ada", email: "Ada@Acme.example" };
    });
    add("basic", "/form", { token_endpoint_auth_method: "client_secret_basic" }, async () => ({ email: "ada@acme.example" }));
    for (const path of ["/fail", "/verbose", "/away", "/endless", "file:///etc/hostname"]) add("bad" + path.replace(/\\W/g, ""), path);
    const one = { oauth: 1, request_url: "${url}/one/request", authorize_url: "${url}/one/authorize", access_url: "${url}/one/access" };
    add("one", "", one, async ({ accessToken, grantResponse }) => { strapi.called = { accessToken, grantResponse }; return { username: "One", email: "one@example.com" }; });
    add("onebad", "", { ...one, secret: "wrong" });
    add("onepart", "", { ...one, request_url: undefined });
    add("off", "/token"); registry.get("off").enabled = false;
    registry.remove("vk");
  },
  async bootstrap({ strapi }) {
    const store = strapi.store({ type: "plugin", name: "users-permissions", key: "grant" });
    const value = await store.get();
    value.github = { ...value.github, enabled: true, key: "gh" };
    value.auth0 = { ...value.auth0, enabled: true };
    await store.set({ value });
  },
};`;

beforeAll(async () => {
  provider = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const url = new URL(request.url);
      const { pathname } = url;
      const signed = pathname.startsWith("/one/") ? oauth1(request, url) : undefined;
      if (signed) return signed;
      const body = await request.text();
      requests.push({ path: pathname, body, authorization: request.headers.get("authorization") });
      return answers[pathname]?.(new URLSearchParams(body)) ?? new Response("none", { status: 404 });
    },
  });
  app = await testApp({
    ...configFile({ roles: { public: ["plugin::users-permissions.auth.*"] } }),
    "config/server.js": 'module.exports = { url: "https://cms.example", app: { keys: ["a", "b"] } };',
    "src/index.js": indexFile(`http://127.0.0.1:${provider.port}`),
    "src/api/see/controllers/see.js": `module.exports = {
      called: (ctx) => { ctx.body = strapi.called; },
      async people(ctx) { ctx.body = await strapi.db.query("plugin::users-permissions.user").findMany({ select: ["username", "email", "provider", "confirmed"], populate: { role: { select: ["type"] } } }); },
      async connect(ctx) { ctx.body = await strapi.plugin("users-permissions").service("providers").connect("acme", ctx.request.body).catch((error) => ({ message: error.message })); },
      async stored(ctx) { const value = await strapi.store.get({ type: "plugin", name: "users-permissions", key: "grant" }); ctx.body = { names: Object.keys(value), google: value.google, key: value.acme.key }; },
    };`,
    "src/api/see/routes/see.js": `module.exports = { routes: ["called", "people", "connect", "stored"].map((name) => ({ method: name === "connect" ? "POST" : "GET", path: "/" + name, handler: "see." + name, config: { auth: false } })) };`,
  });
});
afterAll(async () => {
  await app.close();
  await provider.stop(true);
});

/** A request with the cookies of earlier responses. */
async function visit(path: string) {
  const cookie = Object.entries(cookies).map(([name, value]) => `${name}=${value}`);
  const response = await app.handle(new Request(`http://localhost${path}`, { headers: { cookie: cookie.join("; ") } }));
  for (const line of response.headers.getSetCookie()) {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    cookies[name] = value;
  }
  const text = await response.text();
  const location = response.headers.get("location");
  return { status: response.status, location, body: location === null && text ? JSON.parse(text) : undefined };
}

/** Starts a sign-in and comes back from the provider; resolves with the URL to which the client is sent. */
async function signIn(name: string, query = ""): Promise<string | null> {
  cookies = {};
  const { location } = await visit(`/api/connect/${name}${query}`);
  const state = new URL(location!).searchParams.get("state");
  return (await visit(`/api/connect/${name}/callback?code=c1&state=${state}`)).location;
}

const messageOf = async (path: string) => (await visit(path)).body.error.message;

describe("a sign-in", () => {
  test("sends the user to the provider, with scopes and a state", async () => {
    cookies = {};
    const { status, location } = await visit("/api/connect/acme");
    const url = new URL(location!);
    expect([status, url.pathname]).toEqual([302, "/authorize"]);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: "acme-key",
      response_type: "code",
      redirect_uri: "https://cms.example/api/connect/acme/callback",
      scope: "email name",
      state: expect.stringMatching(/^[0-9a-f]{40}$/),
    });
    expect((await visit("/api/connect/github")).location).toStartWith(
      "https://github.com/login/oauth/authorize?client_id=gh&response_type=code&redirect_uri=https%3A%2F%2Fcms.example",
    );
    expect((await visit("/api/connect/auth0")).location).toStartWith("https://my-tenant.eu.auth0.com/authorize?");
  });

  test("exchanges the code, and creates the user whom later ones find", async () => {
    expect(await signIn("acme")).toBe(CALLBACK);
    const { body } = await visit("/api/auth/acme/callback");
    expect(body).toMatchObject({ jwt: expect.any(String), user: { username: "Ada", email: "ada@acme.example" } });
    expect((await visit("/api/called")).body).toEqual({
      accessToken: "token-c1",
      query: { access_token: "token-c1" },
      key: "acme-key",
      grantResponse: { access_token: "token-c1" },
    });
    await signIn("acme");
    expect((await visit("/api/auth/acme/callback")).body.user.id).toBe(body.user.id);
    expect((await visit("/api/people")).body).toMatchObject([
      { username: "Ada", provider: "acme", confirmed: true, role: { type: "authenticated" } },
    ]);
    expect(requests.at(-1)!.body).toContain("client_secret=very+secret");
  });

  test("does not take the address of another provider's user", async () => {
    await signIn("basic");
    expect(await messageOf("/api/auth/basic/callback")).toBe("Email is already taken.");
    const { authorization, body } = requests.at(-1)!;
    expect([authorization, body.includes("secret")]).toEqual([`Basic ${btoa("basic-key:very secret")}`, false]);
  });

  test("accepts no state or code of another session", async () => {
    cookies = {};
    await visit("/api/connect/acme");
    const failed = (message: string) => `${CALLBACK}?error=oauth_error&error_description=${message}`;
    expect((await visit("/api/connect/acme/callback?code=c&state=wrong")).location).toBe(
      failed("OAuth2+state+mismatch"),
    );
    expect((await visit("/api/connect/acme/callback?code=c")).location).toBe(failed("OAuth2+state+mismatch"));
    expect((await visit("/api/connect/acme/callback?state=x")).location).toBe(failed("OAuth2+missing+code+parameter"));
    const { location } = await visit("/api/connect/basic");
    const state = new URL(location!).searchParams.get("state");
    expect((await visit(`/api/connect/acme/callback?code=c&state=${state}`)).location).toBe(
      failed("OAuth2+state+mismatch"),
    );
    cookies = {};
    expect(await messageOf("/api/auth/acme/callback?access_token=stolen")).toBe(
      "OAuth authentication requires a completed provider session",
    );
  });

  test("does not take the tokens of one provider for those of another", async () => {
    await signIn("basic");
    expect(await messageOf("/api/auth/acme/callback")).toBe(
      "OAuth authentication requires a completed provider session",
    );
  });

  test("may return to the configured path with other parameters, and nowhere else", async () => {
    expect(await signIn("acme", `?callback=${CALLBACK}?page=2`)).toBe(CALLBACK);
    cookies = {};
    for (const callback of ["http://evil.example/done", "http://localhost:3000/other", "nonsense"])
      expect(await messageOf(`/api/connect/acme?callback=${callback}`)).toBe("Invalid callback URL provided");
  });

  test.each([
    ["fail", "The code is used"],
    ["verbose", "x".repeat(200)],
    ["away", "HTTP 302"],
    ["endless", "more than 1000000 bytes"],
    ["fileetchostname", "must begin with https:"],
  ])("ends with an error if the provider's token URL is %s", async (name, message) => {
    const url = new URL((await signIn(`bad${name}`))!);
    const description = url.searchParams.get("error_description")!;
    expect(description).toContain(message);
    expect(description.length).toBeLessThanOrEqual(200);
  });
});

describe("a sign-in by OAuth 1", () => {
  const failed = (message: string) => `${CALLBACK}?error=oauth_error&error_description=${message}`;

  test("gets a request token, and exchanges it for the user's", async () => {
    cookies = {};
    const { location } = await visit("/api/connect/one");
    expect(location).toBe(`http://127.0.0.1:${provider.port}/one/authorize?oauth_token=rt`);
    expect((await visit("/api/connect/one/callback?oauth_token=rt&oauth_verifier=v1")).location).toBe(CALLBACK);
    expect((await visit("/api/auth/one/callback")).body).toMatchObject({ user: { username: "One" } });
    const grantResponse = { access_token: "at", access_secret: "access secret", raw: { screen_name: "ada" } };
    expect((await visit("/api/called")).body).toEqual({ accessToken: "at", grantResponse });
  });

  test("accepts no token of another session, and each token once", async () => {
    cookies = {};
    expect((await visit("/api/connect/one/callback?oauth_token=rt&oauth_verifier=v1")).location).toBe(
      failed("OAuth1+token+mismatch"),
    );
    await visit("/api/connect/one");
    expect((await visit("/api/connect/one/callback?oauth_token=other&oauth_verifier=v1")).location).toBe(
      failed("OAuth1+token+mismatch"),
    );
    expect((await visit("/api/connect/one/callback?oauth_token=rt&oauth_verifier=v1")).location).toBe(
      failed("OAuth1+token+mismatch"),
    );
    await visit("/api/connect/one");
    expect((await visit("/api/connect/one/callback?oauth_token=rt&oauth_verifier=no")).location).toBe(
      failed("not+verified"),
    );
  });

  test("is refused with the provider's message, or without its URLs", async () => {
    cookies = {};
    expect(await messageOf("/api/connect/onebad")).toContain("signature_invalid");
    expect(await messageOf("/api/connect/onepart")).toBe("Unknown OAuth provider");
  });

  test("of Twitter reads the profile with a signed request", async () => {
    const { fetch } = globalThis;
    const sent: (Record<string, string> | undefined)[] = [];
    // the requests to Twitter itself
    globalThis.fetch = (async (input: URL, init: RequestInit) => {
      const header = new Headers(init.headers).get("authorization");
      sent.push({ ...signedParams(init.method ?? "GET", input, header, "app secret"), query: input.search });
      return Response.json({ screen_name: "ada", email: "ada@twitter.example" });
    }) as typeof fetch;
    try {
      const twitter = (grantResponse: object) =>
        profiles.twitter!({
          accessToken: "at",
          query: {},
          providers: { twitter: { key: "app", secret: "app secret" } },
          grantResponse: grantResponse as Record<string, unknown>,
        });
      const profile = await twitter({ access_secret: "access secret", raw: { screen_name: "ada l." } });
      expect(profile).toEqual({ username: "ada", email: "ada@twitter.example" });
      expect(sent).toEqual([
        expect.objectContaining({
          oauth_token: "at",
          oauth_consumer_key: "app",
          query: "?include_email=true&screen_name=ada+l.",
        }),
      ]);
      expect(twitter({})).rejects.toThrow("Twitter authentication requires a completed OAuth session");
    } finally {
      globalThis.fetch = fetch;
    }
  });
});

test.each(["google", "off", "vk", "none", "__proto__", ""])("%p is disabled", async (name) => {
  expect(await messageOf(`/api/connect/${name}`)).toBe("This provider is disabled");
});

test("signing in with a password is as without providers", async () => {
  const { status, body } = await app.call("POST", "/api/auth/local", { identifier: "ada", password: "wrong" }, {});
  expect([status, body.error.message]).toEqual([400, "Invalid identifier or password"]);
});

test("code connects users itself, and its providers are in the stored configuration", async () => {
  const connect = async (tokens: object) => (await app.call("POST", "/api/connect", tokens, {})).body;
  expect(await connect({})).toEqual({ message: "No access_token." });
  expect(await connect({ access_token: "x" })).toMatchObject({ username: "Ada", provider: "acme" });
  const { names, google, key } = (await visit("/api/stored")).body;
  expect([names.includes("vk"), names.includes("off"), key]).toEqual([false, true, "acme-key"]);
  expect(google).toMatchObject({ enabled: false, callbackUrl: "https://cms.example/api/auth/google/callback" });
});

test("a project without code offers providers as soon as one is enabled, and after a restart", async () => {
  const tokens = [{ name: "admin", type: "admin", key: "admin" }];
  const generated = 'module.exports = require("@strapi/strapi").factories.createCoreRouter("api::post.post");';
  const files = {
    ...configFile({ tokens }),
    ...typeFile("note", {}),
    ...typeFile("post", {}),
    "src/api/post/routes/post.js": generated,
  };
  const { root, remove } = projectFolder(files);
  const open = () => createGalley({ project: root, memory: false, admin: true, environment: {} });
  let galley = await open();
  const send = async (path: string, init: RequestInit = {}) =>
    galley.fetch(new Request(`http://localhost${path}`, init));
  const connect = async () => (await send("/api/connect/google")).headers.get("location")?.split("?")[0];
  const headers = { authorization: "Bearer admin", "content-type": "application/json" };
  try {
    expect(await connect()).toBe(undefined);
    const google = { enabled: true, key: "k", secret: "s", callback: CALLBACK };
    const body = JSON.stringify({ providers: { google } });
    expect((await send("/users-permissions/providers", { method: "PUT", headers, body })).status).toBe(200);
    expect(await connect()).toBe("https://accounts.google.com/o/oauth2/v2/auth");
    await galley.close();
    writeFiles(root, typeFile("note", { size: { type: "integer" } }));
    const { project } = await startProject(root, { memory: false, publicRead: false, environment: {} });
    expect(project.changes.map(({ table, text }) => `${table} ${text}`).join()).toContain("size");
    await project.close();
    galley = await open();
    expect(await connect()).toBe("https://accounts.google.com/o/oauth2/v2/auth");
    expect((await send("/api/notes")).status).toBe(403);
  } finally {
    await galley.close();
    remove();
  }
});
