/** Every rule that refuses a start names the file, the key and the reason. */
import { describe, expect, test } from "bun:test";
import { createGalley } from "../../src/index.ts";
import { componentFile, projectFolder, typeFile } from "../project.ts";

const POST = "src/api/post/content-types/post/schema.json";
const post = (attributes: Record<string, Record<string, unknown>>) => typeFile("post", attributes);
const raw = (definition: unknown) => ({
  [POST]: typeof definition === "string" ? definition : JSON.stringify(definition),
});
const info = { singularName: "post", pluralName: "posts", displayName: "Post" };
const value = (definition: Record<string, unknown>) => post({ value: definition });

const cases: readonly (readonly [name: string, files: Record<string, string>, message: string])[] = [
  ["a file that is no JSON", raw('{"kind": }'), `${POST}: is not valid JSON`],
  [
    "a folder without a schema",
    { "src/api/post/content-types/post/other.json": "{}" },
    `${POST}: could not load the content-type`,
  ],
  ["no info", raw({ attributes: {} }), `${POST}: info: is missing`],
  [
    "no singular name",
    raw({ info: { pluralName: "posts", displayName: "P" }, attributes: {} }),
    `${POST}: info.singularName: is missing`,
  ],
  [
    "an unknown kind",
    raw({ kind: "many", info, attributes: {} }),
    `${POST}: kind: must be one of collectionType, singleType, not "many"`,
  ],
  [
    "a folder called otherwise",
    raw({ info: { ...info, singularName: "story" }, attributes: {} }),
    `${POST}: info.singularName: the type's folder must be called as its singularName; found post and story`,
  ],
  [
    "a plural that is not in kebab-case",
    raw({ info: { ...info, pluralName: "Posts" }, attributes: {} }),
    `${POST}: info.pluralName: must be in kebab-case, not "Posts"`,
  ],
  ["a name that is taken", { ...post({}), ...typeFile("posts", {}) }, `"posts" must be unique`],
  [
    "a table that is taken",
    { ...post({}), ...typeFile("other", {}, { collectionName: "posts" }) },
    `collectionName: "posts" must be unique`,
  ],
  [
    "a reserved table",
    typeFile("post", {}, { collectionName: "galley_x" }),
    `${POST}: collectionName: "galley_x" begins with a reserved prefix`,
  ],
  ["an attribute without a type", post({ value: {} }), `${POST}: attributes.value.type: is missing`],
  [
    "an unknown attribute type",
    value({ type: "colour" }),
    `${POST}: attributes.value.type: unknown attribute type "colour"`,
  ],
  [
    "a name that is none",
    post({ "a-b": { type: "string" } }),
    `${POST}: attributes.a-b: a name must begin with a letter`,
  ],
  ["a limit that is no number", value({ type: "string", maxLength: "ten" }), `${POST}: attributes.value.maxLength: `],
  ["a pattern that does not compile", value({ type: "string", regex: "(" }), `${POST}: attributes.value.regex: `],
  ["a flag that is none", value({ type: "string", required: "yes" }), `${POST}: attributes.value.required: `],
  ["an enumeration without values", value({ type: "enumeration" }), `${POST}: attributes.value.enum: is missing`],
  [
    "a value that begins with a number",
    value({ type: "enumeration", enum: ["1st"] }),
    `${POST}: attributes.value.enum: invalid value "1st"`,
  ],
  [
    "values that collide",
    value({ type: "enumeration", enum: ["a b", "a-b"] }),
    `${POST}: attributes.value.enum: some values collide`,
  ],
  [
    "a uid of a missing attribute",
    value({ type: "uid", targetField: "title" }),
    `${POST}: attributes.value.targetField: must name a string or text attribute`,
  ],
  [
    "an unknown relation",
    value({ type: "relation", relation: "oneToFew", target: "api::post.post" }),
    `${POST}: attributes.value.relation: must be one of oneToOne`,
  ],
  [
    "a relation to nothing",
    value({ type: "relation", relation: "oneToOne", target: "api::nope.nope" }),
    `${POST}: attributes.value.target: there is no content-type api::nope.nope`,
  ],
  [
    "a side without the other",
    value({ type: "relation", relation: "oneToOne", target: "api::post.post", inversedBy: "back" }),
    `${POST}: attributes.value.inversedBy: api::post.post has no relation named back`,
  ],
  [
    "sides that do not name each other",
    post({
      value: { type: "relation", relation: "oneToMany", target: "api::post.post", mappedBy: "back" },
      back: { type: "relation", relation: "manyToOne", target: "api::post.post", inversedBy: "other" },
      other: { type: "relation", relation: "oneToMany", target: "api::post.post", mappedBy: "back" },
    }),
    `must say "inversedBy": "value"`,
  ],
  [
    "an unknown component",
    value({ type: "component", component: "a.b" }),
    `${POST}: attributes.value.component: there is no component a.b`,
  ],
  [
    "a zone of an unknown component",
    value({ type: "dynamiczone", components: ["a.b"] }),
    `${POST}: attributes.value.components: there is no component a.b`,
  ],
  [
    "a component without a table",
    { ...post({}), "src/components/a/b.json": JSON.stringify({ info: { displayName: "b" }, attributes: {} }) },
    "src/components/a/b.json: collectionName: is missing",
  ],
  [
    "a component with a bad attribute",
    { ...post({}), ...componentFile("a.b", { x: { type: "nope" } }) },
    'src/components/a/b.json: attributes.x.type: unknown attribute type "nope"',
  ],
  [
    "a custom field that nobody declares",
    value({ type: "customField", customField: "plugin::x.y" }),
    `${POST}: attributes.value.customField: the type behind plugin::x.y is not known`,
  ],
  [
    "a limit in config/api",
    { ...post({}), "config/api.json": '{"rest":{"defaultLimit":"many"}}' },
    'config/api.json: rest.defaultLimit: must be a number, not "many"',
  ],
  [
    "a config file that throws",
    { ...post({}), "config/api.js": "module.exports = () => { throw new Error('broken') }" },
    "config/api.js: cannot be read (broken)",
  ],
  [
    "an unknown key in config/galley",
    { ...post({}), "config/galley.json": '{"rolls":{}}' },
    "config/galley.json: rolls: ",
  ],
  [
    "two default locales",
    {
      ...post({}),
      "config/galley.json": '{"locales":[{"code":"en","isDefault":true},{"code":"fr","isDefault":true}]}',
    },
    "config/galley.json: locales: exactly one locale",
  ],
  [
    "an unknown action",
    { ...post({}), "config/galley.json": '{"roles":{"public":["api::post.post.fnd"]}}' },
    "config/galley.json: roles.public: there is no action api::post.post.fnd; did you mean api::post.post.find?",
  ],
  [
    "a token without a key",
    { ...post({}), "config/galley.json": '{"tokens":[{"name":"a","type":"read-only"}]}' },
    "config/galley.json: tokens.0: needs either key or keyEnv",
  ],
  [
    "a token whose variable is not set",
    { ...post({}), "config/galley.json": '{"tokens":[{"name":"a","type":"read-only","keyEnv":"NOPE"}]}' },
    "config/galley.json: tokens.0.keyEnv: the environment variable NOPE is not set",
  ],
];

