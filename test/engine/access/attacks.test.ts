/** What somebody would try who wants more than they may have. Nothing of it works. */
import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { createSign, generateKeyPairSync } from "node:crypto";
import { verifyPassword } from "../../../src/engine/documents/passwords.ts";
import { Storage } from "../../../src/engine/storage/storage.ts";
import type { TestApp } from "../../project.ts";
import { type Body, configFile, testApp, typeFile } from "../../project.ts";
import { HS256, now, part, SECRET, signed } from "./signed.ts";

const users = [
  { username: "ada", email: "ada@example.com", password: "ada-password" },
  { username: "eve", email: "eve@example.com", password: "eve-password" },
];
const mayAll = (...actions: string[]) => actions.map((action) => `plugin::users-permissions.${action}`);

let app: TestApp;
beforeAll(async () => {
  app = await testApp(
    {
      ...configFile({
        users,
        limits: { passwords: 3 },
        tokens: [
          { name: "full", type: "full-access", key: "full-access-key" },
          { name: "read", type: "read-only", key: "read-only-key" },
          { name: "old", type: "full-access", key: "expired-key", expiresAt: "2020-01-01T00:00:00.000Z" },
        ],
        roles: {
          public: [
            "api::post.post.find",
            "api::post.post.create",
            ...mayAll("user.find", "user.findOne", "user.count"),
            ...mayAll("auth.callback", "auth.register", "auth.forgotPassword", "auth.resetPassword"),
          ],
          authenticated: mayAll("user.me", "user.update"),
        },
      }),
      ...typeFile("post", {
        title: { type: "string" },
        code: { type: "password" },
        note: { type: "string", private: true },
        author: { type: "relation", relation: "manyToOne", target: "plugin::users-permissions.user" },
      }),
    },
    { environment: { JWT_SECRET: SECRET } },
  );
});
afterAll(() => app.close());

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const me = (token: string) => app.call("GET", "/api/users/me", undefined, bearer(token));

describe("forged and stale tokens", () => {
  test("a token that is good is good", async () => {
    expect((await me(signed(HS256, { id: 1, exp: now() + 100 }))).status).toBe(200);
  });

  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const publicText = publicKey.export({ type: "spki", format: "pem" }) as string;
  const good = () => ({ id: 1, exp: now() + 100 });
  const rs256 = (): string => {
    const text = `${part({ alg: "RS256" })}.${part(good())}`;
    return `${text}.${createSign("RSA-SHA256").update(text).sign(privateKey, "base64url")}`;
  };
  const forged: readonly [string, () => string][] = [
    ["alg: none without a signature", () => `${part({ alg: "none" })}.${part(good())}.`],
    ["alg: None with a signature", () => `${part({ alg: "None" })}.${part(good())}.${part("x")}`],
    ["alg: none with the right signature", () => signed({ alg: "none" }, good())],
    ["no alg", () => signed({ typ: "JWT" }, good())],
    ["HS512 with the right secret", () => signed({ alg: "HS512" }, good(), SECRET, "sha512")],
    ["HS256 with another secret", () => signed(HS256, good(), "another secret")],
    ["HS256 with an empty secret", () => signed(HS256, good(), "")],
    ["HS256 with a public key as the secret", () => signed(HS256, good(), publicText)],
    ["HS256 with an API token as the secret", () => signed(HS256, good(), "full-access-key")],
    ["RS256 with one's own key", rs256],
    ["a key that the token brings along", () => signed({ ...HS256, jwk: { kty: "oct", k: part("x") } }, good(), "x")],
    ["a key file that the token names", () => signed({ ...HS256, kid: "../../dev/null" }, good(), "")],
    ["an unknown critical header", () => signed({ ...HS256, crit: ["x"], x: 1 }, good())],
    ["an expired token", () => signed(HS256, { id: 1, exp: now() - 1 })],
    ["a token of the future", () => signed(HS256, { id: 1, exp: now() + 100, nbf: now() + 50 })],
    ["a changed payload", () => signed(HS256, { ...good(), id: 2 }).replace(/\.[^.]+\./, `.${part(good())}.`)],
    ["a payload in padding", () => `${signed(HS256, good())}=`],
    ["a token without a user", () => signed(HS256, { exp: now() + 100 })],
    ["a user that is a condition", () => signed(HS256, { id: { $ne: 0 }, exp: now() + 100 })],
    ["a refresh token", () => signed(HS256, { userId: "1", sessionId: "x", type: "refresh", exp: now() + 100 })],
    ["an access token of the other mode", () => signed(HS256, { userId: "1", type: "access", exp: now() + 100 })],
    ["nonsense", () => "a.b.c"],
    ["a good token of a megabyte", () => signed(HS256, { ...good(), pad: "x".repeat(1_000_000) })],
    ["a token of a user who is gone", () => signed(HS256, { id: 999, exp: now() + 100 })],
    ["an expired API token", () => "expired-key"],
    ["the beginning of an API token", () => "full-access-ke"],
    ["an API token in capitals", () => "FULL-ACCESS-KEY"],
  ];
  for (const [name, token] of forged) {
    test(`${name}: 401, on public routes too`, async () => {
      expect((await me(token())).status).toBe(401);
      expect((await app.call("GET", "/api/posts", undefined, bearer(token()))).status).toBe(401);
    });
  }
});

