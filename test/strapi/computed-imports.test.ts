/** Imports that the bundler cannot follow are resolved from the file that asks, as on Node.js. */
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { loadCode } from "../../src/strapi/loader/load.ts";
import { projectFolder } from "../project.ts";

const files = {
  "tsconfig.json": "{}",
  "node_modules/there/package.json": '{"name":"there","main":"main.js"}',
  "node_modules/there/main.js": 'module.exports = "package";',
  "src/jobs/first.js": 'module.exports = () => ["first", typeof strapi, require("../shared").counter];',
  "src/jobs/typed.ts": "export default (): string => 'typed';",
  "src/jobs/asking.js": 'module.exports = () => require("./" + "first")();',
  "src/data/values.json": '{ "value": 5 }',
  "src/broken.js": "const {",
  "src/shared.ts": "export const counter = { value: 1 };",
  "scripts/outside.js": 'module.exports = "outside " + typeof strapi;',
  "src/own.js": `
    const { createRequire } = require("node:module"), fs = require("fs"), path = require("path");
    const name = (text) => text, read = (...load) => load.map((one) => one());
    const failure = (work) => { try { work(); } catch (error) { return [error.name, error.code, error.message]; } };
    module.exports = {
      relative: () => require("./jobs/" + name("first"))(),
      typescript: () => require("./jobs/" + name("typed")).default(),
      nested: () => require("./jobs/" + name("asking"))(),
      folder: () => fs.readdirSync(path.join(__dirname, "jobs")).map((file) => typeof require(path.join(__dirname, "jobs", file))).sort(),
      json: () => require("./data/" + name("values.json")).value,
      package: () => require(name("there")),
      provided: () => typeof require(name("@strapi/utils")).errors.ApplicationError,
      embedded: () => typeof require(name("lodash")).map,
      outside: () => require("../scripts/" + name("outside")),
      compiled: () => require(path.join(__dirname, "../dist/src/jobs", name("first")))()[0],
      once: () => require("./shared") === require("./" + name("shared")),
      passed: () => ((load) => load("./jobs/first")()[0])(require),
      created: () => read(() => createRequire(__filename)("./shared") === require("./shared"), () => createRequire(__filename)("there")),
      resolved: () => read(() => require.resolve("there"), () => require.resolve("./jobs/first"), () => require.resolve("there", { paths: [__dirname] })),
      absent: () => failure(() => require.resolve("not-there")),
      absentFile: () => failure(() => require(name("./jobs/none"))),
      noText: () => failure(() => require(name(undefined))),
      broken: () => failure(() => require(name("./broken"))),
      paths: () => read(() => require.resolve.paths("x")[0], () => module.paths[0], () => require.main.path),
      main: () => require.main === module,
      place: () => [__filename, __dirname, Boolean(module.parent)],
      left: () => ["require(x), import(x)", { require: 1 }],
      leftMethods: async () => {
        const own = { async import({ a }, b = Math.max(1, 2)) { return [a, b, typeof require(name("./jobs/first"))]; }, require(x) { return x; }, empty: { import(x) {} } };
        class Own { static import() { return "static"; } }
        return [await own.import({ a: 1 }), own.require(3), own.empty.import(), Own.import(), await import(name("./jobs/first.js")).then(function() {
          return "imported";
        })];
      },
      leftNames: () => { var require$$0 = 1; require$$0 += 1; return require$$0; },
      leftInTexts: () => [\`farms would
require \${typeof require("./jobs/" + name("first"))} as \${\`require \${{ n: 1 }.n}\`}, a module.path\`, /["\`]require/.source, 4 / 2 / 1],
      leftCatches: () => [\`try {
} catch (e) {
}\`],
    };`,
  "src/typed.ts": `
    import { createRequire } from "node:module";
    const load = createRequire(import.meta.url), name = (text: string) => text;
    export default {
      imported: async () => (await import(\`./jobs/\${name("typed")}\`)).default(),
      commonJs: async () => (await import(name("./jobs/first.js"))).default()[0],
      importedPackage: async () => (await import(name("there"))).default,
      url: () => [import.meta.url, import.meta.filename, import.meta.dirname],
      created: () => load("./jobs/first")()[0],
      absent: async () => (await import(name("not-there")).catch((error: Error) => error.message)).split("\\n")[0],
    };`,
};

/** Failures whose messages quote the code. */
const quoting = {
  "src/plain.js": `const name = (text) => text; module.exports = {
    called: () => require("./jobs/" + name("first")).none(),
    read: () => require(name("./jobs/first")).none.deep,
    member: () => require.none(),
    main: () => require.main.none(),
    imported: async () => (await import(name("./jobs/first.js"))).none(),
  };`,
  "src/module.ts": `const word = (text: string) => text;
    function hoisted() { return require("./jobs/" + word("first")).none(); }
    async function imported() { return (await import(word("./jobs/first.js"))).none(); }
    class Own { static text = \`
  text() {
\`; method() { if (Own.text) { word(""); } return require("./jobs/" + word("first")).none(); } field = () => { return require("./jobs/" + word("first")).none(); }; }
    export default { called: () => require("./jobs/" + word("first")).none(), hoisted, imported,
      method: () => new Own().method(), field: () => new Own().field(), left: () => { throw new Error(Own.text); } };`,
};

