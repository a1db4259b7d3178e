/** CommonJS files run in sloppy mode, as Node.js runs them; modules and TypeScript beside them run, too. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { configFile, type TestApp, testApp } from "../project.ts";

let app: TestApp;

beforeAll(async () => {
  app = await testApp({
    ...configFile({ roles: { public: [] } }),
    "src/api/old/routes/old.js": `module.exports = { routes: ["octal", "undeclared", "callee", "scope", "self", "modern"].map((name) => (
      { method: "GET", path: "/" + name, handler: "old." + name, config: { auth: false } })) };`,
    "src/api/old/services/modern.ts": `import { nothing, deflateSync } from "zlib";
      export const modern = (): object => ({ nothing: typeof nothing, zlib: typeof deflateSync });`,
    "src/api/old/controllers/old.js": `
      const { modern } = require("../services/modern");
      module.exports = {
        octal: () => [010, "\\101"],
        undeclared() { for (index = 0; index < 3; index++); total = index; return { total }; },
        callee: () => (function (n) { return n === 0 ? 1 : n * arguments.callee(n - 1); })(5),
        scope() { with ({ inner: "seen" }) { var found = inner; } return { found }; },
        self: () => (function () { return this === globalThis; })(),
        modern,
      };`,
  });
});
afterAll(() => app.close());

const answers: Readonly<Record<string, unknown>> = {
  octal: [8, "A"],
  undeclared: { total: 3 },
  callee: 120,
  scope: { found: "seen" },
  self: true,
  modern: { nothing: "undefined", zlib: "function" },
};
for (const [name, answer] of Object.entries(answers)) {
  test(name, async () => {
    expect(await app.call("GET", `/api/${name}`)).toEqual({ status: 200, body: answer });
  });
}
