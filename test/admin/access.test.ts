/** Who may use the admin's routes, from where, and that they are not there when they are off. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { REFERENCE_VERSION } from "../../src/engine/config/reference-version.ts";
import { configFile, createCall, type TestApp, testApp, typeFile } from "../project.ts";

const KEY = "test-admin";
const files = {
  ...typeFile(
    "note",
    { text: { type: "string" }, hidden: { type: "string", private: true } },
    { draftAndPublish: true },
  ),
  ...configFile({
    admin: { hosts: ["Cms.example.com"] },
    tokens: [
      { name: "full", type: "full-access", key: "test-full-access" },
      { name: "admin", type: "admin", key: KEY },
    ],
  }),
};
const NOTES = "/content-manager/collection-types/api::note.note";
const credentials = { authorization: `Bearer ${KEY}` };

let app: TestApp;
let admin: TestApp["call"];

beforeAll(async () => {
  app = await testApp(files, { admin: true });
  admin = createCall(app, credentials);
});
afterAll(() => app.close());

describe("the admin token", () => {
  test("opens the admin's routes, which other tokens do not", async () => {
    expect((await admin("GET", NOTES)).status).toBe(200);
    expect((await app.call("GET", NOTES)).status).toBe(401);
    expect((await app.call("GET", NOTES, undefined, {})).status).toBe(401);
  });

  test("gives no right to the Content API", async () => {
    expect((await admin("GET", "/api/notes")).status).toBe(401);
  });

  test("names the version of Strapi by which clients choose formats", async () => {
    expect((await admin("GET", "/admin/information")).body.data.strapiVersion).toBe(REFERENCE_VERSION);
  });

  const logIn = (input: object) => app.call("POST", "/admin/login", input, {});

  test("is the password of clients that sign in, which send it from then on", async () => {
    const { status, body } = await logIn({ email: "a@b.c", password: KEY });
    expect(status).toBe(200);
    const me = await app.call("GET", "/admin/users/me", undefined, { authorization: `Bearer ${body.data.token}` });
    expect(me.status).toBe(200);
    expect(me.body.data).toMatchObject(body.data.user);
  });

  test.each(["x", "test-full-access"])(
    "signing in with another password is refused, and the answer says what to do instead",
    async (password) => {
      const { status, body } = await logIn({ email: "a@b.c", password });
      expect(status).toBe(400);
      expect(body.error.message).toContain("--type admin");
    },
  );

  test.each([{}, { email: "a@b.c" }, { password: KEY }])(
    "signing in needs an address and a password: %j",
    async (input) => {
      expect((await logIn(input)).body.error.message).toBe("Missing credentials");
    },
  );
});

describe("hosts", () => {
  const ask = async (host: string): Promise<number> =>
    (await app.handle(new Request(`http://localhost${NOTES}`, { headers: { ...credentials, host } }))).status;

  test.each(["localhost:1337", "127.0.0.1", "[::1]:80", "192.168.1.4:1337", "CMS.example.com"])(
    "%s is answered",
    async (host) => expect(await ask(host)).toBe(200),
  );

  test.each(["evil.example", "localhost.evil.example", "cms.example.com.evil", "127.0.0.1.nip.io", "a@localhost", ""])(
    "%p is refused",
    async (host) => expect(await ask(host)).toBe(403),
  );
});

describe("another origin", () => {
  const origin = "http://panel.example";
  const preflight = { "access-control-request-method": "PUT", "access-control-request-headers": "authorization" };
  const ask = (path: string, method: string, headers: Record<string, string>) =>
    app.handle(new Request(`http://localhost${path}`, { method, headers: { origin, ...headers } }));

  test("reads the answers at Strapi's paths, for which it needs the token", async () => {
    for (const headers of [credentials, {}]) {
      const response = await ask(NOTES, "GET", headers);
      expect(response.headers.get("access-control-allow-origin")).toBe(origin);
    }
  });

  test.each([NOTES, "/admin/login", "/admin/nothing"])("may ask before a request to %s", async (path) => {
    const response = await ask(path, "OPTIONS", preflight);
    expect(response.status).toBe(204);
    expect(response.headers.get("access-control-allow-headers")).toContain("Authorization");
    expect(response.headers.get("access-control-allow-methods")).toContain("PUT");
  });

  test.each([`/admin/api${NOTES}`, "/admin/api/nothing"])("cannot read an answer for the page: %s", async (path) => {
    for (const [method, headers] of [
      ["GET", credentials],
      ["OPTIONS", preflight],
    ] as const) {
      const response = await ask(path, method, headers);
      expect(response.headers.get("access-control-allow-origin")).toBeNull();
      expect(response.headers.get("access-control-allow-headers")).toBeNull();
    }
  });
});

test("private attributes can be seen, filtered and sorted by", async () => {
  await admin("POST", NOTES, { text: "b", hidden: "2" });
  await admin("POST", NOTES, { text: "a", hidden: "1" });
  const { body } = await admin("GET", `${NOTES}?sort=hidden:ASC&filters[hidden][$notNull]=true`);
  expect(body.results.map(({ hidden }: { hidden: string }) => hidden)).toEqual(["1", "2"]);
});

test("a refused publication saves nothing", async () => {
  const rules = typeFile(
    "post",
    { title: { type: "string", required: true, minLength: 3 } },
    { draftAndPublish: true },
  );
  const strict = await testApp({ ...files, ...rules }, { admin: true });
  const call = createCall(strict, credentials);
  const posts = "/content-manager/collection-types/api::post.post";
  const { body: made } = await call("POST", posts, { title: "first" });
  const one = `${posts}/${made.data.documentId}`;
  expect((await call("POST", `${one}/actions/publish`, { title: "ab" })).status).toBe(400);
  expect((await call("GET", one)).body.data.title).toBe("first");
  await strict.close();
});

test("without the admin its routes do not exist", async () => {
  const off = await testApp(files);
  const call = createCall(off, credentials);
  expect((await call("GET", NOTES)).status).toBe(404);
  expect((await call("GET", "/admin/users/me")).status).toBe(404);
  await off.close();
});