describe("a start is refused for", () => {
  for (const [name, files, message] of cases) {
    test(name, async () => {
      const { root, remove } = projectFolder(files);
      try {
        const error = await createGalley({ project: root, environment: {} }).then(
          async (galley) => galley.close(),
          (reason: Error) => reason,
        );
        expect(String((error as Error | undefined)?.name)).toBe("ProjectError");
        expect((error as Error).message).toContain(message);
      } finally {
        remove();
      }
    });
  }
});

test("what the reference accepts without an effect is accepted", async () => {
  const definition = {
    ...{ kind: "collectionType", info: { ...info, icon: "cube" }, indexes: [], globalId: "Post", config: {} },
    options: { comment: "", timestamps: true, reviewWorkflows: false },
    pluginOptions: { "content-manager": { visible: false } },
    attributes: {
      title: {
        type: "string",
        autoPopulate: true,
        column: { unique: false },
        conditions: { visible: {} },
        visible: false,
      },
      colour: { type: "customField", customField: "plugin::color-picker.color" },
      stars: { type: "customField", customField: "plugin::rating.stars", options: {} },
    },
  };
  const { root, remove } = projectFolder({
    ...raw(definition),
    "config/galley.json": '{"customFields":{"plugin::rating.stars":"integer"}}',
  });
  const galley = await createGalley({ project: root, environment: {} });
  const made = await galley.documents("api::post.post").create({ data: { title: "t", colour: "#fff", stars: "5" } });
  expect(made).toMatchObject({ title: "t", colour: "#fff", stars: 5 });
  await galley.close();
  remove();
});
