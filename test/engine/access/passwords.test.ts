/** Codes, passwords and sessions: each works as often and as long as it should, however many use it at once. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createGalley, type Galley } from "../../../src/index.ts";
import { type Body, configFile, createCall, projectFolder, type TestApp, testApp, typeFile } from "../../project.ts";

const PLUGIN = "plugin::users-permissions";
const ADMIN = { authorization: "Bearer full-access-key" };
const files = (auth: Record<string, unknown> = {}) => ({
  ...configFile({
    auth,
    email: { provider: "discard" },
    tokens: [
      { name: "full", type: "full-access", key: "full-access-key" },
      { name: "admin", type: "admin", key: "admin-key" },
      {
        name: "creator",
        type: "custom",
        key: "creator-key",
        permissions: [`${PLUGIN}.user.create`, `${PLUGIN}.user.update`],
      },
    ],
    roles: { public: [`${PLUGIN}.auth.*`], authenticated: [`${PLUGIN}.auth.*`, `${PLUGIN}.user.me`] },
  }),
  ...typeFile("post", { title: { type: "string" } }),
});

let app: TestApp;
beforeAll(async () => {
  app = await testApp(files());
});
afterAll(() => app.close());

let users = 0;
/** A new user, with what is beyond the name. */
async function createUser(more: Record<string, unknown> = {}): Promise<Body> {
  const name = `user${++users}`;
  const user = { username: name, email: `${name}@example.com`, password: "first-password", role: 1, confirmed: true };
  const { status, body } = await app.call("POST", "/api/users", { ...user, ...more }, ADMIN);
  expect(status).toBe(201);
  return body;
}
const login = async (identifier: string, password: string): Promise<number> =>
  (await app.call("POST", "/api/auth/local", { identifier, password }, {})).status;
const reset = (code: string, password: string) =>
  app.call("POST", "/api/auth/reset-password", { code, password, passwordConfirmation: password }, {});
const confirm = (code: string) =>
  app.handle(new Request(`http://localhost/api/auth/email-confirmation?confirmation=${code}`));

/** What is stored of a code, with another time of expiry. */
function expire(column: string, id: number): void {
  const sql = `UPDATE up_users SET "${column}" = substr("${column}", 1, 65) || ? WHERE id = ?`;
  expect(app.database().run(sql, [Date.now() - 1, id]).changes).toBe(1);
}

