/** Invalid data is refused quickly, regardless of its size and depth. */
import { expect, test } from "bun:test";
import { quickest, threadTime } from "../../processor-time.ts";
import { testApp, typeFile } from "../../project.ts";

test("refuses nested lists of many values with a short message", async () => {
  const app = await testApp(typeFile("post", { title: { type: "string" } }));
  const values = `${"0,".repeat(400_000)}0`;
  for (const levels of [0, 1, 500]) {
    const list = `${"[".repeat(levels)}${values}${"]".repeat(levels)}`;
    const before = process.memoryUsage().heapUsed;
    const response = await app.handle(
      new Request("http://localhost/api/posts", {
        method: "POST",
        headers: { authorization: "Bearer test-full-access", "content-type": "application/json" },
        body: `{"data":[${list}]}`,
      }),
    );
    const text = await response.text();
    expect([response.status, text.length < 4_000]).toEqual([400, true]);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(200_000_000);
  }
  await app.close();
});

test("reads targets in nested lists in linear time", async () => {
  const app = await testApp({
    ...typeFile("tag", { name: { type: "string" } }),
    ...typeFile("post", { tags: { type: "relation", relation: "oneToMany", target: "api::tag.tag" } }),
  });
  const targets = `${"0,".repeat(100_000)}0`;
  const connect = async (levels: number): Promise<number> => {
    const start = threadTime();
    const response = await app.handle(
      new Request("http://localhost/api/posts", {
        method: "POST",
        headers: { authorization: "Bearer test-full-access", "content-type": "application/json" },
        body: `{"data":{"tags":{"connect":${"[".repeat(levels)}${targets}${"]".repeat(levels)}}}}`,
      }),
    );
    expect(response.status).toBe(400);
    return threadTime() - start;
  };
  const flat = await quickest(0, () => connect(1));
  const limit = 10 * flat + 100;
  expect(await quickest(limit, () => connect(450))).toBeLessThan(limit);
  await app.close();
});

test("writes a long list in a JSON attribute about as fast as a string of its size", async () => {
  const app = await testApp(typeFile("post", { meta: { type: "json" } }));
  const create = async (meta: unknown): Promise<number> => {
    const start = threadTime();
    const response = await app.handle(
      new Request("http://localhost/api/posts", {
        method: "POST",
        headers: { authorization: "Bearer test-full-access", "content-type": "application/json" },
        body: JSON.stringify({ data: { meta } }),
      }),
    );
    expect(response.status).toBe(201);
    return threadTime() - start;
  };
  const limit = 10 * (await quickest(0, () => create("x".repeat(600_000)))) + 50;
  expect(await quickest(limit, () => create(Array(300_000).fill(1)))).toBeLessThan(limit);
  await app.close();
});