const { root, remove } = projectFolder({ ...files, ...quoting });
afterAll(remove);
const load = async () => {
  const own = ["src/own.js", "src/typed.ts", ...Object.keys(quoting)].map(
    (file) => ({ kind: "service", file, owner: "own", name: file }) as const,
  );
  const { code } = await loadCode(root, own);
  return { code, own: (file: string) => code.modules.get(file) as Record<string, () => unknown> };
};
const { code, own } = await load();
const at = (path: string): string => join(root, path);

test.each([
  ["relative", ["first", "object", { value: 1 }]],
  ["typescript", "typed"],
  ["nested", ["first", "object", { value: 1 }]],
  ["folder", ["function", "function", "object"]],
  ["json", 5],
  ["package", "package"],
  ["provided", "function"],
  ["embedded", "function"],
  ["outside", "outside object"],
  ["compiled", "first"],
  ["once", true],
  ["passed", "first"],
  ["created", [true, "package"]],
  ["resolved", ["node_modules/there/main.js", "src/jobs/first.js", "node_modules/there/main.js"].map(at)],
  ["absent", ["Error", "MODULE_NOT_FOUND", `Cannot find module 'not-there'\nRequire stack:\n- ${at("src/own.js")}`]],
  [
    "absentFile",
    ["Error", "MODULE_NOT_FOUND", `Cannot find module './jobs/none'\nRequire stack:\n- ${at("src/own.js")}`],
  ],
  ["noText", ["TypeError", "ERR_INVALID_ARG_TYPE", 'The "id" argument must be of type string. Received undefined']],
  ["paths", [at("src/node_modules"), at("src/node_modules"), at("node_modules/@strapi/strapi/bin")]],
  ["main", false],
  ["place", [at("src/own.js"), at("src"), true]],
  ["left", ["require(x), import(x)", { require: 1 }]],
  ["leftMethods", [[1, 2, "function"], 3, undefined, "static", "imported"]],
  ["leftNames", 2],
  ["leftCatches", ["try {\n} catch (e) {\n}"]],
  ["leftInTexts", ["farms would\nrequire function as require 1, a module.path", '["`]require', 2]],
])("JavaScript: %s", async (name, expected) => {
  expect(await own("src/own.js")[name]!()).toEqual(expected);
});

test.each([
  ["imported", "typed"],
  ["commonJs", "first"],
  ["importedPackage", "package"],
  ["url", [`file://${at("src/typed.ts")}`, at("src/typed.ts"), at("src")]],
  ["created", "first"],
  ["absent", "Cannot find module 'not-there'"],
])("TypeScript: %s", async (name, expected) => {
  expect(await own("src/typed.ts")[name]!()).toEqual(expected);
});

const called = (name: string) => `require("./jobs/" + ${name}("first")).none is not a function`;
const imported = (name: string) => `(await require.import(${name}("./jobs/first.js"))).none is not a function`;
test.each([
  ["src/plain.js", "called", called("name")],
  ["src/plain.js", "read", `undefined is not an object (evaluating 'require(name("./jobs/first")).none.deep')`],
  ["src/plain.js", "member", "require.none is not a function"],
  ["src/plain.js", "main", "require.main.none is not a function"],
  ["src/plain.js", "imported", imported("name")],
  ["src/module.ts", "called", called("word")],
  ["src/module.ts", "hoisted", called("word")],
  ["src/module.ts", "imported", imported("word")],
  ["src/module.ts", "method", called("word")],
  ["src/module.ts", "field", called("word")],
  ["src/module.ts", "left", "\n  text() {\n"],
])("messages and stacks quote the code: %s, %s", async (file, name, message) => {
  const error = (await Promise.try(own(file)[name]!).catch((thrown: unknown) => thrown)) as Error;
  expect(error.message).toStartWith(message);
  expect(error.stack).not.toContain("__galley");
});

test("a file that cannot be parsed fails where it is required, and is not a problem of the start", () => {
  expect((own("src/own.js").broken!() as unknown[])[0]).toBe("SyntaxError");
  expect([code.problems, code.missing]).toEqual([[], []]);
});

test("a new generation loads changed files again, also those outside of src", async () => {
  await Bun.write(at("scripts/outside.js"), 'module.exports = "changed";');
  await Bun.write(at("src/jobs/typed.ts"), "export default (): string => 'changed';");
  const { own: again } = await load();
  expect([again("src/own.js").outside!(), again("src/own.js").typescript!()]).toEqual(["changed", "changed"]);
});
