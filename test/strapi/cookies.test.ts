/** `ctx.cookies`, as Strapi's package `cookies` reads, writes and signs them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { configFile, type TestApp, testApp } from "../project.ts";

let app: TestApp;

const actions: Readonly<Record<string, string>> = {
  plain: `ctx.cookies.set("a", "1"); return {};`,
  signed: `ctx.cookies.set("a", "1", { httpOnly: false, sameSite: "Lax" }); return {};`,
  unsigned: `ctx.cookies.set("a", "1", { signed: false, path: "/x", domain: "example.com", sameSite: true }); return {};`,
  removed: `ctx.cookies.set("a", null); return {};`,
  replaced: `ctx.cookies.set("a", "1"); ctx.cookies.set("a", "2", { overwrite: true, signed: false }); return {};`,
  secure: `try { ctx.cookies.set("a", "1", { secure: true }); } catch (error) { return { message: error.message }; }`,
  wrong: `const messages = [];
    for (const [name, value, options] of [["a;", "1"], ["a", "1;"], ["a", "1", { path: "é" }], ["a", "1", { maxAge: NaN }], ["a", "1", { sameSite: "x" }]])
      try { ctx.cookies.set(name, value, options); } catch (error) { messages.push(error.message); }
    return { messages };`,
  read: `return { loose: ctx.cookies.get("a"), strict: ctx.cookies.get("a", {}) ?? null, none: ctx.cookies.get("b") ?? null, quoted: ctx.cookies.get("q") ?? null };`,
};

beforeAll(async () => {
  app = await testApp({
    ...configFile({ roles: { public: [] } }),
    "config/server.js": `module.exports = { app: { keys: ["new", "old"] } };`,
    "src/api/jar/routes/jar.js": `module.exports = { routes: ${JSON.stringify(Object.keys(actions))}.map((name) => (
      { method: "GET", path: "/" + name, handler: "jar." + name, config: { auth: false } })) };`,
    "src/api/jar/controllers/jar.js": `module.exports = { ${Object.entries(actions)
      .map(([name, body]) => `${name}(ctx) { ${body} }`)
      .join(",\n")} };`,
  });
});
afterAll(() => app.close());

async function ask(name: string, cookie?: string) {
  const headers: Record<string, string> = cookie === undefined ? {} : { cookie };
  const response = await app.handle(new Request(`http://localhost/api/${name}`, { headers }));
  return { set: response.headers.getSetCookie(), body: await response.json() };
}

const signature = (text: string, key: string): string =>
  new Bun.CryptoHasher("sha1", key).update(text).digest("base64url");

test("a cookie without options is not signed", async () => {
  expect((await ask("plain")).set).toEqual(["a=1; path=/; httponly"]);
});

test("a cookie with options is followed by its signature with the first key", async () => {
  expect((await ask("signed")).set).toEqual([
    "a=1; path=/; samesite=lax",
    `a.sig=${signature("a=1", "new")}; path=/; samesite=lax`,
  ]);
});

test("options are written in the package's order", async () => {
  expect((await ask("unsigned")).set).toEqual(["a=1; path=/x; domain=example.com; samesite=strict; httponly"]);
});

test("a cookie without a value expires", async () => {
  expect((await ask("removed")).set).toEqual(["a=; path=/; expires=Thu, 01 Jan 1970 00:00:00 GMT; httponly"]);
});

test("overwrite removes earlier cookies of the name", async () => {
  expect((await ask("replaced")).set).toEqual(["a=2; path=/; httponly"]);
});

test("a secure cookie over HTTP is an error", async () => {
  expect(await ask("secure")).toEqual({
    set: [],
    body: { message: "Cannot send secure cookie over unencrypted connection" },
  });
});

test("invalid names, values and options are errors", async () => {
  expect(await ask("wrong")).toEqual({
    set: [],
    body: {
      messages: [
        "argument name is invalid",
        "argument value is invalid",
        "option path is invalid",
        "option maxAge is invalid",
        "option sameSite is invalid",
      ],
    },
  });
});

test("signatures are checked by calls with options", async () => {
  const valid = `a=1; a.sig=${signature("a=1", "new")}; q="x"`;
  expect(await ask("read", valid)).toEqual({ set: [], body: { loose: "1", strict: "1", none: null, quoted: "x" } });
  expect((await ask("read", "a=1")).body).toMatchObject({ loose: "1", strict: null });
});

test("a signature with an older key is renewed, a wrong one is removed", async () => {
  const old = await ask("read", `a=1; a.sig=${signature("a=1", "old")}`);
  expect(old.body).toMatchObject({ strict: "1" });
  expect(old.set).toEqual([`a.sig=${signature("a=1", "new")}; path=/; httponly`]);
  const wrong = await ask("read", "a=1; a.sig=nonsense");
  expect(wrong.body).toMatchObject({ strict: null });
  expect(wrong.set).toEqual(["a.sig=; path=/; expires=Thu, 01 Jan 1970 00:00:00 GMT; httponly"]);
});