describe("a code for a new password", () => {
  test("works once, for however many at once", async () => {
    const { username } = await createUser({ resetPasswordToken: "code-1" });
    const answers = await Promise.all(Array.from({ length: 12 }, (_, at) => reset("code-1", `password-${at}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(11).fill(400)]);
    const winner = answers.findIndex(({ status }) => status === 200);
    expect(await login(username, `password-${winner}`)).toBe(200);
    expect((await reset("code-1", "another-password")).body.error.message).toBe("Incorrect code provided");
  });

  test("stays usable when the new password is refused", async () => {
    await createUser({ resetPasswordToken: "code-2" });
    expect((await reset("code-2", "short")).status).toBe(400);
    expect((await reset("code-2", "long-enough")).status).toBe(200);
  });

  test("goes with a changed password", async () => {
    const { username } = await createUser({ resetPasswordToken: "code-3" });
    const { body } = await app.call(
      "POST",
      "/api/auth/local",
      { identifier: username, password: "first-password" },
      {},
    );
    const change = {
      currentPassword: "first-password",
      password: "second-password",
      passwordConfirmation: "second-password",
    };
    const headers = { authorization: `Bearer ${body.jwt}` };
    expect((await app.call("POST", "/api/auth/change-password", change, headers)).status).toBe(200);
    expect((await reset("code-3", "third-password")).status).toBe(400);
  });

  test("goes with a password or an address that somebody else sets", async () => {
    const one = await createUser({ resetPasswordToken: "code-4" });
    await app.call("PUT", `/api/users/${one.id}`, { password: "second-password" }, ADMIN);
    expect((await reset("code-4", "third-password")).status).toBe(400);
    const other = await createUser({ resetPasswordToken: "code-5", confirmationToken: "confirm-5" });
    await app.call("PUT", `/api/users/${other.id}`, { email: "moved@example.com" }, ADMIN);
    expect((await reset("code-5", "third-password")).status).toBe(400);
    expect((await confirm("confirm-5")).status).toBe(400);
  });

  test("stays with other changes, and with those that set it", async () => {
    const { id } = await createUser({ resetPasswordToken: "code-6" });
    await app.call("PUT", `/api/users/${id}`, { confirmed: false }, ADMIN);
    await app.call("PUT", `/api/users/${id}`, { password: "second-password", resetPasswordToken: "code-7" }, ADMIN);
    expect((await reset("code-6", "third-password")).status).toBe(400);
    expect((await reset("code-7", "third-password")).status).toBe(200);
  });

  test("expires", async () => {
    const { id } = await createUser({ resetPasswordToken: "code-8" });
    expire("resetPasswordToken", id);
    expect((await reset("code-8", "third-password")).status).toBe(400);
  });

  test("is not what the database has of it", async () => {
    const { id } = await createUser({ resetPasswordToken: "code-9" });
    const sql = 'SELECT "resetPasswordToken" AS stored FROM up_users WHERE id = ?';
    const { stored } = app.database().query(sql).get(id) as { stored: string };
    expect(stored).toMatch(/^[0-9a-f]{64}\.\d+$/);
    expect((await reset(stored, "third-password")).status).toBe(400);
  });
});

describe("a code in the database", () => {
  test("is not what was mailed", async () => {
    const { id } = await createUser({ resetPasswordToken: "code-9" });
    const sql = 'SELECT "resetPasswordToken" AS code FROM up_users WHERE id = ?';
    const { code } = app.database().query<{ code: string }>(sql).get(id)!;
    expect((await reset(code, "third-password")).status).toBe(400);
  });

  test("may be stored as it is", async () => {
    const { id } = await createUser();
    app
      .database()
      .run(`UPDATE up_users SET "resetPasswordToken" = 'code-10', "confirmationToken" = 'confirm-10' WHERE id = ?`, [
        id,
      ]);
    expect((await confirm("confirm-10")).status).toBe(302);
    expect((await reset("code-10", "third-password")).status).toBe(200);
    expect((await reset("code-10", "fourth-password")).status).toBe(400);
  });
});

describe("a code that confirms an address", () => {
  test("works once, for however many at once", async () => {
    await createUser({ confirmationToken: "confirm-1", confirmed: false });
    const answers = await Promise.all(Array.from({ length: 12 }, () => confirm("confirm-1")));
    expect(answers.map(({ status }) => status).sort()).toEqual([302, ...Array(11).fill(400)]);
  });

  test("expires", async () => {
    const { id } = await createUser({ confirmationToken: "confirm-2", confirmed: false });
    expire("confirmationToken", id);
    expect((await confirm("confirm-2")).status).toBe(400);
  });
});

test("nobody signs in with a password while the provider of addresses is disabled", async () => {
  const { root, remove } = projectFolder(files());
  const galley = await createGalley({ project: root, environment: {}, admin: true });
  const call = createCall(galley, { authorization: "Bearer admin-key" });
  const input = { identifier: "grace", password: "first-password" };
  const signIn = async () => {
    const { status, body } = await call("POST", "/api/auth/local", input, {});
    return body.error?.message ?? status;
  };
  const query = "mutation($input: UsersPermissionsLoginInput!) { login(input: $input) { jwt } }";
  const user = { username: "grace", email: "grace@example.com", password: "first-password" };
  await call("POST", "/api/auth/local/register", user, {});
  const enable = (enabled: boolean) =>
    call("PUT", "/users-permissions/providers", { providers: { email: { enabled, icon: "envelope" } } });
  expect((await enable(false)).status).toBe(200);
  expect(await signIn()).toBe("This provider is disabled");
  const { body } = await call("POST", "/graphql", { query, variables: { input } }, {});
  expect(body.errors[0].message).toBe("This provider is disabled");
  await enable(true);
  expect(await signIn()).toBe(200);
  await galley.close();
  remove();
});

test("of two changes of a password at once, one is refused", async () => {
  const { username } = await createUser();
  const { body } = await app.call("POST", "/api/auth/local", { identifier: username, password: "first-password" }, {});
  const answers = await Promise.all(
    ["second-password", "third-password"].map((password) =>
      app.call(
        "POST",
        "/api/auth/change-password",
        { currentPassword: "first-password", password, passwordConfirmation: password },
        { authorization: `Bearer ${body.jwt}` },
      ),
    ),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
});

describe("passwords longer than bcrypt reads", () => {
  const LONG = "a".repeat(80);
  test("are taken, and cut off where Strapi cuts", async () => {
    const { username, id } = await createUser({ password: LONG });
    expect(await login(username, LONG)).toBe(200);
    expect(await login(username, LONG.slice(0, 72))).toBe(200);
    expect(await login(username, `${LONG.slice(0, 72)}other`)).toBe(200);
    expect(await login(username, LONG.slice(0, 71))).toBe(400);
    const bytes = `${"é".repeat(35)}€€€`;
    expect((await app.call("PUT", `/api/users/${id}`, { password: bytes }, ADMIN)).status).toBe(200);
    expect(await login(username, bytes)).toBe(200);
    expect(await login(username, `${"é".repeat(34)}€€€€`)).toBe(400);
  });

  test("are refused where users choose their own", async () => {
    const person = { username: "longish", email: "longish@example.com", password: LONG };
    const { body } = await app.call("POST", "/api/auth/local/register", person, {});
    expect(body.error.message).toBe("Password must be less than 73 bytes");
  });
});

test("a written user is answered with the role only to those who may read roles", async () => {
  const user = { username: "roleless", email: "roleless@example.com", password: "first-password", role: 1 };
  const creator = { authorization: "Bearer creator-key" };
  const { status, body } = await app.call("POST", "/api/users", user, creator);
  expect(status).toBe(201);
  expect(body).not.toHaveProperty("role");
  expect((await app.call("PUT", `/api/users/${body.id}`, { blocked: true }, creator)).body).not.toHaveProperty("role");
  expect((await app.call("PUT", `/api/users/${body.id}`, { blocked: false }, ADMIN)).body.role.type).toBe(
    "authenticated",
  );
});

test("asking for a confirmation is answered alike, whoever asks", async () => {
  await createUser();
  const blocked = await createUser({ confirmed: false, blocked: true });
  const waiting = await createUser({ confirmed: false });
  for (const email of ["user1@example.com", "Nobody@example.com", blocked.email, waiting.email.toUpperCase()]) {
    const answer = await app.call("POST", "/api/auth/send-email-confirmation", { email }, {});
    expect(answer).toEqual({ status: 200, body: { email, sent: true } });
  }
});

describe("refresh tokens", () => {
  let refreshing: TestApp;
  beforeAll(async () => {
    refreshing = await testApp(files({ jwtManagement: "refresh" }));
  });
  afterAll(() => refreshing.close());

  const person = (name: string) => ({ username: name, email: `${name}@example.com`, password: "first-password" });
  const refresh = (cookie: string) =>
    refreshing.handle(
      new Request("http://localhost/api/auth/refresh", {
        method: "POST",
        headers: { cookie: `strapi_up_refresh=${cookie}` },
      }),
    );

  test("that come in a cookie leave in a cookie only", async () => {
    const { body } = await refreshing.call("POST", "/api/auth/local/register", person("cookie"), {});
    const response = await refresh(body.refreshToken);
    expect(Object.keys((await response.json()) as Body)).toEqual(["jwt"]);
    const cookie = response.headers.get("set-cookie")!;
    expect(cookie).toMatch(/^strapi_up_refresh=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax/);
  });

  test("work once, for however many at once", async () => {
    const { body } = await refreshing.call("POST", "/api/auth/local/register", person("twelve"), {});
    const answers = await Promise.all(Array.from({ length: 12 }, () => refresh(body.refreshToken)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(11).fill(401)]);
  });
});

describe("mails", () => {
  const folder = projectFolder({
    ...files(),
    ...configFile({
      tokens: [{ name: "full", type: "full-access", key: "full-access-key" }],
      roles: { public: ["plugin::email.email.send"] },
    }),
  });
  let galley: Galley;
  beforeAll(async () => {
    galley = await createGalley({ project: folder.root, memory: false, environment: {} });
  });
  afterAll(async () => {
    await galley.close();
    folder.remove();
  });
  const send = (mail: Record<string, string>) =>
    createCall(galley, ADMIN)("POST", "/api/email", { to: "a@example.com", subject: "s", text: "t", ...mail });

  test("have no line breaks or control characters in their headers", async () => {
    const { status } = await send({ subject: "Hello\r\nBcc: eve@example.com\u001b[31m", text: "one\ntwo\u001b[31m" });
    expect(status).toBe(200);
    const outbox = join(folder.root, ".galley/outbox");
    const text = readFileSync(join(outbox, readdirSync(outbox)[0]!), "utf8");
    expect(text).toMatch(/^Subject: Hello Bcc: eve@example.com \[31m\r$/m);
    expect(text).not.toMatch(/^Bcc:/m);
    expect(text).not.toContain("\u001b");
  });

  test("have a hundred recipients at most", async () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => `a${at}@example.com`).join(",");
    expect((await send({ to: many(100) })).status).toBe(200);
    const refused: Record<string, string>[] = [
      { to: many(20_000) },
      { to: many(60), cc: many(60) },
      { bcc: many(101).replaceAll(",", ";") },
    ];
    for (const mail of refused) {
      const { status, body } = await send(mail);
      expect([status, body.error.message]).toEqual([400, "A mail can have at most 100 recipients"]);
    }
    expect((await send({ subject: "s".repeat(100_000) })).status).toBe(400);
  });
});
