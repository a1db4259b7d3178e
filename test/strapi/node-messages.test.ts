/** Errors of the engine as code that catches them sees them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { configFile, type TestApp, testApp, typeFile } from "../project.ts";

const cases: Readonly<Record<string, readonly [code: string, message: string]>> = {
  read: ["ctx.state.user.id", "Cannot read properties of undefined (reading 'id')"],
  element: ["ctx.none[0]", "Cannot read properties of undefined (reading '0')"],
  set: ["ctx.none.value = 1", "Cannot set properties of undefined (setting 'value')"],
  method: ["ctx.state.list.map((item) => item)", "Cannot read properties of undefined (reading 'map')"],
  call: [
    'strapi.service("api::note.note").none(ctx.request.get("a"), 2)',
    "strapi.service(...).none is not a function",
  ],
  variable: ["unknownName", "unknownName is not defined"],
  construct: ["new ctx.Nothing()", "ctx.Nothing is not a constructor"],
  iterate: ["for (const item of ctx.none) item", "ctx.none is not iterable"],
  entries: ["Object.entries(ctx.none)", "Cannot convert undefined or null to object"],
  json: ['JSON.parse("text")', "Unexpected token 'e', \"text\" is not valid JSON"],
  cut: ['JSON.parse("[")', "Unexpected end of JSON input"],
  date: ['new Date("x").toISOString()', "Invalid time value"],
  body: [
    "const { email, name } = ctx.request.body",
    "Cannot destructure property 'email' of 'ctx.request.body' as it is undefined.",
  ],
  lines: [
    "const {\n first,\n second: third,\n } = ctx.request.body",
    "Cannot destructure property 'first' of 'ctx.request.body' as it is undefined.",
  ],
  byDefault: ["const { count = 1 } = ctx.request.body", "Cannot read properties of undefined (reading 'count')"],
  awaited: [
    "const { made } = await (async () => undefined)()",
    "Cannot destructure property 'made' of '(intermediate value)' as it is undefined.",
  ],
  own: [
    "throw new Error(\"undefined is not an object (evaluating 'a.b')\")",
    "undefined is not an object (evaluating 'a.b')",
  ],
};

let app: TestApp;
beforeAll(async () => {
  const actions = Object.entries(cases).map(
    ([name, [code]]) =>
      `async ${name}(ctx) {\ntry {\n${code};\n} catch (error) {\nctx.body = { message: error.message };\n}\n}`,
  );
  const routes = Object.keys(cases).map((name) => ({
    method: "POST",
    path: `/${name}`,
    handler: `note.${name}`,
    config: { auth: false },
  }));
  app = await testApp({
    ...configFile(),
    ...typeFile("note", { title: { type: "string" } }),
    "src/api/note/controllers/note.js": `module.exports = ({ strapi }) => ({ ${actions.join(",\n")} });`,
    "src/api/note/services/note.js": "module.exports = {};",
    "src/api/note/routes/note.js": `module.exports = { routes: ${JSON.stringify(routes)} };`,
  });
});
afterAll(() => app.close());

test.each(Object.entries(cases))("%s", async (name, [, message]) => {
  expect((await app.call("POST", `/api/${name}`, undefined, {})).body).toEqual({ message });
});
