/** Which changed files are a reason to serve the project anew. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { createChangeFilter } from "../../src/server/changed-contents.ts";

// the names of its folders do not matter
const ROOT = "/srv/extensions/shop/public/cms";
const isChange = (path: string): boolean =>
  createChangeFilter(ROOT, () => ({ from: 0, to: 0 })).isChange(new Set([join(ROOT, path)]));

test.each([
  ["src/extensions/documentation/documentation/1.0.0/full_documentation.json", false],
  ["src/extensions/documentation/public/index.html", false],
  ["src/extensions/audit/data/logs/today.txt", false],
  ["src/extensions/documentation/strapi-server.js", true],
  ["src/extensions/audit/content-types/log/schema.json", true],
  ["src/api/extensions/content-types/log/schema.json", true],
  ["src/index.js", true],
])("%s is a reason: %p", (path, is) => {
  expect(isChange(path)).toBe(is);
});
