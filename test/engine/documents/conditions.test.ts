/** Values of attributes that are not visible, which are not validated. */
import { afterAll, expect, test } from "bun:test";
import { ADMIN, configFile, testApp, typeFile } from "../../project.ts";

const conditions = { visible: { "==": [{ var: "kind" }, "link"] } };
const app = await testApp({
  ...typeFile("entry", { kind: { type: "string" }, url: { type: "string", conditions } }),
  ...configFile(),
});
afterAll(() => app.close());

test.each([
  [{ a: 1 }, "[object Object]"],
  [[1, [2]], "1,2"],
  [5, "5"],
  [true, "true"],
])("%j of a string is stored as %s", async (url, stored) => {
  const { body } = await app.call("POST", "/api/entrys", { data: { kind: "plain", url } }, ADMIN);
  expect(body.data.url).toBe(stored);
});
