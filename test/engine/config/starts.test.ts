/** Files of `config/`, with which Strapi 5.54 starts or not when it is asked: the same stop a start here, with a message that names the file. */
import { expect, test } from "bun:test";
import { createGalley } from "../../../src/index.ts";
import { projectFolder, typeFile } from "../../project.ts";

type Files = Readonly<Record<string, string>>;
type Case = readonly [files: Files, message?: string];

const js = (name: string, value: string): Files => ({ [`config/${name}.js`]: `module.exports = ${value};` });
const middlewares = (entry: unknown): Files => ({
  "config/middlewares.json": JSON.stringify(["strapi::errors", entry]),
});
const noObject = (name: string, value: string, kind: string): Case => [
  js(name, value),
  `config/${name}.js: must hold an object, not ${kind}`,
];

const cases: readonly Case[] = [
  ...["server", "api"].flatMap((name): Case[] => [
    noObject(name, "'x'", "a string"),
    noObject(name, "null", "null"),
    noObject(name, "[]", "a list"),
    noObject(name, "async () => ({})", "a promise"),
    noObject(name, "() => () => ({})", "a function that returns a function"),
    [js(name, "undefined")],
    [js(name, "{}")],
  ]),
  noObject("plugins", "'x'", "a string"),
  noObject("plugins", "() => null", "null"),
  noObject("plugins", "undefined", "nothing"),
  [js("plugins", "[]")],
  [js("plugins", "() => { throw new Error('broken'); }"), "config/plugins.js: cannot be read (broken)"],
  [js("middlewares", '["strapi::unknown"]'), 'config/middlewares.js: 0: there is no middleware "strapi::unknown"'],
  ...["global::x", "api::x.y", "x::y"].map(
    (name): Case => [middlewares(name), `config/middlewares.json: 1: there is no middleware "${name}"`],
  ),
  [middlewares({ name: "global::x" }), 'config/middlewares.json: 1: there is no middleware "global::x"'],
  ...["./src/middlewares/x", "src/x.js", "/nowhere/x"].map(
    (path): Case => [middlewares({ resolve: path }), `config/middlewares.json: 1: there is no file "${path}"`],
  ),
  [{ ...middlewares("global::x"), "src/middlewares/x.js": "module.exports = () => {};" }],
  [{ ...middlewares("api::some-thing.y"), "src/api/someThing/middlewares/y.js": "module.exports = () => {};" }],
  [{ ...middlewares({ resolve: "src/x" }), "src/x.js": "module.exports = () => {};" }],
  [
    {
      ...middlewares("global::x"),
      "src/index.js":
        "module.exports = { register({ strapi }) { strapi.get('middlewares').set('global::x', () => undefined); } };",
    },
  ],
  [
    { ...middlewares("global::x"), "src/middlewares/x.js": "module.exports = 5;" },
    "config/middlewares: the file of global::x must export a function",
  ],
  [js("admin", "null")],
  [js("foo", "{"), "config/foo.js: cannot be read ("],
  [{ "config/foo.ts": "export default {" }, "config/foo.ts: cannot be read ("],
  [js("foo", "null")],
  [{ "config/foo.json": "{" }, "config/foo.json: is not valid JSON ("],
  [{ "config/foo.json": "" }, "config/foo.json: is not valid JSON ("],
  [{ "config/.foo.json": "{" }, "config/.foo.json: is not valid JSON ("],
  [{ "config/foo.json": "{", "tsconfig.json": "{}" }],
  [{ "config/env/production/foo.json": "{" }, "config/env/production/foo.json: is not valid JSON ("],
  [{ "config/env/staging/foo.json": "{" }],
  [{ "config/foo/x.json": "{", "config/foo.d.ts": "{", "config/foo.yml": "{" }],
  [{ "config/middleware.json": "{", "config/uuid.json": "{" }],
  [{ ...js("server", "{}"), "config/server.json": "{" }],
];

for (const [files, message] of cases) {
  test(`${JSON.stringify(files)} ${message ? "stops" : "does not stop"} a start`, async () => {
    const { root, remove } = projectFolder({ ...typeFile("post", {}), ...files });
    const started = createGalley({ project: root, environment: { NODE_ENV: "production" } });
    const problem = await started.then(
      (galley) => galley.close(),
      (error: Error) => error.message,
    );
    remove();
    if (message === undefined) expect(problem).toBeUndefined();
    else expect(problem).toContain(message);
  });
}
