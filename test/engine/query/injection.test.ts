/** Names and values that try to be SQL: the former are refused, the latter are data. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { conformanceApp, type TestApp } from "../../project.ts";

let app: TestApp;
beforeAll(async () => {
  app = await conformanceApp();
  await app.call("POST", "/api/tags", { data: { label: "safe" } });
});
afterAll(() => app.close());

const attacks = [
  "'",
  '"',
  "';--",
  '" OR 1=1 --',
  "label' OR '1'='1",
  "x') UNION SELECT password FROM up_users --",
  "`",
  "\\",
  "%",
  "_",
  "[",
  "*",
  "{}",
  ";DROP TABLE tags",
];
const operators = ["$eq", "$ne", "$lt", "$contains", "$containsi", "$startsWith", "$endsWithi", "$eqi", "$in"];

describe("as a value", () => {
  for (const attack of attacks) {
    test(attack, async () => {
      for (const operator of operators) {
        const { status, body } = await app.call(
          "GET",
          `/api/tags?filters[label][${operator}]=${encodeURIComponent(attack)}`,
        );
        expect(status).toBe(200);
        const matches = { $ne: 1, $lt: attack > "safe" ? 1 : 0 }[operator] ?? 0;
        expect(body.data.length).toBe(matches);
      }
      const made = await app.call("POST", "/api/tags", { data: { label: attack } });
      expect(made.body.data.label).toBe(attack);
      for (const operator of ["$eq", "$contains", "$containsi", "$startsWith", "$startsWithi", "$endsWith", "$eqi"]) {
        const { body } = await app.call("GET", `/api/tags?filters[label][${operator}]=${encodeURIComponent(attack)}`);
        expect(body.data.map(({ label }: { label: string }) => label)).toEqual([attack]);
      }
      expect((await app.call("GET", `/api/tags?_q=${encodeURIComponent(attack)}`)).body.data.length).toBe(1);
      await app.call("DELETE", `/api/tags/${made.body.data.documentId}`);
    });
  }
});

describe("as a name", () => {
  for (const attack of attacks) {
    test(attack, async () => {
      const name = encodeURIComponent(attack);
      for (const query of [
        `filters[${name}]=1`,
        `sort[${name}]=asc`,
        `fields[0]=${name}`,
        `populate[${name}]=true`,
        `filters[label][${name}]=1`,
      ]) {
        const { status } = await app.call("GET", `/api/tags?${query}`);
        expect({ query, refused: status === 400 || attack === "*" || attack === "[" }).toEqual({
          query,
          refused: true,
        });
      }
      const { status } = await app.call("POST", "/api/tags", { data: { label: "x", [attack]: 1 } });
      expect(status).toBe(400);
      expect((await app.call("GET", `/api/tags?locale=${name}&status=${name}`)).status).toBe(200);
    });
  }
});

test("leaves the content unchanged", async () => {
  expect((await app.call("GET", "/api/tags")).body.data.map(({ label }: { label: string }) => label)).toEqual(["safe"]);
});
