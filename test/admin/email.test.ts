/** `/email`: mails that an administrator sends, and what is said of the provider. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createGalley, type Galley } from "../../src/index.ts";
import { configFile, projectFolder, testApp } from "../project.ts";

const TOKENS = [{ name: "admin", type: "admin", key: "admin" }];
const folder = projectFolder(configFile({ tokens: TOKENS, email: { from: "Site <site@example.com>" } }));
const smtpFolder = projectFolder(configFile({ tokens: TOKENS, email: { smtp: { host: "127.0.0.1", port: 1 } } }));

let galley: Galley;
let withSmtp: Galley;
beforeAll(async () => {
  galley = await createGalley({ project: folder.root, memory: false, admin: true });
  withSmtp = await createGalley({ project: smtpFolder.root, memory: false, admin: true });
});
afterAll(async () => {
  await galley.close();
  await withSmtp.close();
  folder.remove();
  smtpFolder.remove();
});

async function send(server: Galley, method: string, path: string, body?: unknown) {
  const response = await server.fetch(
    new Request(`http://localhost${path}`, {
      method,
      headers: { Authorization: "Bearer admin", ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );
  // biome-ignore lint/suspicious/noExplicitAny: the body of any response
  return { status: response.status, body: (await response.json()) as any };
}

const outbox = join(folder.root, ".galley", "outbox");
const mails = (): string[] =>
  existsSync(outbox) ? readdirSync(outbox).map((name) => readFileSync(join(outbox, name), "utf8")) : [];

test("settings name who sends mails, and the sender", async () => {
  expect(await send(galley, "GET", "/email/settings")).toEqual({
    status: 200,
    body: {
      config: { provider: "outbox", settings: { defaultFrom: "Site <site@example.com>" } },
      supportsVerify: false,
    },
  });
});

test("a test mail goes to its recipient", async () => {
  expect(await send(galley, "POST", "/email/test", { to: "ada@example.com" })).toEqual({ status: 200, body: {} });
  expect(mails().join()).toContain("To: ada@example.com");
});

test("a mail has its headers and texts", async () => {
  const mail = { to: "b@example.com", cc: "c@example.com", subject: "A subject", text: "A text", html: "<b>bold</b>" };
  expect(await send(galley, "POST", "/email", mail)).toEqual({ status: 200, body: {} });
  const sent = mails().find((text) => text.includes("To: b@example.com")) ?? "";
  for (const part of ["Cc: c@example.com", "Subject: A subject", "A text", "<b>bold</b>"]) expect(sent).toContain(part);
});

test("a mail reads no file, and its headers are not those of a raw message", async () => {
  const file = join(folder.root, "config", "galley.json");
  const more = {
    attachments: [{ path: file }],
    raw: "From: forged@example.com\r\n\r\nforged",
    inReplyTo: "<1@example.com>",
  };
  const mail = { to: "d@example.com", subject: "Files", text: "none", ...more };
  expect(await send(galley, "POST", "/email", mail)).toEqual({ status: 200, body: {} });
  const sent = mails().find((text) => text.includes("To: d@example.com")) ?? "";
  expect(sent).toContain("In-Reply-To: <1@example.com>");
  expect(sent).not.toContain("galley.json");
  expect(mails().join()).not.toContain("forged");
});

test("a mail without recipient is refused", async () => {
  for (const path of ["/email", "/email/test"]) {
    for (const body of [undefined, {}, [], { to: "" }, { to: ["a@example.com"] }]) {
      const { status, body: refused } = await send(galley, "POST", path, body);
      expect([status, refused.error?.message]).toEqual([400, "No recipient(s) are given"]);
    }
  }
});

test("a connection can be verified where there is one", async () => {
  const none = await send(galley, "POST", "/email/verify");
  expect([none.status, none.body.error.message]).toEqual([
    400,
    "This email provider does not support connection verification",
  ]);
  expect((await send(withSmtp, "GET", "/email/settings")).body.supportsVerify).toBe(true);
  const closed = await send(withSmtp, "POST", "/email/verify");
  expect([closed.status, closed.body.error.name]).toEqual([400, "ApplicationError"]);
  expect(closed.body.error.message).toStartWith("Connection verification failed: ");
});

test("the name that somebody registers with is no HTML in the mail to an address of somebody else", async () => {
  const name = '<a href="https://evil.example">Tom & Co</a>';
  const actions = ["auth.register"].map((action) => `plugin::users-permissions.${action}`);
  const app = await testApp(
    configFile({ tokens: TOKENS, roles: { public: actions }, auth: { emailConfirmation: true } }),
    { admin: true },
  );
  const message = '<p>Hello <%= USER.username %>, <a href="<%= URL %>?confirmation=<%= CODE %>">confirm</a></p>';
  const templates = { email_confirmation: { options: { object: "For <%= USER.username %>", message } } };
  const admin = { authorization: "Bearer admin" };
  await app.call("PUT", "/users-permissions/email-templates", { "email-templates": templates }, admin);
  const user = { username: name, email: "ada@example.com", password: "ada-password" };
  expect((await app.call("POST", "/api/auth/local/register", user, {})).status).toBe(200);
  const [mail] = await app.mails();
  expect(mail?.subject).toBe(`For ${name}`);
  expect(mail?.text).toContain(`Hello ${name}, `);
  expect(mail?.html).toStartWith(`<p>Hello ${Bun.escapeHTML(name)}, <a href="`);
  await app.close();
});
