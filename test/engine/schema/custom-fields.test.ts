/** The attribute types behind custom fields: declared, registered by the project's code, well known, or guessed. */
import { expect, test } from "bun:test";
import { customFieldTypes } from "../../../src/engine/schema/custom-fields.ts";
import { loadProjectSchema } from "../../../src/server/project/project-source.ts";
import { projectFolder, testApp, typeFile } from "../../project.ts";

const field = (customField: string) => ({ type: "customField", customField });

test("what the project's code registers is found without running it", () => {
  const { root, remove } = projectFolder({
    ...typeFile("post", {
      rank: field("plugin::shop.rank"),
      mark: field("plugin::shop.mark"),
      own: field("global::own"),
      far: field("plugin::far-away.point"),
      none: field("plugin::none.none"),
      choice: field("plugin::forms.choice"),
      line: field("plugin::forms.line"),
    }),
    "src/plugins/shop/strapi-server.js": `throw new Error("not run");
      module.exports = { register({ strapi }) {
        strapi.customFields.register([{ name: "rank", plugin: "shop", type: "integer", inputSize: { default: 4 } },
          { name: 'mark', plugin: PLUGIN_ID, type: 'json' }]);
      } };`,
    "src/plugins/shop/admin/index.js": `strapi.customFields.register({ name: "rank", plugin: "shop", type: "text" });`,
    "src/plugins/forms/strapi-server.js": `const fields = [{ name: "line", type: "string", validate: () => null }, { name: "choice", type: "json" }];
      module.exports = { register({ strapi }) { for (const field of fields) strapi.customFields.register({ plugin: "forms", ...field }); } };`,
    "src/index.ts": `export default { register({ strapi }) { strapi.customFields.register({ name: "own", type: "boolean" }); } };`,
    "package.json": '{"dependencies":{"strapi-far-away":"1.0.0"}}',
    "node_modules/strapi-far-away/package.json":
      '{"name":"strapi-far-away","strapi":{"name":"far-away","kind":"plugin"}}',
    "node_modules/strapi-far-away/dist/server/index.js": `s.customFields.register({name:"point",plugin:"far-away",type:"json"})`,
    "node_modules/strapi-far-away/dist/_chunks/index.js": `app.customFields.register({name:"point",pluginId:"far-away",type:"string"})`,
  });
  const { customFields } = loadProjectSchema(root);
  remove();
  expect(customFields).toEqual({
    "plugin::shop.rank": "integer",
    "plugin::shop.mark": "json",
    "global::own": "boolean",
    "plugin::far-away.point": "json",
    "plugin::forms.choice": "json",
    "plugin::forms.line": "string",
  });
});

test("a plugin that brings a well-known field registers its type", () => {
  const { root, remove } = projectFolder({
    ...typeFile("post", { color: field("plugin::color-picker.color"), icon: field("plugin::react-icons.icon") }),
    "src/plugins/picker/package.json": '{"strapi":{"name":"color-picker","kind":"plugin"}}',
    "src/plugins/picker/server/index.js": `strapi.customFields.register({ name: "color", plugin: "color-picker", type: "json" })`,
    "src/plugins/other/server/index.js": `strapi.customFields.register({ name: "icon", plugin: "react-icons", type: "json" })`,
  });
  const { customFields } = loadProjectSchema(root);
  remove();
  expect(customFields).toEqual({ "plugin::color-picker.color": "json" });
});

test("declared before registered, registered before known, known before guessed", () => {
  const type = customFieldTypes(
    { "plugin::a.a": "json" },
    { "plugin::a.a": "text", "plugin::ckeditor5.CKEditor": "blocks" },
  );
  expect(type("plugin::a.a")).toBe("json");
  expect(type("plugin::ckeditor5.CKEditor")).toBe("blocks");
  expect(type("plugin::tinymce.tinymce")).toBe("richtext");
  expect(type("plugin::tagsinput.tags")).toBe("json");
  expect(type("plugin::strapi-advanced-uuid.uuid")).toBe("uid");
  expect(type("plugin::some-multi-select.field")).toBe("json");
  expect(type("plugin::unheard.of")).toBeUndefined();
});

test("the content-type builder's routes show the types that fields have, as in Strapi", async () => {
  const app = await testApp({
    ...typeFile("post", {
      color: field("plugin::color-picker.color"),
      own: field("global::own"),
      far: field("x::y.z"),
    }),
    "src/index.js": `module.exports = { register({ strapi }) { strapi.customFields.register({ name: "own", type: "integer" }); } };`,
  });
  const { body } = await app.call("GET", "/api/content-type-builder/content-types/api::post.post");
  await app.close();
  expect(body.data.schema.attributes).toEqual({
    color: { type: "string", customField: "plugin::color-picker.color" },
    own: { type: "integer", customField: "global::own" },
    far: { type: "text", customField: "x::y.z" },
  });
});
