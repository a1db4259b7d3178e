/** Validation that code puts in the place of the server's own. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Body, configFile, type TestApp, testApp, typeFile } from "../project.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({
    ...configFile({ roles: { public: ["*"] } }),
    ...typeFile(
      "note",
      { title: { type: "string", required: true }, n: { type: "integer" } },
      { draftAndPublish: true },
    ),
    "src/index.js": `
      const { errors } = require("@strapi/utils");
      module.exports = {
        bootstrap({ strapi }) {
          globalThis.validations = [];
          strapi.server.httpServer.on("upgrade", () => {});
          const validator = strapi.entityValidator;
          for (const name of ["validateEntityCreation", "validateEntityUpdate"]) {
            const own = validator[name].bind(validator);
            validator[name] = async (model, data, options, entity) => {
              globalThis.validations.push([name, model.uid, options.isDraft, entity && typeof entity.id]);
              if (data.title === "refused") throw new errors.ValidationError("not this one");
              const valid = await own(model, data, options, entity);
              return { ...valid, n: (valid.n ?? 0) + 1 };
            };
          }
        },
      };`,
  });
});
afterAll(() => app.close());

const send = async (method: string, path: string, data: object): Promise<Body> =>
  (await app.call(method, `/api/notes${path}`, { data }, {})).body;
const seen = (): unknown[] => (globalThis as unknown as { validations: unknown[] }).validations.splice(0);

test("is called for the draft and for the published version, and calls the server's", async () => {
  seen();
  const { data } = await send("POST", "", { title: "made" });
  expect(data).toMatchObject({ title: "made", n: 1 });
  const call = (name: string, isDraft: boolean, id?: string) => [name, "api::note.note", isDraft, id];
  expect(seen()).toEqual([call("validateEntityCreation", true), call("validateEntityCreation", false)]);
  await send("PUT", `/${data.documentId}`, { title: "changed" });
  expect(seen()).toEqual([call("validateEntityUpdate", true, "number"), call("validateEntityCreation", false)]);
});

test("what it or the server's refuses leaves nothing", async () => {
  expect((await send("POST", "", { title: "refused" })).error).toMatchObject({ status: 400, message: "not this one" });
  expect((await send("POST", "", { n: 1 })).error).toMatchObject({ status: 400, name: "ValidationError" });
  const { body } = await app.call("GET", "/api/notes?status=draft", undefined, {});
  expect(body.meta.pagination.total).toBe(1);
});
