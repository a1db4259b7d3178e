/** Credentials of every kind are sent in every way that reaches the log, and the whole log is searched for them. */
import { describe, expect, test } from "bun:test";
import { SignJWT } from "jose";
import { sign } from "../../src/admin/session/signed.ts";
import { logLine } from "../../src/cli/serve/servers.ts";
import { isSecretName, withoutSecrets, withoutSecretsInUrls } from "../../src/lib/redact.ts";
import { freePort } from "../free-port.ts";
import { threadTime } from "../processor-time.ts";
import { PROGRAM } from "../program.ts";
import { configFile, projectFolder, typeFile } from "../project.ts";
import { until } from "../until.ts";

const random = (bytes: number): Buffer => Buffer.from(crypto.getRandomValues(new Uint8Array(bytes)));
/** A word that no pattern of values knows, so that only its name can hide it. */
const word = (): string => `hush${random(4).toString("hex").replace(/\d/g, "x")}`;
const jwt = await new SignJWT({ id: 1 }).setProtectedHeader({ alg: "HS256" }).sign(random(32));
const link = sign("key", "link", 60_000, Date.now());
const session = sign("key", "session", 60_000, Date.now());
const encode = encodeURIComponent;
const encodeAll = (text: string): string =>
  [...text].map((letter) => `%${letter.charCodeAt(0).toString(16).padStart(2, "0")}`).join("");

/** The request target, and the credential in it. */
type Sent = readonly [target: string, secret: string];
const named = (names: readonly string[], write: (name: string, secret: string) => string): Sent[] =>
  names.map((name) => {
    const secret = word();
    return [write(name, secret), secret];
  });

const NAMES = [
  ...["jwt", "JWT", "refreshToken", "refresh_token", "password", "Password", "passwordConfirmation", "newPassword"],
  ...["api_key", "apikey", "apiKey", "api-key", "key", "secret", "client_secret", "code", "token", "access_token"],
  ...[
    "id_token",
    "auth",
    "signature",
    "sig",
    "X-Amz-Signature",
    "X-Amz-Security-Token",
    "session",
    "sessionId",
    "link",
  ],
  ...["confirmation", "oauth_token", "oauth_verifier", "authorization", "pwd", "pass", "otp", "SAMLAssertion", "salt"],
];

/** 32 random bytes, in which few letters change their case. */
const WITHOUT_DIGITS = "HNBuJEQFcxooIYHCgmCSDG_wrrnKPkgksWSYqVGsuAs";

