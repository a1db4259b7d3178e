/** TypeScript files with both `export` and `module.exports`, as Strapi's compiler accepts them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { configFile, type TestApp, testApp } from "../project.ts";

let app: TestApp;

beforeAll(async () => {
  app = await testApp({
    ...configFile({ roles: { public: [] } }),
    "src/api/old/routes/old.js": `module.exports = { routes: ["types", "empty", "values", "added", "thrown"].map((name) => (
      { method: "GET", path: "/" + name, handler: "old." + name, config: { auth: false } })) };`,
    "src/shared/types.ts": `import { join } from "node:path";
      export interface Shape { readonly name: string }
      const shape: Shape = { name: join("a", "b") };
      module.exports = { shape };`,
    "src/shared/empty.ts": `const { shape } = require("./types");
      module.exports = { ...shape, empty: true };
      export {};`,
    "src/shared/values.ts": `export const kept = 1; export default { z: 1 }; module.exports = { replaced: true };`,
    "src/shared/added.ts": `export const kept = 1; export default () => kept; module.exports.extra = 2;`,
    "src/shared/thrown.ts": `export {};
      module.exports = () => {
        throw new Error("here");
      };`,
    "src/api/old/controllers/old.ts": `
      import { shape } from "../../../shared/types";
      import own, * as added from "../../../shared/added";
      const thrown = require("../../../shared/thrown");
      module.exports = {
        types: () => shape,
        empty: () => require("../../../shared/empty"),
        values: () => require("../../../shared/values"),
        added: () => ({ own: own(), kept: added.kept, extra: (added as any).extra }),
        thrown() { try { thrown(); } catch (error) { return { at: /thrown\\.ts:\\d+/.exec(error.stack)?.[0] }; } },
      };
      export type Names = keyof typeof shape;`,
  });
});
afterAll(() => app.close());

const answers: Readonly<Record<string, unknown>> = {
  types: { name: "a/b" },
  empty: { name: "a/b", empty: true },
  values: { replaced: true },
  added: { own: 1, kept: 1, extra: 2 },
};
for (const [name, answer] of Object.entries(answers)) {
  test(name, async () => {
    expect(await app.call("GET", `/api/${name}`)).toEqual({ status: 200, body: answer });
  });
}

test("stacks name the file and its line", async () => {
  expect(await app.call("GET", "/api/thrown")).toEqual({ status: 200, body: { at: "thrown.ts:3" } });
});