/** The median time of an answer, in milliseconds. */
async function time(count: number, ask: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const start = performance.now();
    await ask();
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[count >> 1]!;
}

/** Measures both in turn, so that a busy machine slows both down. */
async function ratio(count: number, one: () => Promise<unknown>, other: () => Promise<unknown>): Promise<number> {
  await time(count, one);
  await time(count, other);
  const rounds: number[] = [];
  for (let round = 0; round < 9; round++) rounds.push((await time(count, one)) / (await time(count, other)));
  return rounds.sort((a, b) => a - b)[4]!;
}

describe("time tells nothing", () => {
  test("of how much of an API token is right", async () => {
    const ask = (key: string) => () => app.call("GET", "/api/posts", undefined, bearer(key));
    const measured = await ratio(60, ask("full-access-kez"), ask("zull-access-key"));
    expect(measured).toBeGreaterThan(0.6);
    expect(measured).toBeLessThan(1.6);
  });

  test("of whether there is a user, at a log-in: a password is compared with a hash of the same cost", async () => {
    const verify = spyOn(Bun.password, "verify");
    try {
      for (const identifier of ["ada", "nobody"]) {
        const body = { identifier, password: "wrong-password" };
        expect((await app.call("POST", "/api/auth/local", body, {})).status).toBe(400);
      }
      // the algorithm and its cost
      expect(verify.mock.calls.map(([, hash]) => String(hash).slice(0, 7))).toEqual(["$2b$10$", "$2b$10$"]);
    } finally {
      verify.mockRestore();
    }
  });

  test("of whether there is a user, at a forgotten password", async () => {
    const ask = (email: string) => () => app.call("POST", "/api/auth/forgot-password", { email }, {});
    const measured = await ratio(10, ask("ada@example.com"), ask("nobody@example.com"));
    expect(measured).toBeGreaterThan(0.5);
    expect(measured).toBeLessThan(2);
  });
});

/** The statements of what goes on after an answer, without those of transactions. */
async function recordWork(ask: () => Promise<unknown>): Promise<string[]> {
  const spies = [spyOn(Storage.prototype, "all"), spyOn(Storage.prototype, "run")];
  const statements = () => spies.flatMap((spy) => spy.mock.calls.map(([sql]) => String(sql)));
  await ask();
  let count = -1;
  while (count !== statements().length) {
    count = statements().length;
    await Bun.sleep(50);
  }
  const found = statements().filter((sql) => !/^(?:COMMIT|ROLLBACK|SAVEPOINT|RELEASE)/.test(sql));
  for (const spy of spies) spy.mockRestore();
  return found.sort();
}

test("a forgotten password costs the same work, whether there is such a user or not", async () => {
  const forgotten = (email: string) => () => app.call("POST", "/api/auth/forgot-password", { email }, {});
  await recordWork(forgotten("ada@example.com"));
  const known = await recordWork(forgotten("ada@example.com"));
  expect(known.join("\n")).toContain("UPDATE");
  expect(await recordWork(forgotten("nobody@example.com"))).toEqual(known);
});

