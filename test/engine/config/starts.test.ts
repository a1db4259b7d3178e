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

const PLUGIN = "src/plugins/x";
const plugin = (entry: string, files: Files = {}): Files => ({ ...js("plugins", `{ x: ${entry} }`), ...files });
/** The same for plugins that are disabled. */
const resolved = (path: string, message: string | undefined, files?: Files): Case[] =>
  ["true", "false"].map((enabled) => {
    const entry = plugin(`{ enabled: ${enabled}, resolve: ${path} }`, files);
    return message === undefined ? [entry] : [entry, `config/plugins.js: x.resolve: ${message}`];
  });
const manifest = (text = '{ "strapi": { "kind": "plugin", "name": "x" } }'): Files => ({
  [`${PLUGIN}/package.json`]: text,
});
const absolute = `require("path").join(__dirname, "../${PLUGIN}")`;
const withMain: Files = { ...manifest('{ "main": "dist/index.js" }'), [`${PLUGIN}/dist/index.js`]: "" };
const installed = (name: string, main: string): Files => ({
  [`node_modules/${name}/package.json`]: JSON.stringify({ name, main }),
  [`node_modules/${name}/${main}`]: "",
});

const entries: readonly Case[] = [
  ...["myPlugin", "my_plugin", "@a/b", "2b", "a.b"].flatMap((name): Case[] => {
    const message = `config/plugins.js: ${name}: the name of a plugin must be in kebab-case`;
    return ["false", "{ enabled: false }", "undefined"].map((entry) => [
      js("plugins", `{ ${JSON.stringify(name)}: ${entry} }`),
      message,
    ]);
  }),
  [js("plugins", '{ "a-2b": false }')],
  [plugin("null"), "config/plugins.js: x: must be an object or a boolean, not null"],
  [plugin("undefined"), "config/plugins.js: x: must be an object or a boolean, not nothing"],
  [js("plugins", "{ email: null }"), "config/plugins.js: email: must be an object or a boolean, not null"],
  ...["'text'", "5", "0", "[]", "[1]", "{}", "() => null", "false", "{ enabled: false }", "{ config: {} }"].map(
    (entry): Case => [plugin(entry)],
  ),
  [js("plugins", "[1]"), "config/plugins.js: must hold an object, not a list"],
  [js("plugins", "[]; module.exports.push(module.exports)"), "config/plugins.js: must hold an object, not a list"],
  [{ "config/plugins.json": '{ "myPlugin": false, "x": null, "y": { "enabled": true, "resolve": "./nope" } }' }],
  [
    { ...js("plugins", "{}"), ...js("env/production/plugins", "{ x: null }") },
    "config/env/production/plugins.js: x: must be",
  ],
  [
    { ...js("plugins", "{ x: null }"), ...js("env/production/plugins", "{ y: false }") },
    "config/plugins.js: x: must be",
  ],
  [{ ...js("plugins", "{ x: false }"), ...js("env/production/plugins", "{ x: undefined }") }],
  [{ ...js("plugins", "{ x: null }"), ...js("env/production/plugins", "{ x: false }") }],
  [js("env/staging/plugins", "{ myPlugin: false }")],
  ...resolved(`"./${PLUGIN}"`, `there is no folder "./${PLUGIN}"`),
  ...resolved(`"./${PLUGIN}"`, `there is no file "${PLUGIN}/package.json"`, { [`${PLUGIN}/strapi-server.js`]: "" }),
  ...["./", ""].flatMap((prefix) => resolved(`"${prefix}${PLUGIN}"`, undefined, manifest())),
  ...resolved(`"./${PLUGIN}"`, undefined, manifest("{}")),
  ...resolved(`"./${PLUGIN}"`, undefined, withMain),
  [plugin(`{ resolve: "./${PLUGIN}" }`, manifest("{")), `${PLUGIN}/package.json: is not valid JSON (`],
  ...resolved(`"./${PLUGIN}/strapi-server.js"`, `there is no folder "./${PLUGIN}/strapi-server.js"`, {
    ...manifest(),
    [`${PLUGIN}/strapi-server.js`]: "",
  }),
  ...resolved(absolute, undefined, manifest()),
  ...resolved(absolute, `there is no file "${PLUGIN}/dist/package.json"`, withMain),
  ...resolved('"y"', undefined, installed("y", "index.js")),
  ...resolved('"y"', 'there is no file "node_modules/y/dist/package.json"', installed("y", "dist/index.js")),
  ...resolved('"y/package.json"', undefined, installed("y", "dist/index.js")),
  ...resolved('"nope"', 'there is no folder "nope"', installed("y", "index.js")),
  // it may be found once the packages are installed
  ...resolved('"nope"', undefined, { "package.json": '{ "dependencies": { "nope": "1.0.0" } }' }),
  ...resolved('"nope"', undefined),
  ...resolved('"fs"', 'there is no folder "fs"', installed("y", "index.js")),
  ...["5", "true", `["./${PLUGIN}"]`].flatMap((value) => resolved(value, "must be text, not a")),
  ...['""', "0", "null", "undefined"].flatMap((value) => resolved(value, undefined)),
];

const cases: readonly Case[] = [
  ...entries,
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
  [{ ...js("foo", "{"), "tsconfig.json": "{}" }],
  [
    { ...js("foo", "{"), "tsconfig.json": '{ "compilerOptions": { "allowJs": true } }' },
    "config/foo.js: cannot be read (",
  ],
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
