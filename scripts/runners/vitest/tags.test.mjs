import { createGalley } from "galley-cms/test";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";

let galley;
beforeAll(async () => {
  galley = await createGalley({ project: "../magazine", publicRead: true });
});
afterEach(() => galley.reset());
afterAll(() => galley.close());

const names = async (query) => (await (await galley.fetch(`/api/tags?${query}`)).json()).data.map(({ name }) => name);

test("a tag is listed", async () => {
  await galley.documents("api::tag.tag").create({ data: { name: "fog", slug: "fog" } });
  expect(await names("filters[slug]=fog")).toEqual(["fog"]);
});

test("the next test does not see it", async () => {
  expect(await names("filters[slug]=fog")).toEqual([]);
});

test("the public may not write", async () => {
  const body = JSON.stringify({ data: { name: "fog", slug: "fog" } });
  const init = { method: "POST", headers: { "content-type": "application/json" }, body };
  expect((await galley.as("public").fetch("/api/tags", init)).status).toBe(403);
});

test("answers are the same in every run", async () => {
  const content = { tags: [{ key: "fog", data: { name: "fog", slug: "fog" } }] };
  const fixed = await createGalley({
    project: "../magazine",
    publicRead: true,
    content,
    now: "2026-01-01T00:00:00Z",
    seed: 1,
  });
  const answer = await (await fixed.fetch("/api/tags")).json();
  await fixed.close();
  expect(answer.data).toMatchInlineSnapshot(`
    [
      {
        "createdAt": "2026-01-01T00:00:00.071Z",
        "documentId": "je9ne1h7snwfv19vu3kcsr2i",
        "id": 1,
        "name": "fog",
        "publishedAt": "2026-01-01T00:00:00.071Z",
        "slug": "fog",
        "updatedAt": "2026-01-01T00:00:00.071Z",
      },
    ]
  `);
});
