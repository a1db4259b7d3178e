/** Errors of code whose message is no string. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { configFile, type TestApp, testApp, typeFile } from "../project.ts";

/** By message, as source text: the status, and the message that clients get. */
const answers: Readonly<Record<string, readonly [status: number, message: unknown]>> = {
  "'text'": [400, "text"],
  null: [400, null],
  "[1, 2]": [400, [1, 2]],
  "{ secret: 1 }": [500, "Internal Server Error"],
  5: [500, "Internal Server Error"],
};

let app: TestApp;
beforeAll(async () => {
  const route = (_: string, index: number) => ({
    method: "GET",
    path: `/thrown/${index}`,
    handler: `own.action${index}`,
    config: { auth: false },
  });
  const actions = Object.keys(answers).map(
    (message, index) => `action${index}() { throw new errors.ApplicationError(${message}); }`,
  );
  app = await testApp({
    ...configFile(),
    ...typeFile("own", { name: { type: "string" } }),
    "src/api/own/routes/thrown.js": `module.exports = { routes: ${JSON.stringify(Object.keys(answers).map(route))} };`,
    "src/api/own/controllers/own.js": `const { errors } = require("@strapi/utils"); module.exports = { ${actions.join(", ")} };`,
  });
});
afterAll(() => app.close());

for (const [index, [message, [status, answer]]] of Object.entries(answers).entries()) {
  test(`a message of ${message}`, async () => {
    const { status: sent, body } = await app.call("GET", `/api/thrown/${index}`);
    expect([sent, body.error.message]).toEqual([status, answer]);
  });
}
