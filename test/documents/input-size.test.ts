/** Data that is no document is refused at once, however large and nested it is. */
import { expect, test } from "bun:test";
import { testApp, typeFile } from "../project.ts";

test("a list of lists of many values is refused in a short message", async () => {
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
