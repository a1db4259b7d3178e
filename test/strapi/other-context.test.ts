import { afterAll, beforeAll, expect, test } from "bun:test";
import { configFile, serviceFile, type TestApp, testApp, typeFile } from "../project.ts";

/** Actions call `super.find` with a context of their own. */
const contexts: Readonly<Record<string, string>> = {
  copied: "{ ...ctx, query: { filters: { title: ctx.get('x-title') } } }",
  derived: "Object.create(ctx, { query: { value: { filters: { title: ctx.get('x-title') } } } })",
  made: "{ query: { filters: { title: ctx.get('x-title') } }, state: ctx.state, params: {} }",
};

const controllerOf = (
  name: string,
): string => `module.exports = require("@strapi/strapi").factories.createCoreController(
  "api::${name}.${name}", { async find(ctx) { return super.find(${contexts[name]}); } });`;

let app: TestApp;
beforeAll(async () => {
  const files = Object.keys(contexts).map((name) => ({
    ...serviceFile(name),
    ...typeFile(name, { title: { type: "string" } }),
    [`src/api/${name}/controllers/${name}.js`]: controllerOf(name),
    [`src/api/${name}/routes/${name}.js`]: `module.exports = require("@strapi/strapi").factories.createCoreRouter("api::${name}.${name}");`,
  }));
  app = await testApp({ ...configFile({ roles: { public: ["*"] } }), ...Object.assign({}, ...files) });
  for (const name of Object.keys(contexts))
    for (const title of ["a", "b"]) await app.documents(`api::${name}.${name}`).create({ data: { title } });
});
afterAll(() => app.close());

for (const name of Object.keys(contexts)) {
  test(`super.find with a ${name} context reads with the query of that context`, async () => {
    for (let request = 0; request < 4; request++)
      for (const title of ["a", "b"]) {
        const { body } = await app.call("GET", `/api/${name}s`, undefined, { "x-title": title });
        expect(body.data).toMatchObject([{ title }]);
      }
  });
}
