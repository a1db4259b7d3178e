/** Documents of many entries: what is done for each does not depend on how many there are, and their number is bounded. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { componentFile, type TestApp, testApp, typeFile } from "../project.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({
    ...typeFile("post", {
      parts: { type: "component", component: "p.outer", repeatable: true },
      zone: { type: "dynamiczone", components: ["p.inner"] },
    }),
    ...componentFile("p.outer", { inner: { type: "component", component: "p.inner", repeatable: true } }),
    ...componentFile("p.inner", { code: { type: "string", unique: true } }),
  });
});
afterAll(() => app.close());

const LIMIT = "A document can hold at most 5000 entries of components";
const create = async (data: unknown) => {
  const { status, body } = await app.call("POST", "/api/posts", { data });
  return [status, body.error?.message];
};
const many = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

test("unique values of thousands of entries are compared in seconds, not minutes", async () => {
  const start = performance.now();
  expect(await create({ zone: many(4_000, (at) => ({ __component: "p.inner", code: `code ${at}` })) })).toEqual([
    201,
    undefined,
  ]);
  expect(performance.now() - start).toBeLessThan(15_000);
});

test("entries that repeat each other are found", async () => {
  const inner = [{ code: "one" }, { code: "two" }];
  expect((await create({ parts: [{ inner }, { inner: [{ code: "two" }] }] }))[1]).toBe("2 errors occurred");
  expect(await create({ parts: [{ inner }] })).toEqual([201, undefined]);
});

test("more entries than the limit are refused, on every level", async () => {
  expect(await create({ parts: many(24_000, () => ({})) })).toEqual([400, LIMIT]);
  expect(await create({ parts: [{ inner: many(24_000, () => ({})) }] })).toEqual([400, LIMIT]);
  expect(await create({ parts: many(100, () => ({ inner: many(60, () => ({})) })) })).toEqual([400, LIMIT]);
});