const sent: readonly Sent[] = [
  ...named(NAMES, (name, secret) => `/api/posts?page=1&${name}=${secret}&sort=title`),
  ...named(["password", "token", "code"], (name, secret) => `/api/posts?data[${name}]=${secret}`),
  ...named(["password"], (name, secret) => `/api/posts?data%5B${name}%5D=${secret}`),
  ...named(["password"], (name, secret) => `/api/posts?data.user.${name}[]=${secret}`),
  ...named(["resetPasswordToken"], (name, secret) => `/api/users?filters[${name}][$eq]=${secret}`),
  ...named(["token", "password"], (name, secret) => `/api/posts?${encodeAll(name)}=${encodeAll(secret)}`),
  ...named(["token"], (name, secret) => `/api/posts?${encode(encode(`%${name}`))}=${secret}`),
  ...named(["token"], (name, secret) => `/api/posts?next=${encode(`https://example.com/?${name}=${secret}`)}`),
  ...named(["token"], (name, secret) => `/api/posts?next=${encode(encode(`/x?a=1&${name}=${secret}`))}`),
  ...named(["token"], (name, secret) => `/api/posts?next=/x?${name}=${secret}`),
  ...named(["password"], (name, secret) => `/api/posts?json=${encode(JSON.stringify({ [name]: `"${secret}` }))}`),
  ...named(["password"], (name, secret) => `/api/posts?${name}=a'${secret}`),
  ...named(["password"], (name, secret) => `/api/posts?${name}=a;${secret}`),
  ...named(["x"], (_, secret) => `/api/posts?next=https://user:${secret}@example.com/`),
  ...named(["x"], (_, secret) => `/graphql?query={login(identifier:"a",pass:"${secret}"){jwt}}`),
  ...named(["x"], (_, secret) => `/graphql?query=${encode(`mutation{login(input:{password:"${secret}"}){jwt}}`)}`),
  ...named(["x"], (_, secret) => `/graphql?query={me{id}}&variables=${encode(`{"any":"${secret}"}`)}`),
  ...[
    jwt,
    link,
    session,
    random(16).toString("hex"),
    random(128).toString("hex"),
    random(32).toString("base64url"),
    WITHOUT_DIGITS,
  ]
    .flatMap((secret): string[][] => [
      [`/api/posts?any=${secret}`, secret],
      [`/api/posts/${secret}`, secret],
      [`/admin?${secret}`, secret],
      [`/api/posts?any=${encodeAll(secret)}`, secret],
      [`/api/posts?any=${secret.slice(0, 5)}${encodeAll(secret.slice(5, 7))}${secret.slice(7)}`, secret.slice(7)],
    ])
    .map(([target, secret]): Sent => [target!, secret!]),
];

const project = {
  ...configFile({ roles: { public: ["api::post.post.find"] } }),
  ...typeFile("post", { title: { type: "string" } }),
  "config/middlewares.js": `module.exports = ["strapi::logger", "strapi::errors", "strapi::query", "strapi::body", "global::noisy"];`,
  "src/middlewares/noisy.js": `module.exports = (config, { strapi }) => async (ctx, next) => {
    strapi.log.http(ctx.method + " " + ctx.url + " (1 ms)");
    strapi.log.info("seen", { url: ctx.url, headers: ctx.request.headers });
    if (ctx.get("x-fail") === "throw") throw new Error("cannot answer " + ctx.url);
    if (ctx.get("x-fail") === "later") Promise.reject(new Error("left behind by " + ctx.get("referer")));
    await next();
  };`,
};

const environment = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", LOG_LEVEL: "http" };

test("no credential of a request is in the log", async () => {
  const { root, remove } = projectFolder(project);
  const port = freePort();
  const child = Bun.spawn([...PROGRAM, "serve", root, "--port", String(port), "--no-admin"], {
    stdout: "pipe",
    stderr: "pipe",
    env: environment,
  });
  let log = "";
  const readings = [child.stdout, child.stderr].map(async (stream) => {
    for await (const chunk of stream) log += new TextDecoder().decode(chunk);
  });
  const url = `http://127.0.0.1:${port}`;
  try {
    await until("it answers", async () => (await fetch(`${url}/api/posts`).catch(() => undefined))?.status === 200);
    for (const [target, secret] of sent) {
      const headers = { authorization: `Bearer ${secret}`, cookie: `a=b; jwt=${secret}`, referer: `${url}${target}` };
      for (const fail of ["", "throw", "later"])
        await (await fetch(`${url}${target}`, { headers: { ...headers, "x-fail": fail } })).arrayBuffer();
    }
    await until(
      "the last is logged",
      () => log.split("\n").filter((line) => / 500 \d/.test(line)).length >= sent.length,
    );
    for (const [target, secret] of sent)
      expect([
        target,
        log.split("\n").filter((line) => decodeURIComponent(line.replace(/%(?![\da-f]{2})/gi, "")).includes(secret)),
      ]).toEqual([target, []]);
    for (const shown of ["cannot answer", "left behind by", "seen {", "http: GET /api/posts?page=1&jwt=…&sort=title"])
      expect(log).toContain(shown);
  } finally {
    child.kill("SIGKILL");
    await Promise.all(readings);
    remove();
  }
}, 120_000);

describe("what is not a credential is shown", () => {
  test.each([
    "/api/posts?filters[code]=shown&sort=token&populate[key]=x",
    "/api/posts?filters[title][$eq]=How%20to&pagination[page]=2&locale=en&query=cats",
    "/api/posts/lmzs6fd4x2c0qh8rjw3vtn1e?fields=title,author&author=Kim",
    "/uploads/thumbnail_My-Summer-Vacation-2024-in-Italy_1a2b3c4d5e.jpg",
    "/api/posts/3f2504e0-4f89-11d3-9a0c-0305e82c3301?tags[]=a&tags[]=b%26c",
    "/api/posts?keyword=monkey&barcode=4006381333931&countryCode=DE",
  ])("%s", (target) => {
    expect(logLine("GET", target, 200, 1)).toBe(`GET ${target} 200 1.0 ms`);
  });
});

test("own code may log a token that it has created, but no URL with one", () => {
  const key = random(128).toString("hex");
  expect(withoutSecretsInUrls(`The token is ${key}`)).toBe(`The token is ${key}`);
  expect(withoutSecretsInUrls(`got ${jwt}`)).toBe("got …");
  expect(withoutSecretsInUrls(`opened https://example.com/x?any=${key} and`)).toBe(
    "opened https://example.com/x?any=… and",
  );
});

test("messages of servers, stores and mail providers have no credentials", () => {
  for (const [text, shown] of [
    ["connect ECONNREFUSED smtp://me:hush@mail.example.com:25", "connect ECONNREFUSED smtp://…@mail.example.com:25"],
    [
      "https://b.s3.amazonaws.com/k?X-Amz-Credential=AK%2F1&X-Amz-Signature=ab",
      "https://b.s3.amazonaws.com/k?X-Amz-Credential=…&X-Amz-Signature=…",
    ],
    ['{ auth: { user: "me", pass: "kept", password: "hush" } }', '{ auth: { user: "me", pass: "kept", password: … } }'],
    ["https://hooks.slack.com/services/T0/B0/aB3dE5gH7jK9mN1pQ3sT5vX7", "https://hooks.slack.com/services/T0/B0/…"],
    ["the key AKIAIOSFODNN7EXAMPLE is not valid", "the key … is not valid"],
    ["Authorization: Basic bWU6aHVzaA==", "Authorization: …"],
  ] as const)
    expect(withoutSecrets(text)).toBe(shown);
});

for (const args of [
  ["pull", "http://me:hush@127.0.0.1:1", "--yes"],
  ["pull", "ftp://me:hush@127.0.0.1"],
  ["health", "http://me:hush@127.0.0.1:1/x?token=hush"],
  ["serve", "http://me:hush@127.0.0.1:1/x.tar.gz?token=hush", "--port", "0"],
]) {
  test(`galley ${args[0]} shows no password of ${args[1]}`, async () => {
    const { root, remove } = projectFolder(project);
    const env = { ...environment, STRAPI_TRANSFER_TOKEN: "hush" };
    const child = Bun.spawn([...PROGRAM, ...args], { cwd: root, stdout: "pipe", stderr: "pipe", env });
    const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    remove();
    expect([await child.exited, err === ""]).toEqual([1, false]);
    expect(out + err).not.toContain("hush");
  }, 180_000);
}

test("settings whose values are secrets are not repeated", async () => {
  const { root, remove } = projectFolder({
    ...project,
    "config/admin.js": `module.exports = { auth: { secret: ["hush"] }, apiToken: { salt: ["hush"] } };`,
    "config/plugins.js": `module.exports = { "users-permissions": { config: { jwtSecret: { a: "hush" } } }, email: { config: { provider: "nodemailer", providerOptions: { auth: { pass: { a: "hush" } }, host: { a: "shown" } } } } };`,
  });
  const child = Bun.spawn([...PROGRAM, "doctor", root], { stdout: "pipe", stderr: "pipe", env: environment });
  const text = (await child.stdout.text()) + (await child.stderr.text());
  remove();
  expect(text).toContain("must be a string, not");
  expect(text).not.toContain("hush");
}, 180_000);

test("names are compared without case and separators", () => {
  for (const name of NAMES) expect([name, isSecretName(name)]).toEqual([name, true]);
});

test("long requests are searched in linear time", () => {
  for (const part of [
    "a",
    "%",
    "%41",
    "%2525",
    "aA1",
    "a:",
    "a=",
    "://",
    "eyA",
    "_eyA",
    "link.",
    '"',
    "?a=%3Fa%3D",
    "Cookie:",
    "\\",
  ]) {
    const text = part.repeat(16_000 / part.length);
    withoutSecrets(text);
    const start = threadTime();
    withoutSecrets(text);
    expect([part, threadTime() - start < 100]).toEqual([part, true]);
  }
});

test.each([
  ["transports", "transports: [new winston.transports.Console({ format })]"],
  ["a format", "format"],
])(
  "with %s in config/logger, requests are logged there instead",
  async (_, options) => {
    const { root, remove } = projectFolder({
      ...typeFile("post", { title: { type: "string" } }),
      "config/logger.js": `const { winston } = require("@strapi/logger");
      const format = winston.format.printf(({ message }) => "own: " + message);
      module.exports = { level: "http", ${options} };`,
    });
    const port = freePort();
    const child = Bun.spawn([...PROGRAM, "serve", root, "--port", String(port), "--no-admin"], {
      stdout: "pipe",
      stderr: "ignore",
      env: environment,
    });
    try {
      const url = `http://127.0.0.1:${port}/api/posts`;
      await until("it answers", async () => (await fetch(url).catch(() => undefined))?.status === 403);
      child.kill();
      const log = await child.stdout.text();
      const lines = log.split("\n").filter((line) => line.includes("GET /api/posts 403"));
      expect(lines).toEqual([expect.stringMatching(/^own: GET \/api\/posts 403 \d/)]);
    } finally {
      child.kill("SIGKILL");
      remove();
    }
  },
  60_000,
);
