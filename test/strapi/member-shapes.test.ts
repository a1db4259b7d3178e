/** Members of the built-in plugins, of `strapi` and of the packages, as extensions and code find them: those of Strapi 5.54. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createGalley } from "../../src/index.ts";
import { configFile, projectFolder } from "../project.ts";
import { SHAPES, shapesProject } from "./member-shapes/project.ts";

/** By path: `name:kind` of each member, or one text for each route. */
type Shapes = Map<string, string[]>;

/** The number of parameters is recorded, but not compared: nobody can tell, since all are passed on. */
const withoutArity = (member: string): string => member.replace(/\/\d+$/, "()");

function parseShapes(text: string): Shapes {
  const shapes: Shapes = new Map();
  for (const line of text.trimEnd().split("\n")) {
    const [path = "", ...members] = line.split(" ");
    if (path.endsWith(".routes") && members.length > 3)
      shapes.set(path, [...(shapes.get(path) ?? []), members.join(" ").replace(/\/\d+/g, "()")]);
    else shapes.set(path, members.map(withoutArity));
  }
  return shapes;
}

/** What Galley does not have, and why. */
const missing: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/^plugin\.content-manager\.routes\.(homepage|preview)\.routes /, "their `info` is said twice in Strapi"],
  [/^plugin\.users-permissions\.config\.callback/, "the server checks callback URLs by itself"],
  [/\.middlewares\.rateLimit\(\)\./, "helpers of Strapi's limit; the server limits by itself"],
  [/^(view\.[\w-]+|strapi\.(admin|app))\.(bootstrap|destroy|load|register)\(\)/, "Strapi's start calls them, once"],
  [/^view\.graphql\.services\.(builders\.utils|constants|internals|utils)\./, "parts of Strapi's own schema builder"],
  [/^view\.i18n\.services\.permissions\./, "permissions of administrators"],
  [/^strapi\.(bootstrap|listen|load|register|start|postListen)\(\)/, "steps of the start, which is the server's"],
  [/^strapi\.(registerInternalServices|runPluginsLifecycles|runUserLifecycles)\(\)/, "steps of the start"],
  [
    /^strapi\.(configureGlobalProxy|openAdmin|sendStartupTelemetry)\(\)/,
    "what the server does otherwise, or not at all",
  ],
  [/^strapi\.(app|registerMap|serviceMap|contentAPISchemaRegistry)/, "internals of Strapi"],
  [/^strapi\.(ai|ee)\./, "paid features"],
  [/^strapi\.auth\.authenticate/, "a step of requests, which the server does"],
  [/^strapi\.contentAPI\./, "registries of permissions that code only reads"],
  [/^strapi\.documents/, "a step of Strapi's own document service"],
  [/^strapi\.server\./, "steps of the start and the end"],
  [/^strapi\.sessionManager\(\)\.cleanupThreshold/, "sessions end by themselves"],
  [
    /^(admin\.(services|controllers|middlewares|contentTypes)\.|registry\.(services|controllers|middlewares)\.admin::)/,
    "of administrators",
  ],
  [/^strapi\.startupLogger/, "the server's own messages"],
  [/^registry\.middlewares\.strapi::/, "the server's own steps, by the names of `config/middlewares`"],
];

const strapi = parseShapes(readFileSync(join(import.meta.dir, "member-shapes/strapi-5.54.txt"), "utf8"));
let galley: Shapes;
beforeAll(async () => {
  const { root, remove } = projectFolder({
    ...configFile(),
    ...shapesProject,
    // as in the project that is recorded
    "config/plugins.js": `module.exports = {
      graphql: { config: { shadowCRUD: true, landingPage: false, depthLimit: 30, amountLimit: 1000, maxLimit: 100 } },
      "users-permissions": { config: { jwtSecret: "jwtsecret", ratelimit: { enabled: false } } },
    };`,
    "config/admin.js": `module.exports = { auth: { secret: "s" }, apiToken: { salt: "t" }, transfer: { token: { salt: "u" } }, secrets: { encryptionKey: "0123456789abcdef0123456789abcdef" }, flags: { nps: false, promoteEE: false }, serveAdminPanel: false };`,
  });
  const server = await createGalley({ project: root, environment: {} });
  galley = parseShapes(readFileSync(join(root, SHAPES), "utf8"));
  await server.close();
  remove();
}, 180_000);

/** Members of Strapi that Galley does not have, or of another kind: `path.name:kind`. */
const differences = (): string[] =>
  [...strapi].flatMap(([path, members]) => {
    const own = new Set(galley.get(path));
    return members.flatMap((member) =>
      own.has(member) ? [] : [path.endsWith(".routes") ? `${path} ${member}` : `${path}.${member}`],
    );
  });

test("each member of Strapi is there with its kind, or is listed with a reason", () => {
  expect(differences().filter((member) => !missing.some(([pattern]) => pattern.test(member)))).toEqual([]);
});

test("each listed difference is one", () => {
  const found = differences();
  expect(missing.filter(([pattern]) => !found.some((member) => pattern.test(member)))).toEqual([]);
});

test("routes are in Strapi's order", () => {
  for (const [path, routes] of strapi)
    if (/^plugin\..*\.routes$/.test(path) && galley.get(path)?.length === routes.length && routes.length > 2)
      expect(galley.get(path)).toEqual(routes);
});

afterAll(() => galley.clear());
