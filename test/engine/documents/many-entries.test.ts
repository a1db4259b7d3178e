/** Documents with many entries: the number of statements does not depend on the number of entries, which is limited. */
import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import { Storage } from "../../../src/engine/storage/storage.ts";
import { threadTime } from "../../processor-time.ts";
import { componentFile, configFile, relation, type TestApp, testApp, typeFile } from "../../project.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({
    ...typeFile(
      "post",
      {
        parts: { type: "component", component: "p.outer", repeatable: true },
        zone: { type: "dynamiczone", components: ["p.inner"] },
        tags: relation("manyToMany", "tag"),
      },
      { draftAndPublish: true },
    ),
    ...typeFile("tag", { name: { type: "string" } }),
    ...componentFile("p.outer", { inner: { type: "component", component: "p.inner", repeatable: true } }),
    ...componentFile("p.inner", { code: { type: "string", unique: true } }),
  });
});
afterAll(() => app.close());

const LIMIT = "The request exceeds its limit of 2000 component entries: ask for less at once (limits.components)";
const create = async (data: unknown) => {
  const { status, body } = await app.call("POST", "/api/posts", { data });
  return [status, body.error?.message];
};
const many = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

test("compares unique values of many entries in seconds", async () => {
  const start = threadTime();
  expect(await create({ zone: many(1_900, (at) => ({ __component: "p.inner", code: `code ${at}` })) })).toEqual([
    201,
    undefined,
  ]);
  expect(threadTime() - start).toBeLessThan(15_000);
});

async function statements(work: () => Promise<unknown>): Promise<number> {
  const spies = [spyOn(Storage.prototype, "all"), spyOn(Storage.prototype, "run")];
  await work();
  const count = spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
  for (const spy of spies) spy.mockRestore();
  return count;
}

test("writes a row and a link per entry and version, and reads and deletes entries in bulk", async () => {
  const parts = (count: number) => many(count, (at) => ({ inner: [{ code: `${count} ${at}` }] }));
  const costs: number[] = [];
  // the first round also makes what lasts
  for (const count of [5, 10, 20]) {
    const { body } = await app.call("POST", "/api/posts?status=published", { data: {} });
    const path = `/api/posts/${body.data.documentId}`;
    costs.push(await statements(() => app.call("PUT", path, { data: { parts: parts(count) } })));
    // those of the draft and of the published version
    costs.push(await statements(() => app.call("PUT", path, { data: { parts: [] } })));
  }
  const [ten, emptied, twenty, emptiedTwenty] = costs.slice(2) as [number, number, number, number];
  const rows = 2 * 10;
  // a unique value is looked for when it is written and when it is published
  expect(twenty - ten).toBeLessThanOrEqual(4 * rows + 2 * 10);
  expect(emptiedTwenty).toBe(emptied);
});

test("reorders a list in a number of statements that does not depend on its length", async () => {
  const ids: number[] = [];
  for (const name of many(20, (at) => `tag ${at}`)) {
    ids.push((await app.call("POST", "/api/tags", { data: { name } })).body.data.id);
  }
  const costs: number[] = [];
  // the first round also makes what lasts
  for (const count of [3, 3, 20]) {
    const tags = ids.slice(0, count);
    const { body } = await app.call("POST", "/api/posts?status=draft", { data: { tags } });
    const path = `/api/posts/${body.data.documentId}?status=draft&populate=tags`;
    const put = async (data: object) => {
      const changed = await app.call("PUT", path, { data });
      return changed.body.data.tags.map(({ id }: { id: number }) => id);
    };
    costs.push(
      await statements(async () => {
        expect(await put({ tags: tags.toReversed() })).toEqual(tags.toReversed());
        expect(await put({ tags: { disconnect: tags.slice(1) } })).toEqual(tags.slice(0, 1));
      }),
    );
  }
  // not one more for each of 17 tags; what is done from time to time may fall into a round
  expect(costs[2]).toBeLessThan(costs[1]! + 5);
});

test("refuses more targets than the limit", async () => {
  const { status, body } = await app.call("POST", "/api/posts", { data: { tags: many(10_001, () => 1) } });
  expect([status, body.error.details]).toEqual([400, { limit: "links", max: 10_000 }]);
});

test("finds entries with equal unique values", async () => {
  const zone = ["one", "two", "two"].map((code) => ({ __component: "p.inner", code }));
  expect((await create({ zone }))[1]).toBe("2 errors occurred");
  expect(await create({ zone: zone.slice(1) })).toEqual([400, "2 errors occurred"]);
  expect(await create({ zone: zone.slice(0, 2) })).toEqual([201, undefined]);
});

test("refuses more entries than the limit, on every level", async () => {
  expect(await create({ parts: many(24_000, () => ({})) })).toEqual([400, LIMIT]);
  expect(await create({ parts: [{ inner: many(24_000, () => ({})) }] })).toEqual([400, LIMIT]);
  expect(await create({ parts: many(100, () => ({ inner: many(60, () => ({})) })) })).toEqual([400, LIMIT]);
});

test("applies the limit per request, and reads it from the configuration", async () => {
  const small = await testApp({
    ...typeFile("post", { parts: { type: "component", component: "p.part", repeatable: true } }),
    ...componentFile("p.part", { label: { type: "string" } }),
    ...configFile({ limits: { components: 3 } }),
  });
  const data = (count: number) => `data: { parts: [${'{ label: "a" }'.repeat(count)}] }`;
  const graphql = (...counts: number[]) => {
    const mutations = counts.map((count, at) => `m${at}: createPost(${data(count)}) { documentId }`);
    return small.call("POST", "/graphql", { query: `mutation { ${mutations.join(" ")} }` });
  };
  expect((await graphql(1, 2)).body.errors).toBeUndefined();
  expect((await graphql(2, 2)).body.errors.map((error: { message: string }) => error.message)).toEqual([
    "The request exceeds its limit of 3 component entries: ask for less at once (limits.components)",
  ]);
  const parts = [{}, {}, {}, {}];
  expect((await small.call("POST", "/api/posts", { data: { parts } })).status).toBe(400);
  // programs write what they want
  expect(await small.documents("api::post.post").create({ data: { parts } })).toBeDefined();
  await small.close();
});
