/** Where a project is served, and what the start says about it. */
import { describe, expect, test } from "bun:test";
import { chooseHost } from "../../src/cli/welcome.ts";
import { unrunCode } from "../../src/server/unrun-code.ts";
import { projectFolder } from "../project.ts";

describe("the host", () => {
  const cases: readonly [string, Parameters<typeof chooseHost>, string, string | undefined][] = [
    ["nothing is said", [undefined, undefined, false], "localhost", undefined],
    ["the project says this machine", [undefined, "127.0.0.1", false], "127.0.0.1", undefined],
    ["the project says every interface", [undefined, "0.0.0.0", false], "localhost", "only this machine is answered"],
    ["the same in production", [undefined, "0.0.0.0", true], "0.0.0.0", "other machines are answered"],
    ["the command line says so", ["0.0.0.0", "127.0.0.1", false], "0.0.0.0", "other machines are answered"],
    ["the command line says this machine", ["localhost", "0.0.0.0", true], "localhost", undefined],
  ];
  for (const [name, args, host, notice] of cases) {
    test(name, () => {
      const chosen = chooseHost(...args);
      expect(chosen.host).toBe(host);
      if (notice === undefined) expect(chosen.notice).toBeUndefined();
      else expect(chosen.notice).toContain(notice);
    });
  }
});

const generated = (kind: string) =>
  `/** ${kind} */\nimport { factories } from '@strapi/strapi';\nexport default factories.createCore${kind}('api::post.post');\n`;

test("code that is not run is named, first what narrows access; generated files are not", () => {
  const { root, remove } = projectFolder({
    "src/api/post/controllers/post.ts": generated("Controller"),
    "src/api/post/services/post.ts": generated("Service"),
    "src/api/post/routes/post.ts": generated("Router"),
    "src/api/page/controllers/page.js":
      "module.exports = createCoreController('api::page.page', () => ({ find() {} }));",
    "src/api/page/services/page.js": "module.exports = () => ({});",
    "src/api/page/policies/is-owner.js": "module.exports = () => false;",
    "src/api/page/content-types/page/lifecycles.js": "module.exports = {};",
    "src/index.ts": "export default { register(/* { strapi } */) {}, bootstrap(/* { strapi } */) {} };",
  });
  const found = unrunCode(root).map(({ file, narrows }) => [file, narrows]);
  expect(found).toEqual([
    ["src/api/page/controllers/page.js", true],
    ["src/api/page/policies/is-owner.js", true],
    ["src/api/page/content-types/page/lifecycles.js", false],
    ["src/api/page/services/page.js", false],
  ]);
  expect(unrunCode(root, new Set(["controller", "policy", "service"])).map(({ file }) => file)).toEqual([
    "src/api/page/content-types/page/lifecycles.js",
  ]);
  remove();
});