describe("many log-ins in one operation", () => {
  const graphql = (mutations: readonly string[]) =>
    app.call(
      "POST",
      "/graphql",
      { query: `mutation { ${mutations.map((text, at) => `m${at}: ${text}`).join(" ")} }` },
      {},
    );
  const cases = {
    "log-ins": () => 'login(input: { identifier: "ada", password: "ada-password" }) { jwt }',
    "forgotten passwords": (at: number) => `forgotPassword(email: "nobody${at}@example.com") { ok }`,
    "entries with a password": (at: number) => `createPost(data: { code: "secret${at}" }) { title }`,
  };
  for (const [name, mutation] of Object.entries(cases)) {
    test(`${name} are bounded`, async () => {
      const { body } = await graphql(Array.from({ length: 8 }, (_, at) => mutation(at)));
      const messages = body.errors.map((error: { message: string }) => error.message);
      const refused = messages.filter((message: string) => message.includes("limits.passwords"));
      // nothing after it is run where a field must not be null
      expect([refused.length, messages.at(-1)]).toEqual([
        name === "log-ins" ? 1 : 5,
        "The request exceeds its limit of 3 passwords and codes: ask for less at once (limits.passwords)",
      ]);
    });
  }
});

test("who comes behind hundreds of log-ins is refused", async () => {
  // the cheapest hash, so that all of them are done soon
  const hash = await Bun.password.hash("known", { algorithm: "bcrypt", cost: 4 });
  const waiting = Array.from({ length: 520 }, () => verifyPassword("wrong", hash));
  const attempt = () => app.call("POST", "/api/auth/local", { identifier: "ada", password: "ada-password" }, {});
  expect((await attempt()).status).toBe(429);
  expect((await Promise.all(waiting)).some(Boolean)).toBe(false);
  expect((await attempt()).status).toBe(200);
});

test("forgotten passwords are answered alike, whoever asks", async () => {
  const answers = await Promise.all(
    ["ada@example.com", "nobody@example.com"].map((email) =>
      app.call("POST", "/api/auth/forgot-password", { email }, {}),
    ),
  );
  expect(answers[0]).toEqual(answers[1]!);
  expect(answers[0]).toEqual({ status: 200, body: { ok: true } });
});

test("log-ins fail alike, whoever tries", async () => {
  const ask = (identifier: string) => app.call("POST", "/api/auth/local", { identifier, password: "wrong-one" }, {});
  expect(await ask("ada")).toEqual(await ask("nobody"));
});

describe("mass assignment", () => {
  const person = { username: "mallory", email: "mallory@example.com", password: "mallory-password" };
  for (const key of [
    "role",
    "confirmed",
    "blocked",
    "provider",
    "id",
    "documentId",
    "resetPasswordToken",
    "createdBy",
  ]) {
    test(`registering with ${key} is refused`, async () => {
      const { status, body } = await app.call("POST", "/api/auth/local/register", { ...person, [key]: 1 }, {});
      expect(status).toBe(400);
      expect(body.error.message).toBe(`Invalid parameters: ${key}`);
    });
  }

  for (const data of [{ id: 7 }, { documentId: "mine" }, { createdBy: 1 }, { publishedAt: "2020-01-01" }]) {
    test(`creating a document with ${Object.keys(data)} leaves it to the server`, async () => {
      const { body } = await app.call("POST", "/api/posts", { data: { title: "x", ...data } }, {});
      const [key, value] = Object.entries(data)[0]!;
      if (body.error) expect(body.error.details.key).toBe(key);
      else expect(body.data[key]).not.toBe(value);
    });
  }

  test("an author cannot be set by who may not read users", async () => {
    const token = signed(HS256, { id: 1, exp: now() + 100 });
    const headers = { ...bearer("read-only-key") };
    expect((await app.call("POST", "/api/posts", { data: { author: 1 } }, headers)).status).toBe(403);
    expect((await app.call("POST", "/api/posts", { data: {} }, bearer(token))).status).toBe(403);
  });
});

