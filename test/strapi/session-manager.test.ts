/** `strapi.sessionManager`, beside the routes for sessions of users-permissions. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { configFile, type TestApp, testApp } from "../project.ts";

const USER = { username: "ada", email: "ada@example.com", password: "Passw0rd!" };

let app: TestApp;
beforeAll(async () => {
  app = await testApp({
    ...configFile({
      auth: { jwtManagement: "refresh" },
      roles: {
        public: ["auth.refresh", "auth.callback"].map((name) => `plugin::users-permissions.${name}`),
        authenticated: ["plugin::users-permissions.user.me"],
      },
      users: [{ ...USER, role: "authenticated" }],
    }),
    "src/api/see/controllers/see.js": `module.exports = {
      async call(ctx) {
        const { name, args = [], origin = "users-permissions" } = ctx.request.body;
        try { ctx.body = { value: (await strapi.sessionManager(origin)[name](...args)) ?? null }; }
        catch (error) { ctx.body = { message: error.message }; }
      },
      root: (ctx) => { const { hasOrigin, generateSessionId } = strapi.sessionManager; ctx.body = [hasOrigin("users-permissions"), hasOrigin("admin"), /^[0-9a-f]{32}$/.test(generateSessionId())]; },
      define: (ctx) => { const { name, settings } = ctx.request.body; strapi.sessionManager.defineOrigin(name, settings); ctx.body = {}; },
      async hold(ctx) { await strapi.db.transaction(() => new Promise((resolve) => setTimeout(resolve, 600))); ctx.body = {}; },
      async inside(ctx) {
        let made;
        await strapi.db.transaction(async () => {
          made = await strapi.sessionManager("users-permissions").generateRefreshToken("1");
          throw new Error("not now");
        }).catch(() => {});
        ctx.body = { value: await strapi.sessionManager("users-permissions").isSessionActive(made.sessionId) };
      },
      sync: (ctx) => { ctx.body = [strapi.sessionManager("users-permissions").validateAccessToken(ctx.request.body.token).isValid]; },
    };`,
    "src/api/see/routes/see.js": `module.exports = { routes: ["call", "root", "sync", "define", "hold", "inside"].map((name) => ({ method: "POST", path: "/" + name, handler: "see." + name, config: { auth: false } })) };`,
  });
});
afterAll(() => app.close());

const call = async (name: string, ...args: unknown[]) =>
  (await app.call("POST", "/api/call", { name, args }, {})).body.value;
const me = async (token: string) =>
  (await app.call("GET", "/api/users/me", undefined, { authorization: `Bearer ${token}` })).status;

test("tokens of the manager are those of the routes", async () => {
  const { token, sessionId, absoluteExpiresAt } = await call("generateRefreshToken", "1", "device", {
    type: "refresh",
    metadata: { deviceName: "CLI" },
  });
  expect(new Date(absoluteExpiresAt).getTime()).toBeGreaterThan(Date.now());
  const access = (await call("generateAccessToken", token)).token;
  expect(await me(access)).toBe(200);
  expect(await call("validateAccessToken", access)).toMatchObject({
    isValid: true,
    payload: { userId: "1", sessionId, type: "access" },
  });
  expect(await call("validateRefreshToken", token)).toEqual({ isValid: true, userId: "1", sessionId });
  const listed = await call("listSessions", "1");
  const metadata = { deviceName: "CLI" };
  expect(listed).toMatchObject([
    { userId: "1", sessionId, deviceId: "device", origin: "users-permissions", metadata, absoluteExpiresAt },
  ]);
  expect(new Date(listed[0].expiresAt).getTime()).toBeGreaterThan(Date.now());
  const rotated = await call("rotateRefreshToken", token);
  expect([rotated.sessionId, rotated.type, rotated.token === token]).toEqual([sessionId, "refresh", false]);
  expect(await call("generateAccessToken", token)).toEqual({ error: "invalid_refresh_token" });
  const refreshed = await app.call("POST", "/api/auth/refresh", { refreshToken: rotated.token }, {});
  expect([refreshed.status, await me(refreshed.body.jwt)]).toEqual([200, 200]);
  expect(await call("validateRefreshToken", rotated.token)).toEqual({ isValid: false });
});

test("sessions end for their user only", async () => {
  await call("invalidateRefreshToken", "1");
  const sessions = [await call("generateRefreshToken", "1", "a"), await call("generateRefreshToken", "1", "b")];
  const [first, second] = sessions.map(({ sessionId }) => sessionId);
  expect(await call("revokeSessionById", "2", first)).toBe(false);
  expect([await call("isSessionActive", first), await call("revokeSessionById", "1", first)]).toEqual([true, true]);
  expect([await call("isSessionActive", first), await call("isSessionActive", second)]).toEqual([false, true]);
  await call("invalidateRefreshToken", "1", "b");
  expect(await call("listSessions", "1")).toEqual([]);
});

test("other tokens are not valid", async () => {
  const { token } = await call("generateRefreshToken", "1");
  const access: string = (await call("generateAccessToken", token)).token;
  const [header, body, signature] = access.split(".") as [string, string, string];
  const claims = JSON.parse(atob(body));
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const forged = [
    token,
    "",
    "a.b.c",
    `${header}.${encode({ ...claims, userId: "2" })}.${signature}`,
    `${encode({ alg: "none" })}.${body}.`,
    `${encode({ alg: "none" })}.${body}.${signature}`,
    `${access}=`,
    access.slice(0, -1),
  ];
  for (const text of forged) expect(await call("validateAccessToken", text)).toEqual({ isValid: false, payload: null });
  for (const text of [access, "", "x.y.z"])
    expect(await call("validateRefreshToken", text)).toEqual({ isValid: false });
  expect((await app.call("POST", "/api/sync", { token: access }, {})).body).toEqual([true]);
});

test("tokens that an origin does not know are invalid, and an id that no user has is refused", async () => {
  const of = async (origin: string, name: string, ...args: unknown[]) => {
    const { body } = await app.call("POST", "/api/call", { name, args, origin }, {});
    return "value" in body ? body.value : body.message;
  };
  const { body } = await app.call("POST", "/api/root", {}, {});
  expect(body).toEqual([true, true, true]);
  for (const token of ["", "none", "a.b.c"]) {
    expect(await of("admin", "validateAccessToken", token)).toEqual({ isValid: false, payload: null });
    expect(await of("admin", "validateRefreshToken", token)).toEqual({ isValid: false });
    expect(await of("admin", "generateAccessToken", token)).toEqual({ error: "invalid_refresh_token" });
    expect(await of("admin", "rotateRefreshToken", token)).toEqual({ error: "invalid_refresh_token" });
    expect(await of("nobody", "validateAccessToken", token)).toEqual({ isValid: false, payload: null });
  }
  expect([await of("admin", "listSessions", "1"), await of("admin", "isSessionActive", "x")]).toEqual([[], false]);
  expect(await of("nobody", "generateRefreshToken", "1")).toStartWith(
    "SessionManager: Origin 'nobody' is not defined.",
  );
  expect(await of("", "listSessions", "1")).toStartWith("SessionManager: Origin parameter is required");
  expect(await of("users-permissions", "generateRefreshToken", "nobody")).toBe(
    "SessionManager: nobody is not the id of a user",
  );
});

test("sessions wait for a transaction that has the lock", async () => {
  const held = app.call("POST", "/api/hold", {}, {});
  await Bun.sleep(100);
  const credentials = { identifier: USER.username, password: USER.password };
  const { status, body } = await app.call("POST", "/api/auth/local", credentials, {});
  expect(status).toBe(200);
  await held;
  const again = app.call("POST", "/api/hold", {}, {});
  await Bun.sleep(100);
  const refreshed = await app.call("POST", "/api/auth/refresh", { refreshToken: body.refreshToken }, {});
  expect(refreshed.status).toBe(200);
  await again;
});

test("a session of a transaction is taken back with it", async () => {
  expect((await app.call("POST", "/api/inside", {}, {})).body).toEqual({ value: false });
});

test("sessions of administrators and of own origins are those of their origin only", async () => {
  const jwtSecret = "own secret";
  await app.call("POST", "/api/define", { name: "shop", settings: { jwtSecret, maxSessionLifespan: 60 } }, {});
  const of = async (origin: string, name: string, ...args: unknown[]) =>
    (await app.call("POST", "/api/call", { name, args, origin }, {})).body.value;
  for (const origin of ["shop", "admin"]) {
    const other = origin === "shop" ? "admin" : "shop";
    const { token, sessionId } = await of(origin, "generateRefreshToken", "7", "phone", { type: "session" });
    const { token: access } = await of(origin, "generateAccessToken", token);
    expect(await of(origin, "validateAccessToken", access)).toMatchObject({
      isValid: true,
      payload: { userId: "7", sessionId, type: "access" },
    });
    expect(await of(origin, "validateAccessToken", token)).toEqual({ isValid: false, payload: null });
    expect(await of(other, "validateAccessToken", access)).toEqual({ isValid: false, payload: null });
    expect(await of(other, "validateRefreshToken", token)).toEqual({ isValid: false });
    expect(await me(access)).toBe(401);
    const next = await of(origin, "rotateRefreshToken", token);
    expect(await of(origin, "rotateRefreshToken", token)).toEqual(next);
    expect(await of(origin, "validateRefreshToken", token)).toEqual({ isValid: false });
    expect(await of(origin, "listSessions", "7")).toMatchObject([{ sessionId: next.sessionId, deviceId: "phone" }]);
    expect(await of(origin, "revokeSessionById", "8", next.sessionId)).toBe(false);
    expect(await of(origin, "revokeSessionById", "7", next.sessionId)).toBe(true);
    expect(await of(origin, "isSessionActive", next.sessionId)).toBe(false);
  }
});
