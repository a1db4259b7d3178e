import { expect, test } from "bun:test";
import { kebabCase, snakeCase } from "../../../src/engine/schema/names.ts";

test.each([
  ["blogPost", "blog_post", "blog-post"],
  ["Blog Post", "blog_post", "blog-post"],
  ["importS3", "import_s_3", "import-s-3"],
  ["URLError", "url_error", "url-error"],
  ["ÜberUns", "uber_uns", "uber-uns"],
  // names of files that are in kebab-case stay as they are
  ["page2", "page_2", "page2"],
])("%s has the words that Strapi finds in it", (name, snake, kebab) => {
  expect([snakeCase(name), kebabCase(name)]).toEqual([snake, kebab]);
});
