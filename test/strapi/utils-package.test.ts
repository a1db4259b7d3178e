/** `@strapi/utils` in a project's code: Strapi's own package, whose errors and the server's recognise each other. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isStrapiError, strapiUtils, utilsModule } from "../../src/strapi/packages/utils.ts";
import { type Body, configFile, type TestApp, testApp, typeFile } from "../project.ts";

/** By class: the envelope of an error that an action throws. */
const thrown: Readonly<Record<string, Body>> = {
  ApplicationError: { status: 400, name: "ApplicationError", message: "m", details: { a: 1 } },
  ValidationError: { status: 400, name: "ValidationError", message: "m", details: { a: 1 } },
  PaginationError: { status: 400, name: "PaginationError", message: "m", details: { a: 1 } },
  NotFoundError: { status: 404, name: "NotFoundError", message: "m", details: { a: 1 } },
  ForbiddenError: { status: 403, name: "ForbiddenError", message: "Forbidden", details: {} },
  UnauthorizedError: { status: 401, name: "UnauthorizedError", message: "Unauthorized", details: {} },
  PolicyError: { status: 403, name: "PolicyError", message: "m", details: { a: 1 } },
  NotImplementedError: { status: 501, name: "NotImplementedError", message: "m", details: { a: 1 } },
  RateLimitError: { status: 429, name: "RateLimitError", message: "m", details: { a: 1 } },
  PayloadTooLargeError: { status: 413, name: "PayloadTooLargeError", message: "m", details: { a: 1 } },
};

/** By expression of an action. */
const answers: Readonly<Record<string, unknown>> = {
  "Object.keys(utils).length > 70": true,
  "imported === utils.default": true,
  "imported.errors === errors": true,
  "byPath.ApplicationError === errors.ApplicationError": true,
  "require('@strapi/utils/dist/errors.js').NotFoundError === errors.NotFoundError": true,
  "typeof utils.packageManager.getPreferred": "function",
  "new errors.PolicyError() instanceof errors.ForbiddenError": true,
  "new errors.NotFoundError() instanceof errors.ForbiddenError": false,
  "await fails({ title: 1 })": ["ValidationError", true, true, false],
  "(await strapi.db.query('api::note.note').findMany(strapi.get('query-params').transform('api::note.note', { status: 'draft', fields: 'title' }))).length": 1,
  "(await strapi.db.query('api::note.note').findMany(strapi.get('query-params').transform('api::note.note', { status: 'published' }))).length": 0,
};

let app: TestApp;
beforeAll(async () => {
  const names = Object.keys(thrown);
  const sources = Object.keys(answers);
  app = await testApp({
    ...configFile({ roles: { public: ["api::note.note.*"] } }),
    ...typeFile("note", { title: { type: "string", required: true } }, { options: { draftAndPublish: true } }),
    "src/api/note/controllers/note.ts": `
      import imported, * as utils from "@strapi/utils";
      import * as byPath from "@strapi/utils/dist/errors";
      const { errors } = utils;
      const fails = async (data) => {
        try {
          await strapi.documents("api::note.note").create({ data: { title: { no: 1 } } });
        } catch (error) {
          const { ValidationError, ApplicationError, NotFoundError } = errors;
          return [error.name, ...[ValidationError, ApplicationError, NotFoundError].map((one) => error instanceof one)];
        }
      };
      export default ({ strapi }) => ({
        ${names.map((name) => `throw${name}() { throw new errors.${name}("m", { a: 1 }); }`).join(",\n")},
        ${sources.map((source, at) => `async answer${at}() { return { answer: ${source} }; }`).join(",\n")},
      });`,
    "src/api/note/routes/note.js": `module.exports = { routes: ${JSON.stringify(
      [...names.map((name) => `throw${name}`), ...sources.map((_, at) => `answer${at}`)].map((name) => ({
        method: "GET",
        path: `/${name}`,
        handler: `note.${name}`,
        config: { auth: false },
      })),
    )} };`,
    // an installed copy has classes of its own
    "node_modules/@strapi/utils/package.json": `{ "name": "@strapi/utils" }`,
    "node_modules/@strapi/utils/dist/errors.js":
      "exports.ApplicationError = exports.NotFoundError = class extends Error {};",
    "src/index.js": `module.exports = { bootstrap: ({ strapi }) =>
      strapi.documents("api::note.note").create({ data: { title: "a" } }) };`,
  });
});
afterAll(() => app.close());

describe("an action that throws", () => {
  for (const [name, error] of Object.entries(thrown)) {
    test(name, async () => {
      const { status, body } = await app.call("GET", `/api/throw${name}`, undefined, {});
      expect([status, body]).toEqual([error.status, { data: null, error }]);
    });
  }
});

for (const [at, source] of Object.keys(answers).entries()) {
  test(source, async () => {
    const { body } = await app.call("GET", `/api/answer${at}`, undefined, {});
    expect(body).toEqual({ answer: answers[source] });
  });
}

test("the server finds errors of the package by their classes", () => {
  const { NotFoundError } = strapiUtils().errors;
  class Missing extends NotFoundError {}
  expect(isStrapiError(new Missing(), "NotFoundError")).toBe(true);
  expect(isStrapiError(new Error("x"), "NotFoundError")).toBe(false);
  expect(utilsModule()).toHaveProperty("default.errors.NotFoundError", NotFoundError);
});
