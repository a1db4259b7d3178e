/** Providers of mails in `config/plugins`. Expected: the options that Strapi passes to them. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createGalley } from "../../src/index.ts";
import { startProject } from "../../src/server/start.ts";
import { ADMIN, type Body, configFile, createCall, projectFolder, type TestApp, typeFile } from "../project.ts";
import { until } from "../until.ts";

interface Sent {
  readonly inits: Body[];
  readonly mails: Body[];
}
const state = globalThis as { sentMails?: Sent };
const sent = () => state.sentMails!;
beforeEach(() => {
  state.sentMails = { inits: [], mails: [] };
});

const PACKAGE = `module.exports = { init(options, settings) {
  const { inits, mails } = globalThis.sentMails;
  inits.push([options, settings]);
  return { async send(mail) {
    mails.push(mail);
    if (mail.subject === "refused") throw Object.assign(new Error("no such template"), { statusCode: 400 });
    if (mail.subject === "broken") throw new Error("no connection");
    if (mail.to === "bounce@example.com") throw new Error("no such user");
    if (mail.subject === "never") await new Promise(() => {});
    return { accepted: mail.to };
  } };
} };`;
const installed = {
  "node_modules/@strapi/provider-email-pigeon/package.json":
    '{ "name": "@strapi/provider-email-pigeon", "main": "index.js" }',
  "node_modules/@strapi/provider-email-pigeon/index.js": PACKAGE,
};
const plugins = (provider: string) => ({
  "config/plugins.js": `module.exports = ({ env }) => ({ email: { config: { provider: "${provider}",
    providerOptions: { key: env("PIGEON_KEY") }, settings: { defaultFrom: "cms@example.com" } } } });`,
});
const base = {
  ...typeFile("note", { title: { type: "string" } }),
  ...plugins("pigeon"),
  ".env": "PIGEON_KEY=k1",
};
const CONFIG = { roles: { public: ["plugin::email.email.send", "plugin::users-permissions.auth.*"] } };
const PRODUCTION = { NODE_ENV: "production" };

let app: TestApp & { root: string };
afterEach(() => app?.close());

async function open(
  files: Readonly<Record<string, string>>,
  settings: Readonly<Record<string, unknown>> = {},
  environment: Readonly<Record<string, string>> = PRODUCTION,
) {
  const { root, remove } = projectFolder({ ...base, ...configFile({ ...CONFIG, ...settings }), ...files });
  const galley = await createGalley({ project: root, memory: false, environment });
  app = { ...galley, close: () => galley.close().then(remove), root, call: createCall(galley, ADMIN) };
}
const send = (more: Body = {}) =>
  app.call("POST", "/api/email", { to: "ada@example.com", subject: "s", text: "t", ...more });
const outbox = (): string[] => {
  const folder = join(app.root, ".galley/outbox");
  return existsSync(folder) ? readdirSync(folder) : [];
};
const MAIL = { to: "ada@example.com", subject: "s", text: "t" };

test("in production the installed provider sends mails, with its options and further texts", async () => {
  await open(installed);
  expect(sent().inits).toEqual([]);
  expect((await send({ templateId: "t1", attachments: [{ path: "/etc/passwd" }] })).status).toBe(200);
  expect((await send()).status).toBe(200);
  expect(sent().inits).toEqual([[{ key: "k1" }, { defaultFrom: "cms@example.com" }]]);
  expect(sent().mails).toEqual([{ ...MAIL, templateId: "t1" }, MAIL]);
  expect(outbox()).toEqual([]);
});

test("the provider gets what was sent: HTML alone, and lists of addresses", async () => {
  await open(installed);
  const mail = { to: ["ada@example.com", "bob@example.com\r\nX: y"], subject: "s", html: "<p>t</p>", cc: null };
  expect((await app.call("POST", "/api/email", mail)).status).toBe(200);
  expect((await app.call("POST", "/api/email", { to: "ada@example.com", templateId: "t1" })).status).toBe(200);
  expect(sent().mails).toEqual([
    { to: ["ada@example.com", "bob@example.com X: y"], subject: "s", html: "<p>t</p>" },
    { to: "ada@example.com", templateId: "t1" },
  ]);
  for (const to of [undefined, "", 5, ["a@example.com", {}], [["a@example.com"]]])
    expect((await app.call("POST", "/api/email", { ...mail, to })).status).toBe(400);
  const many = Array.from({ length: 101 }, (_, at) => `a${at}@example.com`);
  expect((await app.call("POST", "/api/email", { ...mail, to: many })).status).toBe(400);
});

test("a provider for Strapi 4 gets the utilities that it brings along", async () => {
  const utils = "node_modules/strapi-provider-email-heron/node_modules/@strapi/utils";
  await open({
    ...plugins("strapi-provider-email-heron"),
    "node_modules/strapi-provider-email-heron/package.json": '{ "name": "strapi-provider-email-heron" }',
    "node_modules/strapi-provider-email-heron/index.js": `const { removeUndefined } = require("@strapi/utils");
      module.exports = { init: () => ({ send: async (mail) => { globalThis.sentMails.mails.push(removeUndefined(mail)); } }) };`,
    [`${utils}/package.json`]: '{ "name": "@strapi/utils", "version": "4.26.2" }',
    [`${utils}/index.js`]: "module.exports = { removeUndefined: ({ text }) => ({ text }) };",
  });
  expect((await send()).status).toBe(200);
  expect(sent().mails).toEqual([{ text: "t" }]);
});

test("codes for a new password are sent by the provider, to users only", async () => {
  await open(installed);
  await app.call("POST", "/api/auth/local/register", {
    username: "ada",
    email: "ada@example.com",
    password: "secret12",
  });
  for (const email of ["nobody@example.com", "ada@example.com"])
    expect((await app.call("POST", "/api/auth/forgot-password", { email })).body).toEqual({ ok: true });
  await until("a mail is sent", () => sent().mails.length > 0);
  await app.call("GET", "/api/notes");
  expect(sent().mails.map(({ to, text }) => [to, /code=\w{40}/.test(text)])).toEqual([["ada@example.com", true]]);
});

test("a registration whose mail cannot be sent says so", async () => {
  await open(installed, { auth: { emailConfirmation: true } });
  const register = (username: string) =>
    app.call("POST", "/api/auth/local/register", {
      username,
      email: `${username}@example.com`,
      password: "secret12",
    });
  const { status, body } = await register("bounce");
  expect([status, body.error.name, body.error.message]).toEqual([
    400,
    "ApplicationError",
    "Error sending confirmation email",
  ]);
  expect((await register("arrives")).body.user.username).toBe("arrives");
});

test("an error of the provider with the status code 400 has its message, others are not shown", async () => {
  await open(installed);
  const [refused, broken] = [await send({ subject: "refused" }), await send({ subject: "broken" })];
  expect([refused.status, refused.body.error.name, refused.body.error.message]).toEqual([
    400,
    "ApplicationError",
    "no such template",
  ]);
  expect([broken.status, broken.body.error.message]).toEqual([500, "Internal Server Error"]);
});

test("a provider that never answers is given up", async () => {
  await open(installed, { code: { timeout: 1 } });
  expect((await send({ subject: "never" })).status).toBe(500);
});

test.each<[string, Record<string, string>, string]>([
  ["by the folder", { "providers/dove/index.js": PACKAGE }, "dove"],
  [
    "by the package's name",
    { "providers/bird/package.json": '{ "name": "strapi-provider-email-dove" }', "providers/bird/index.js": PACKAGE },
    "strapi-provider-email-dove",
  ],
  ["by a path", { "lib/dove.js": PACKAGE }, "./lib/dove.js"],
])("a provider of the project need not be installed: %s", async (_, files, provider) => {
  await open({ ...files, ...plugins(provider) });
  expect((await send()).status).toBe(200);
  expect(sent().mails).toEqual([MAIL]);
});

test("a provider that TypeScript would be compiled to is found by its source", async () => {
  await open({
    "src/doves/dove/index.ts": PACKAGE.replace("module.exports =", "export default").replace("(mail)", "(mail: any)"),
    "config/plugins.js": `const { join } = require("node:path");
      module.exports = { email: { config: { provider: join(__dirname, "../dist/src/doves/dove") } } };`,
  });
  expect((await send()).status).toBe(200);
  expect(sent().mails).toEqual([MAIL]);
});

test.each<[string, Record<string, string>, Record<string, unknown>, Record<string, string>, "outbox" | "provider"]>([
  ["in development", installed, {}, {}, "outbox"],
  [
    "in development with email.provider",
    installed,
    { email: { provider: "plugin", from: "own@example.com" } },
    {},
    "provider",
  ],
  ["in production with email.provider", installed, { email: { provider: "outbox" } }, PRODUCTION, "outbox"],
  ["without its package", {}, {}, PRODUCTION, "outbox"],
])("mails are sent %s as documented", async (_, files, settings, environment, expected) => {
  await open(files, settings, environment);
  expect((await send()).status).toBe(200);
  const from = expected === "provider" ? { from: "own@example.com" } : {};
  expect([outbox().length, sent().mails]).toEqual(expected === "outbox" ? [1, []] : [0, [{ ...MAIL, ...from }]]);
});

test("a start says that mails are not sent by the provider, and why", async () => {
  const warningsOf = async (files: Record<string, string>, environment: Record<string, string>) => {
    const { root, remove } = projectFolder({ ...base, ...configFile(), ...files });
    const { project } = await startProject(root, { memory: true, publicRead: false, environment });
    await project.close();
    remove();
    return project.warnings.map(({ key, reason }) => `${key}: ${reason}`);
  };
  const outbox = "mails are written to .galley/outbox";
  expect(await warningsOf(installed, {})).toEqual([
    `email.config.provider: ${outbox} unless NODE_ENV is production; "email": { "provider": "plugin" } in config/galley.json sends them with "pigeon"`,
  ]);
  expect(await warningsOf({}, PRODUCTION)).toEqual([
    `email.config.provider: the provider "pigeon" is not installed; ${outbox}`,
  ]);
  expect(await warningsOf(installed, PRODUCTION)).toEqual([]);
  app = undefined as never;
});

const code = (bootstrap: string) => ({
  "src/index.js": `module.exports = { async bootstrap({ strapi }) { ${bootstrap} } };`,
});

test("code calls the provider with every option, and gets its result", async () => {
  await open({
    ...installed,
    ...code(`const email = strapi.plugin("email").service("email");
      globalThis.sentMails.mails.push(email.getProviderSettings(),
        await email.send({ to: ["a@example.com", "b@example.com"], headers: { a: 1 } }),
        await strapi.plugin("email").provider.send({ subject: "direct" }));
      await email.sendTemplatedEmail({ to: "a@example.com" }, { subject: "<%= n %>", text: "t", html: "" }, { n: 1 });`),
  });
  expect(sent().mails.map((mail) => JSON.parse(JSON.stringify(mail)))).toEqual([
    { to: ["a@example.com", "b@example.com"], headers: { a: 1 } },
    { subject: "direct" },
    {
      provider: "pigeon",
      providerOptions: { key: "k1" },
      settings: { defaultFrom: "cms@example.com" },
    },
    { accepted: ["a@example.com", "b@example.com"] },
    {},
    { to: "a@example.com", subject: "1", text: "t" },
  ]);
  expect((await send()).status).toBe(200);
  expect(sent().mails.at(-1)).toEqual(MAIL);
});

test.each([
  [
    "service",
    `strapi.plugin("email").service("email").send = async (mail) => { globalThis.sentMails.mails.push(mail); };`,
  ],
  ["provider", `strapi.plugin("email").provider = { send: (mail) => { globalThis.sentMails.mails.push(mail); } };`],
])("mails of the server go through a %s that code replaces, in development as well", async (_, bootstrap) => {
  await open(code(bootstrap), {}, {});
  expect((await send()).status).toBe(200);
  expect([sent().mails, outbox()]).toEqual([[MAIL], []]);
});

test("attachments of code are in the outbox", async () => {
  await open(
    code(
      `await strapi.plugin("email").service("email").send({ to: "a@example.com", attachments: [{ filename: "a.txt", content: "hello" }] });`,
    ),
    {},
    {},
  );
  const file = join(app.root, ".galley/outbox", outbox()[0]!);
  expect(await Bun.file(file).text()).toContain(btoa("hello"));
});

test("a provider that cannot be loaded is named at the start, and mails fail with its error", async () => {
  const { root, remove } = projectFolder({
    ...base,
    ...configFile(CONFIG),
    ...code("strapi.seen = 1;"),
    ...installed,
    "node_modules/@strapi/provider-email-pigeon/index.js": "throw new Error('no key')",
  });
  const options = { memory: true, publicRead: false, environment: PRODUCTION, skipsFailingCode: true };
  const { project } = await startProject(root, options);
  expect(project.code!.problems.map(({ file, message }) => `${file} ${message}`)).toEqual([
    "email provider ended early: no key",
  ]);
  await expect(project.access.mailer.send({ ...MAIL })).rejects.toThrow("no key");
  await project.close();
  remove();
  app = undefined as never;
});
