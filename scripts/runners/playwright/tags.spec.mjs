import { test as base, expect } from "@playwright/test";
import { createGalley } from "galley-cms/test";

const test = base.extend({
  galley: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from the pattern
    async ({}, use) => {
      const galley = await createGalley({ project: "../magazine", publicRead: true });
      await use(galley);
      await galley.close();
    },
    { scope: "worker" },
  ],
  baseURL: ({ galley }, use) => use(galley.serve()),
});
test.afterEach(({ galley }) => galley.reset());

test("a tag is listed", async ({ galley, request }) => {
  await galley.documents("api::tag.tag").create({ data: { name: "fog", slug: "fog" } });
  const response = await request.get("/api/tags?filters[slug]=fog");
  expect((await response.json()).data).toMatchObject([{ name: "fog" }]);
});

test("the next test does not see it", async ({ request }) => {
  const response = await request.get("/api/tags?filters[slug]=fog");
  expect((await response.json()).data).toEqual([]);
});
