/** Official plugins that may not be installed: code that calls their services goes on. */
import { expect, test } from "bun:test";
import { type Body, testApp } from "../project.ts";

const PACKAGE = JSON.stringify({
  dependencies: { "@strapi/plugin-documentation": "5.0.0", "@strapi/plugin-sentry": "5.0.0" },
});
const INDEX = `module.exports = {
  register({ strapi }) {
    globalThis.ownCode = strapi;
    const override = strapi.plugin("documentation")?.service("override");
    override?.excludeFromGeneration(["article"]);
    override?.registerOverride({ paths: {} }, { excludeFromGeneration: "page" });
    strapi.plugin("sentry")?.service("sentry").init().sendError(new Error("own"));
  },
};`;

const installed = (name: string, manifest: object, files: Record<string, string> = {}): Record<string, string> => ({
  [`node_modules/@strapi/${name}/package.json`]: JSON.stringify({
    name: `@strapi/${name}`,
    version: "5.0.0",
    ...manifest,
  }),
  ...Object.fromEntries(Object.entries(files).map(([file, text]) => [`node_modules/@strapi/${name}/${file}`, text])),
});

async function start(files: Record<string, string>): Promise<Body> {
  const app = await testApp({ "src/index.js": INDEX, ...files });
  await app.close();
  return (globalThis as unknown as { ownCode: Body }).ownCode;
}

test("their services are there, and say what does not happen", async () => {
  const strapi = await start({ "package.json": PACKAGE });
  const { registeredOverrides, isEnabled } = strapi.plugin("documentation").service("override");
  expect(registeredOverrides).toEqual([{ paths: {} }]);
  expect([isEnabled("article"), isEnabled("page"), isEnabled("tag")]).toEqual([true, true, false]);
  const sentry = strapi.plugin("sentry").service("sentry");
  const warnings: unknown[] = [];
  strapi.log.warn = (...args: unknown[]) => warnings.push(...args);
  sentry.sendError(new Error("own"));
  expect([sentry.getInstance(), warnings]).toEqual([null, ["Sentry wasn't properly initialized, cannot send event"]]);
});

test("they are not there where packages or the configuration do not have them", async () => {
  const disabled = "module.exports = { documentation: { enabled: false }, sentry: false };";
  const projects: readonly Record<string, string>[] = [{}, { "package.json": PACKAGE, "config/plugins.js": disabled }];
  for (const files of projects) {
    const strapi = await start(files);
    expect([strapi.plugin("documentation"), strapi.plugin("sentry")]).toEqual([undefined, undefined]);
  }
});

test("installed ones are run, and get the descriptions of the built-in plugins' routes from Strapi's packages", async () => {
  const overrides =
    "const overrides = []; module.exports = { services: { override: () => ({ overrides, registerOverride: (...of) => overrides.push(of) }) } };";
  const strapi = await start({
    "package.json": PACKAGE,
    "src/index.js": "module.exports = { register({ strapi }) { globalThis.ownCode = strapi; } };",
    ...installed(
      "plugin-documentation",
      { strapi: { kind: "plugin", name: "documentation" } },
      { "strapi-server.js": overrides },
    ),
    ...installed("plugin-users-permissions", {}, { "documentation/content-api.yaml": "openapi: 3.0.0" }),
    ...installed(
      "upload",
      {},
      { "dist/server/documentation/content-api.json.js": "exports.default = { openapi: '3.0.0' };" },
    ),
  });
  expect(strapi.plugin("documentation").service("override").overrides).toEqual([
    [{ openapi: "3.0.0" }, { pluginOrigin: "upload", excludeFromGeneration: ["upload"] }],
    ["openapi: 3.0.0", { pluginOrigin: "users-permissions", excludeFromGeneration: ["users-permissions"] }],
  ]);
  expect(strapi.plugin("sentry").service("sentry").getInstance()).toBeNull();
});
