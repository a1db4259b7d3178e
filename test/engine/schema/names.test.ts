import { expect, test } from "bun:test";
import { componentGlobalId, typeGlobalId } from "../../../src/engine/schema/global-id.ts";
import { kebabCase, pascalCase, snakeCase } from "../../../src/engine/schema/names.ts";

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

test.each([
  ["page2s", "Page2S"],
  ["top-2nd-x", "Top2ndX"],
  ["sharedSEO", "SharedSeo"],
  ["it's-über", "ItsUber"],
])("the Pascal case of %s is that of lodash", (name, expected) => {
  expect(pascalCase(name)).toBe(expected);
});

test("global ids are those of Strapi", () => {
  const uids = ["api::blog.page2s", "admin::api-token", "plugin::i18n.locale", "plugin::users-permissions.user"];
  expect(uids.map(typeGlobalId)).toEqual(["Page2S", "AdminApiToken", "I18NLocale", "UsersPermissionsUser"]);
  expect(componentGlobalId("shared.open-graph-2")).toBe("ComponentSharedOpenGraph2");
});
