/** The session of the admin page: how it begins and ends, and what other pages in the same browser may not do with it. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { ownAddress } from "../../src/admin/hosts.ts";
import { signInLink } from "../../src/admin/session/session.ts";
import { sign } from "../../src/admin/session/signed.ts";
import { createGalley, type Galley } from "../../src/index.ts";
import { configFile, projectFolder, type TestApp, testApp, typeFile } from "../project.ts";

const KEY = "a key for tests";
const ADDRESS = "http://localhost:1337";
const files = {
  ...typeFile("note", { text: { type: "string" } }),
  ...configFile({ tokens: [{ name: "admin", type: "admin", key: "an-admin-token" }] }),
};
const NOTES = "/admin/api/content-manager/collection-types/api::note.note";
const SESSION = "/admin/api/session";
/** As Chromium sends them for a request of the page itself. */
const OWN = { "sec-fetch-site": "same-origin", "x-galley-admin": "1" };

let app: TestApp;
const options = { admin: true, environment: { ADMIN_JWT_SECRET: KEY } };
beforeAll(async () => {
  app = await testApp(files, options);
});
afterAll(() => app.close());

interface Ask {
  readonly method?: string;
  readonly body?: object;
  readonly headers?: Record<string, string>;
  readonly cookie?: string;
  readonly address?: string;
  readonly on?: Pick<Galley, "handle">;
}

function ask(path: string, { method = "GET", body, headers = OWN, cookie, address = ADDRESS, on = app }: Ask = {}) {
  const { host } = new URL(address);
  const all = { host, ...headers, ...(cookie ? { cookie } : {}) };
  const json = body ? { body: JSON.stringify(body), headers: { "content-type": "application/json", ...all } } : {};
  return on.handle(new Request(address + path, { method, headers: all, ...json }));
}

const tokenOf = (link: string): string => link.slice(link.indexOf("#") + 1);
const newToken = (): string => tokenOf(signInLink(ADDRESS, KEY, Date.now()));
const cookieOf = (response: Response): string => response.headers.get("set-cookie")!.split(";")[0]!;

async function signedIn(address = ADDRESS, on = app): Promise<string> {
  const response = await ask(SESSION, { method: "POST", body: { token: newToken() }, address, on });
  expect(response.status).toBe(200);
  return cookieOf(response);
}

async function refusal(token: string): Promise<{ readonly message: string }> {
  const response = await ask(SESSION, { method: "POST", body: { token } });
  expect(response.status).toBe(401);
  return ((await response.json()) as { error: { message: string } }).error;
}