describe("secrets cannot be asked for", () => {
  const secrets = ["password", "resetPasswordToken", "confirmationToken"];
  const forms = (name: string): [string, string][] => [
    ["filters", `filters[${name}][$startsWith]=$2`],
    ["filters in $or", `filters[$or][0][${name}][$notNull]=true`],
    ["filters in $not", `filters[$not][${name}][$null]=true`],
    ["sort", `sort=${name}`],
    ["sort in an object", `sort[${name}]=asc`],
    ["fields", `fields[0]=${name}`],
  ];
  for (const name of secrets) {
    for (const [what, query] of forms(name)) {
      test(`users by ${what} on ${name}`, async () => {
        const { status, body } = await app.call("GET", `/api/users?${query}`, undefined, {});
        expect([status, body.error.message]).toEqual([400, `Invalid key ${name}`]);
      });
      test(`posts by ${what} on ${name} of their author`, async () => {
        const nested = query.startsWith("filters")
          ? query.replace(`[${name}]`, `[author][${name}]`)
          : query.startsWith("sort=")
            ? `sort=author.${name}`
            : query.startsWith("sort")
              ? `sort[author][${name}]=asc`
              : `populate[author][fields][0]=${name}`;
        const full = bearer("full-access-key");
        expect((await app.call("GET", `/api/posts?${nested}`, undefined, full)).status).toBe(400);
        expect((await app.call("GET", `/api/posts?${nested}`, undefined, {})).status).toBe(400);
      });
    }
  }

  for (const query of [
    "filters[code][$startsWith]=$2",
    "filters[note]=x",
    "sort=code",
    "sort=note",
    "fields[0]=note",
    "fields[0]=code",
  ]) {
    test(`posts by ${query}`, async () => {
      expect((await app.call("GET", `/api/posts?${query}`, undefined, bearer("full-access-key"))).status).toBe(400);
    });
  }

  test("nothing secret is ever answered", async () => {
    const full = bearer("full-access-key");
    await app.call(
      "POST",
      "/api/posts",
      { data: { title: "t", code: "hidden-code", note: "hidden-note", author: 1 } },
      full,
    );
    const paths = ["/api/posts?populate=*", "/api/users?populate=*", "/api/users/1?populate[role][populate]=*"];
    const answers = await Promise.all(paths.map((path) => app.call("GET", path, undefined, full)));
    const text = JSON.stringify(answers);
    expect(text).toContain('"title":"t"');
    expect(text).not.toMatch(/\$2[aby]\$|"password"|"resetPasswordToken"|"confirmationToken"|"code"|"note"|hidden/);
  });

  test("relations to users need the right to find them", async () => {
    const token = signed(HS256, { id: 1, exp: now() + 100 });
    const { body } = await app.call("GET", "/api/users/me?populate=*", undefined, bearer(token));
    expect(body.username).toBe("ada");
    expect(body.role).toBeUndefined();
  });
});

describe("headers", () => {
  const statusOf = async (headers: [string, string][]): Promise<number> =>
    (await app.handle(new Request("http://localhost/api/users/me", { headers }))).status;

  const smuggled: readonly [string, [string, string][]][] = [
    ["two credentials in one header", [["authorization", "Bearer full-access-key, Bearer read-only-key"]]],
    [
      "two headers",
      [
        ["authorization", "Bearer x"],
        ["authorization", "Bearer full-access-key"],
      ],
    ],
    ["other headers that some servers take", [["x-authorization", "Bearer full-access-key"]]],
    ["a token in a cookie", [["cookie", "jwt=full-access-key; token=full-access-key"]]],
    ["another method", [["x-http-method-override", "DELETE"]]],
    ["another user", [["x-forwarded-user", "ada"]]],
  ];
  for (const [name, headers] of smuggled)
    test(`${name} give nothing`, async () => expect([401, 403]).toContain(await statusOf(headers)));

  test("a body on the wire that is two requests is one, or none", async () => {
    const { hostname, port } = new URL(app.serve());
    const raw =
      "POST /api/posts HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n" +
      "0\r\n\r\nGET /api/users/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer full-access-key\r\n\r\n";
    const { promise, resolve } = Promise.withResolvers<string>();
    let answer = "";
    await Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        open: (socket) => void socket.write(raw),
        data: (_, bytes) => {
          answer += bytes.toString();
        },
        close: () => resolve(answer),
      },
    });
    const text = await Promise.race([promise, Bun.sleep(500).then(() => answer)]);
    expect(text).not.toContain('"username"');
    expect(text.match(/^HTTP\/1\.1 2\d\d/gm) ?? []).toHaveLength(0);
  });

  test("a line break in an address or a mail's header stays in its place", async () => {
    const body = { email: "ada@example.com\r\nBcc: eve@example.com" };
    expect((await app.call("POST", "/api/auth/forgot-password", body, {})).status).toBe(400);
  });
});

test("a log-in's answer holds no hash, and a user cannot become another by an update of roles", async () => {
  const { body } = await app.call("POST", "/api/auth/local", { identifier: "eve", password: "eve-password" }, {});
  expect(Object.keys((body as Body).user)).not.toContain("password");
  const jwt = bearer((body as Body).jwt);
  expect((await app.call("DELETE", "/api/users/1", undefined, jwt)).status).toBe(403);
  expect((await app.call("POST", "/api/users-permissions/roles", { name: "x" }, jwt)).status).toBe(403);
});