describe("signing in", () => {
  test("a link gives a cookie that scripts cannot read, for the page's requests alone", async () => {
    const response = await ask(SESSION, { method: "POST", body: { token: newToken() } });
    const [pair, ...attributes] = response.headers.get("set-cookie")!.split("; ");
    expect(pair).toStartWith("galley-admin-1337=session.");
    expect(attributes).toContain("HttpOnly");
    expect(attributes).toContain("SameSite=Strict");
    // that of the request: a proxy may have removed a prefix
    expect(attributes.some((attribute) => /^path/i.test(attribute))).toBeFalse();
    expect((await ask(NOTES, { cookie: pair! })).status).toBe(200);
  });

  test("a link works once, also when it is used twice at the same time", async () => {
    const token = newToken();
    const answers = await Promise.all([1, 2, 3].map(() => ask(SESSION, { method: "POST", body: { token } })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
  });

  test("what is no link is not said to have been used", async () => {
    const { message: used } = await refusal("link.AAAAAAAAAAAAAAAA.a.b.c");
    expect(used).toBe("This link was used before, or has expired");
    const { message: unknown } = await refusal("the key of a token that reads");
    expect(unknown).toBe("This is neither a link of this server nor an admin token");
  });

  test("a link that was used stays so after a restart, and sessions go on", async () => {
    const { root, remove } = projectFolder(files);
    const open = () => createGalley({ project: root, memory: false, ...options });
    const token = newToken();
    const first = await open();
    const cookie = cookieOf(await ask(SESSION, { method: "POST", body: { token }, on: first }));
    await first.close();
    const second = await open();
    expect((await ask(NOTES, { cookie, on: second })).status).toBe(200);
    expect((await ask(SESSION, { method: "POST", body: { token }, on: second })).status).toBe(401);
    await second.close();
    remove();
  });

  test.each([
    ["an expired link", sign(KEY, "link", -1, Date.now())],
    ["a session in the place of a link", sign(KEY, "session", 60_000, Date.now())],
    ["a link of another project", sign("another key", "link", 60_000, Date.now())],
    ["nothing", ""],
    ["a very long text", "a".repeat(100_000)],
  ])("%s is refused", async (_, token) => {
    expect((await ask(SESSION, { method: "POST", body: { token } })).status).toBe(401);
  });

  test("a changed signature is refused, wherever it is changed", async () => {
    const cookie = await signedIn();
    for (let index = cookie.indexOf("=") + 1; index < cookie.length; index++) {
      const changed = cookie.slice(0, index) + (cookie[index] === "a" ? "b" : "a") + cookie.slice(index + 1);
      // the last character of base64url has bits that do not count
      if (index < cookie.length - 1) expect((await ask(NOTES, { cookie: changed })).status).toBe(401);
    }
  });

  test("an admin token signs in, too; other tokens do not", async () => {
    const withToken = (token: string) => ask(SESSION, { method: "POST", body: { token } });
    expect((await withToken("an-admin-token")).status).toBe(200);
    expect((await withToken("test-full-access")).status).toBe(401);
  });

  test("signing out ends the session for good", async () => {
    const cookie = await signedIn();
    const response = await ask(SESSION, { method: "DELETE", cookie });
    expect(response.headers.get("set-cookie")).toContain("Max-Age=0");
    expect((await ask(NOTES, { cookie })).status).toBe(401);
  });

  test("a link's cookie does not open the routes for admin tokens", async () => {
    const cookie = await signedIn();
    expect((await ask("/content-manager/collection-types/api::note.note", { cookie })).status).toBe(401);
  });
});

describe("requests of other pages, with the cookie", () => {
  let cookie: string;
  beforeEach(async () => {
    cookie = await signedIn();
  });

  const attacks: [name: string, headers: Record<string, string>][] = [
    ["another port", { "sec-fetch-site": "same-site", origin: "http://localhost:3000" }],
    ["another port, which hides where it is from", { "sec-fetch-site": "same-site" }],
    ["another port, in a browser without Sec-Fetch-Site", { origin: "http://localhost:3000", "x-galley-admin": "1" }],
    ["another site", { "sec-fetch-site": "cross-site", origin: "http://evil.example", "x-galley-admin": "1" }],
    ["a sandboxed frame", { origin: "null", "x-galley-admin": "1" }],
    ["a link that somebody followed", { "sec-fetch-site": "none" }],
    ["a form without any headers", { "content-type": "text/plain" }],
    ["nothing at all", {}],
  ];
  test.each(attacks)("%s: neither reads nor writes", async (_, headers) => {
    expect((await ask(NOTES, { headers, cookie })).status).toBe(403);
    const request = new Request(ADDRESS + NOTES, {
      method: "POST",
      headers: { host: "localhost:1337", cookie, ...headers },
      body: '{"text":"forged"}',
    });
    expect((await app.handle(request)).status).toBe(403);
    const { results } = (await (await ask(NOTES, { cookie })).json()) as { results: unknown[] };
    expect(results).toEqual([]);
  });

  test.each(["evil.example:1337", "localhost.evil.example:1337", "127.0.0.1.nip.io:1337"])(
    "a page whose name was made to lead here, %s",
    async (host) => {
      // such a page is its own origin, and browsers send no Sec-Fetch-Site for it
      const headers = { host, origin: `http://${host}`, "x-galley-admin": "1" };
      const address = `http://${host}`;
      expect((await ask(NOTES, { headers, cookie, address })).status).toBe(403);
      expect((await ask("/admin", { headers, address })).status).toBe(403);
      const body = { token: newToken() };
      expect((await ask(SESSION, { method: "POST", body, headers, address })).status).toBe(403);
    },
  );

  test("a preflight of another port allows nothing", async () => {
    const headers = {
      origin: "http://localhost:3000",
      "access-control-request-method": "POST",
      "access-control-request-headers": "x-galley-admin",
    };
    const response = await ask(NOTES, { method: "OPTIONS", headers });
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
    expect(response.headers.get("access-control-allow-headers")).toBeNull();
  });

  test("the page itself, in a browser without Sec-Fetch-Site, is answered", async () => {
    expect((await ask(NOTES, { headers: { "x-galley-admin": "1" }, cookie })).status).toBe(200);
    const headers = { origin: ADDRESS, "content-type": "application/json" };
    expect((await ask(NOTES, { headers, cookie })).status).toBe(200);
  });

  test("a server on another port has another cookie", async () => {
    const other = await signedIn("http://localhost:4000");
    expect(other.split("=")[0]).toBe("galley-admin-4000");
    expect((await ask(NOTES, { cookie: other })).status).toBe(401);
    expect((await ask(NOTES, { cookie: `${other}; ${cookie}` })).status).toBe(200);
  });
});

describe("the page", () => {
  test("runs nothing but its own files, and is not framed", async () => {
    for (const path of ["/admin", "/admin/", "/admin/content/api::note.note", "/admin/media"]) {
      const response = await ask(path, { headers: {} });
      expect(response.status).toBe(200);
      const policy = response.headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("require-trusted-types-for 'script'");
      expect(policy).not.toContain("unsafe");
      expect(await response.text()).not.toMatch(/<script(?![^>]*\ssrc=)|\son\w+=|<style/);
    }
  });

  test("its files have names that change with them, and are not sent twice", async () => {
    const html = await (await ask("/admin", { headers: {} })).text();
    const names = [...html.matchAll(/(?:src|href)="(admin\/assets\/[^"]+)"/g)].map(([, name]) => `/${name}`);
    expect(names.length).toBeGreaterThanOrEqual(3);
    for (const name of names) {
      const first = await ask(name, { headers: { "accept-encoding": "gzip" } });
      expect(first.headers.get("cache-control")).toContain("immutable");
      expect(first.headers.get("content-encoding")).toBe("gzip");
      const etag = first.headers.get("etag")!;
      expect((await ask(name, { headers: { "if-none-match": etag } })).status).toBe(304);
    }
    expect((await ask("/admin/assets/../../package.json", { headers: {} })).status).toBe(404);
    expect((await ask("/admin/assets/missing.js", { headers: {} })).status).toBe(404);
  });

  test("whoever asks for a new link does not see it", async () => {
    const response = await ask(`${SESSION}/link`, { method: "POST", body: {} });
    expect(await response.text()).not.toContain("link.");
  });

  test.each([
    ["http://192.0.2.7:1337", "http://localhost:1337"],
    ["http://[2001:db8::7]:1337", "http://localhost:1337"],
    ["http://127.0.0.1:8080", "http://127.0.0.1:8080"],
    ["http://cms.example:8080", "http://cms.example:8080"],
    ["http://public.example", "https://public.example/cms"],
  ])("a link that is asked for at %s leads to this server", (address, expected) => {
    const own = { hosts: ["cms.example"], serverUrl: new URL("https://public.example/cms/") };
    expect(ownAddress(new Request(address), own)).toBe(expected);
  });
});

describe("the administrator's sessions", () => {
  const SESSIONS = "/admin/api/admin/users/me/sessions";
  const LOGOUT = "/admin/api/admin/logout";
  const TOKEN = { authorization: "Bearer an-admin-token" };
  const statusOf = async (cookie: string) => (await ask(NOTES, { cookie })).status;
  const listed = async (cookie: string) =>
    ((await (await ask(SESSIONS, { cookie })).json()) as { data: { id: string; current: boolean }[] }).data;
  /** Two sessions, issued before everything that follows. */
  async function twoSessions(): Promise<[string, string]> {
    const cookies: [string, string] = [await signedIn(), await signedIn()];
    await Bun.sleep(5);
    return cookies;
  }

  test("the own one is listed, none for a token", async () => {
    const cookie = await signedIn();
    const [session, ...others] = await listed(cookie);
    expect(others).toEqual([]);
    expect(cookie).toContain(session!.id);
    expect(session!.current).toBeTrue();
    const byToken = await ask("/admin/users/me/sessions", { headers: TOKEN });
    expect(await byToken.json()).toEqual({ data: [] });
  });

  test("one is ended by its id, which no other session may name", async () => {
    const [one, other] = await twoSessions();
    const id = (await listed(one))[0]!.id;
    expect((await ask(`${SESSIONS}/${id}`, { method: "DELETE", cookie: other })).status).toBe(404);
    expect(await statusOf(one)).toBe(200);
    expect((await ask(`${SESSIONS}/${id}`, { method: "DELETE", cookie: one })).status).toBe(200);
    expect([await statusOf(one), await statusOf(other)]).toEqual([401, 200]);
  });

  test("all others are ended, also those kept before", async () => {
    const [one, other] = await twoSessions();
    const keep = { method: "DELETE", cookie: one };
    expect((await ask(`${SESSIONS}?keepCurrent=true`, keep)).headers.get("set-cookie")).toBeNull();
    expect([await statusOf(one), await statusOf(other)]).toEqual([200, 401]);
    const third = await signedIn();
    await Bun.sleep(5);
    await ask(`${SESSIONS}?keepCurrent=1`, { method: "DELETE", cookie: third });
    expect([await statusOf(one), await statusOf(third)]).toEqual([401, 200]);
  });

  test("all are ended, and new ones begin", async () => {
    const [one, other] = await twoSessions();
    const response = await ask(SESSIONS, { method: "DELETE", cookie: one });
    expect(await response.json()).toEqual({ data: {} });
    expect(response.headers.get("set-cookie")).toContain("Max-Age=0");
    expect([await statusOf(one), await statusOf(other)]).toEqual([401, 401]);
    expect(await statusOf(await signedIn())).toBe(200);
  });

  test("signing out ends all, or with a device the own one", async () => {
    const [one, other] = await twoSessions();
    await ask(LOGOUT, { method: "POST", body: { deviceId: "any" }, cookie: one });
    expect([await statusOf(one), await statusOf(other)]).toEqual([401, 200]);
    await ask("/admin/logout", { method: "POST", headers: TOKEN });
    expect(await statusOf(other)).toBe(401);
    expect((await ask("/admin/users", { headers: TOKEN })).status).toBe(200);
  });

  test("an old session goes on after the end of the others", async () => {
    // in another project no sessions were ended
    const on = await testApp(files, options);
    const clock = spyOn(Date, "now").mockReturnValue(Date.now() - 2 * 24 * 60 * 60_000);
    const old = await signedIn(ADDRESS, on);
    clock.mockRestore();
    const response = await ask(`${SESSIONS}?keepCurrent=true`, { method: "DELETE", cookie: old, on });
    // a new cookie would be of this path alone
    expect(response.headers.has("set-cookie")).toBeFalse();
    expect((await ask(NOTES, { cookie: old, on })).status).toBe(200);
    const start = await ask("/admin/api/start", { cookie: old, on });
    expect((await ask(NOTES, { cookie: cookieOf(start), on })).status).toBe(200);
    await on.close();
  });
});

test("the guided tour gets all content-types", async () => {
  const response = await ask("/admin/guided-tour-meta", { headers: { authorization: "Bearer an-admin-token" } });
  const { data } = (await response.json()) as {
    data: { isFirstSuperAdminUser: boolean; schemas: Record<string, object> };
  };
  expect(data.isFirstSuperAdminUser).toBeTrue();
  expect(data.schemas["api::note.note"]).toMatchObject({
    kind: "collectionType",
    uid: "api::note.note",
    modelType: "contentType",
    attributes: { text: { type: "string" }, createdAt: { type: "datetime" } },
  });
  expect(Object.keys(data.schemas)).toContain("plugin::users-permissions.user");
});

describe("without the admin", () => {
  let off: TestApp;
  beforeEach(async () => {
    off = await testApp(files, { environment: { ADMIN_JWT_SECRET: KEY } });
  });
  afterEach(() => off.close());

  test("there is neither a page nor a session", async () => {
    expect((await ask("/admin", { on: off })).status).toBe(404);
    expect((await ask("/admin/content/api::note.note", { on: off })).status).toBe(404);
    expect((await ask(NOTES, { on: off, cookie: await signedIn() })).status).toBe(404);
    const body = { token: newToken() };
    expect((await ask(SESSION, { method: "POST", body, on: off })).status).not.toBe(200);
  });
});

describe("behind a proxy that replaces the host", () => {
  const status = async (origin: string, on: TestApp) => {
    const headers = { ...OWN, origin };
    const response = await ask(SESSION, { method: "POST", body: { token: newToken() }, headers, on });
    const { error } = (await response.json()) as { error?: { message: string } };
    return [response.status, error?.message];
  };

  test("the page is known by the configured URLs", async () => {
    const on = await testApp(
      {
        ...files,
        "config/server.json": JSON.stringify({ url: "https://cms.example/base" }),
        "config/admin.json": JSON.stringify({ url: "https://panel.example/dashboard" }),
      },
      options,
    );
    for (const origin of ["https://cms.example", "https://panel.example"])
      expect(await status(origin, on)).toEqual([200, undefined]);
    for (const origin of ["https://cms.example:8443", "http://cms.example", "https://evil.example", "null"])
      expect((await status(origin, on))[0]).toBe(403);
    await on.close();
  });

  test("the reason is named without them", async () => {
    expect(await status("https://cms.example", app)).toEqual([403, expect.stringContaining("keep the Host header")]);
  });
});

describe("what browsers open below /admin", () => {
  const NAVIGATION = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };

  test.each(["/admin/nothing", "/admin/users", "/admin/content-types/of/old"])(
    "%s is the page's not found",
    async (path) => {
      const response = await ask(path, { headers: NAVIGATION });
      expect(response.status).toBe(404);
      expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(response.headers.get("content-security-policy")).toStartWith("default-src 'none'");
      expect(response.headers.get("etag")).toBeNull();
      expect(await response.text()).toContain('<div id="app">');
    },
  );

  test("programs get JSON", async () => {
    const withToken = { ...NAVIGATION, authorization: "Bearer an-admin-token" };
    for (const [path, headers, status] of [
      ["/admin/nothing", {}, 404],
      ["/admin/nothing", { accept: "application/json, text/plain, */*" }, 404],
      ["/admin/users", { accept: "*/*" }, 401],
      ["/admin/users", withToken, 200],
      ["/admin/nothing", withToken, 404],
      ["/admin/api/nothing", NAVIGATION, 404],
      ["/admin/assets/nothing.js", NAVIGATION, 404],
      ["/content-manager/nothing", NAVIGATION, 404],
    ] as const) {
      const response = await ask(path, { headers });
      expect([path, response.status, response.headers.get("content-type")]).toEqual([
        path,
        status,
        "application/json; charset=utf-8",
      ]);
    }
  });
});
