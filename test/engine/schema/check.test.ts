/** Every rule that refuses a start names the file, the key and the reason. */
import { describe, expect, test } from "bun:test";
import { createGalley } from "../../../src/index.ts";
import { type ProjectError, problemText } from "../../../src/lib/errors.ts";
import { createApp } from "../../../src/server/app.ts";
import { openProject } from "../../../src/server/project/project.ts";
import { componentFile, projectFolder, testApp, typeFile } from "../../project.ts";

const POST = "src/api/post/content-types/post/schema.json";
const post = (attributes: Record<string, Record<string, unknown>>) => typeFile("post", attributes);
const raw = (definition: unknown) => ({
  [POST]: typeof definition === "string" ? definition : JSON.stringify(definition),
});
const info = { singularName: "post", pluralName: "posts", displayName: "Post" };
const value = (definition: Record<string, unknown>) => post({ value: definition });

const token = (name: string) => ({ name, type: "read-only", key: "k" });
const user = (username: string) => ({ username, email: "a@example.com" });

const cases: readonly (readonly [name: string, files: Record<string, string>, message: string])[] = [
  ["a file that is not JSON", raw('{"kind": }'), `${POST}: is not valid JSON`],
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
    "a folder called otherwise",
    raw({ info: { ...info, singularName: "story" }, attributes: {} }),
    `${POST}: info.singularName: the type's folder must be called as its singularName; found post and story`,
  ],
  [
    "a plural that is not in kebab-case",
    raw({ info: { ...info, pluralName: "Posts" }, attributes: {} }),
    `${POST}: info.pluralName: must be in kebab-case, not "Posts"`,
  ],
  [
    "the administrators' table",
    typeFile("post", {}, { collectionName: "admin_users" }),
    `collectionName: "admin_users" must be unique; admin::user uses it too`,
  ],
  ["a name that is taken", { ...post({}), ...typeFile("posts", {}) }, `"posts" must be unique`],
  [
    "a table that is taken",
    { ...post({}), ...typeFile("other", {}, { collectionName: "posts" }) },
    `collectionName: "posts" must be unique`,
  ],
  [
    "a reserved table",
    typeFile("post", {}, { collectionName: "sqlite_x" }),
    `${POST}: collectionName: "sqlite_x" begins with a reserved prefix`,
  ],
  ["an attribute without a type", post({ value: {} }), `${POST}: attributes.value.type: is missing`],
  [
    "an unknown attribute type",
    value({ type: "colour" }),
    `${POST}: attributes.value.type: unknown attribute type "colour"`,
  ],
  [
    "a misspelt attribute type",
    value({ type: "sting" }),
    `${POST}: attributes.value.type: unknown attribute type "sting"; did you mean string?`,
  ],
  [
    "a misspelt target",
    value({ type: "relation", relation: "oneToOne", target: "api::psot.post" }),
    `${POST}: attributes.value.target: there is no content-type api::psot.post; did you mean api::post.post?`,
  ],
  ["a reserved name", post({ documentId: { type: "string" } }), `${POST}: attributes.documentId: the name is reserved`],
  [
    "two names of one column",
    post({ subTitle: { type: "string" }, sub_title: { type: "string" } }),
    `${POST}: attributes.sub_title: has the same column "sub_title" as the attribute subTitle`,
  ],
  ["an enumeration without values", value({ type: "enumeration" }), `${POST}: attributes.value.enum: is missing`],
  [
    "a value that begins with a number",
    value({ type: "enumeration", enum: ["1st"] }),
    `${POST}: attributes.value.enum: invalid value "1st"`,
  ],
  [
    "values that collide",
    value({ type: "enumeration", enum: ["a b", "a-b"] }),
    `${POST}: attributes.value.enum: "a-b" and another value have the same name in GraphQL, a_b`,
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
    "an unknown component",
    value({ type: "component", component: "a.b" }),
    `${POST}: attributes.value.component: there is no component a.b`,
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
    "a lifespan in config/galley.json",
    { ...post({}), "config/galley.json": '{"auth":{"jwt":{"expiresIn":"long"}}}' },
    "config/galley.json: auth.jwt.expiresIn",
  ],
  [
    "a config file that throws",
    { ...post({}), "config/api.js": "module.exports = () => { throw new Error('broken') }" },
    "config/api.js: cannot be read (broken)",
  ],
  [
    "an unknown key in config/galley",
    { ...post({}), "config/galley.json": '{"rolez":{}}' },
    "config/galley.json: rolez: is not a known key; did you mean roles?",
  ],
  [
    "an unknown type of a token",
    { ...post({}), "config/galley.json": '{"tokens":[{"name":"a","type":"readonly","key":"k"}]}' },
    "config/galley.json: tokens.0.type: must be one of full-access, read-only, custom, admin",
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
  [
    "a token whose key no header can have",
    { ...post({}), "config/galley.json": '{"tokens":[{"name":"a","type":"read-only","key":"two words"}]}' },
    "config/galley.json: tokens.0: the key has white space, so that no request could send it",
  ],
  ...(
    [
      ["two tokens of a key", { tokens: [token("a"), token("b")] }, 'tokens.1: has the key of the token "a"'],
      ["two tokens of a name", { tokens: [token("a"), token("a")] }, "tokens.1.name: is that of tokens.0, too"],
      ["two users of an address", { users: [user("a"), user("b")] }, "users.1.email: is that of users.0, too"],
      ["two users of a name", { users: [user("a"), user("a")] }, "users.1.username: is that of users.0, too"],
      [
        "an attribute of a user that is not set here",
        { users: [{ ...user("a"), age: 3 }] },
        "users.0.age: is not a known key",
      ],
      [
        "a misspelt role of a user",
        { roles: { editor: [] }, users: [{ ...user("a"), role: "edtor" }] },
        "users.0.role: there is no role edtor; did you mean editor?",
      ],
      [
        "a misspelt role of new users",
        { auth: { defaultRole: "authentcated" } },
        "auth.defaultRole: there is no role authentcated; did you mean authenticated?",
      ],
      ["a name of a size that no file can have", { upload: { breakpoints: { "1x": 3 } } }, "breakpoints.1x: is not a"],
      [
        "a URL for a host",
        { webhooks: { hosts: ["http://x"] } },
        "webhooks.hosts.0: must be a host, with or without a",
      ],
      [
        "a text for cache tags",
        { cacheTags: "x" },
        "cacheTags: must be true, false, or an object with headers and bytes",
      ],
    ] as const
  ).map(
    ([name, settings, message]) =>
      [name, { ...post({}), "config/galley.json": JSON.stringify(settings) }, message] as const,
  ),
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

const relation = (kind: string, more: Record<string, unknown>) => ({
  value: { type: "relation", relation: kind, target: "api::post.post", ...more },
});

const warned: readonly (readonly [name: string, files: Record<string, string>, message: string])[] = [
  [
    "an unknown kind",
    raw({ kind: "many", info, attributes: {} }),
    `${POST}: kind: must be one of collectionType, singleType, not "many"`,
  ],
  [
    "a limit that is not a number",
    value({ type: "string", maxLength: "ten" }),
    `${POST}: attributes.value.maxLength: `,
  ],
  ["a pattern that does not compile", value({ type: "string", regex: "(" }), `${POST}: attributes.value.regex: `],
  ["a flag that is none", value({ type: "string", required: "yes" }), `${POST}: attributes.value.required: `],
  [
    "a uid of a missing attribute",
    value({ type: "uid", targetField: "title" }),
    `${POST}: attributes.value.targetField: must name a string or text attribute`,
  ],
  [
    "sides that do not name each other",
    post({
      ...relation("oneToMany", { mappedBy: "back" }),
      back: { type: "relation", relation: "manyToOne", target: "api::post.post", inversedBy: "other" },
      other: { type: "relation", relation: "oneToMany", target: "api::post.post", mappedBy: "back" },
    }),
    `attributes.value.mappedBy: api::post.post.back does not say "inversedBy": "value"; the relation stays empty`,
  ],
  [
    "an owner that is not named",
    post({ ...relation("oneToOne", { inversedBy: "back" }), back: { ...relation("oneToOne", {}).value } }),
    'inversedBy: api::post.post.back names no other side where it should say "mappedBy": "value"; they are served as two',
  ],
  [
    "a side that is not there",
    post(relation("oneToMany", { mappedBy: "none" })),
    "mappedBy: api::post.post has no relation named none; the relation stays empty",
  ],
  [
    "administrators, who have no attributes of the project",
    value({ type: "relation", relation: "oneToMany", target: "admin::user", mappedBy: "posts" }),
    "attributes.value.mappedBy: administrators have no such relation; it stays empty",
  ],
  [
    "a plugin's type",
    value({ type: "relation", relation: "oneToOne", target: "plugin::shop.cart" }),
    "attributes.value.target: plugin::shop.cart is not there; the attribute is left out",
  ],
  [
    "a custom field that nobody declares",
    value({ type: "customField", customField: "plugin::x.y" }),
    `${POST}: attributes.value.customField: the type behind plugin::x.y is not known; it is stored as text`,
  ],
  [
    "a component's values that are not names",
    { ...post({}), ...componentFile("a.b", { ratio: { type: "enumeration", enum: ["16:9"] } }) },
    'src/components/a/b.json: attributes.ratio.enum: "16:9" is not a name in GraphQL',
  ],
  [
    "kinds of files that there are not",
    value({ type: "media", allowedTypes: ["image"] }),
    `${POST}: attributes.value.allowedTypes.0: must be one of images, videos, files, audios, not "image"`,
  ],
  [
    "a misspelt key of an attribute",
    value({ type: "string", requird: true }),
    `${POST}: attributes.value.requird: is not a known key; did you mean required?`,
  ],
  [
    "a misspelt option",
    typeFile("post", {}, { options: { draftAndPublsh: true } }),
    `${POST}: options.draftAndPublsh: is not a known key; did you mean draftAndPublish?`,
  ],
  [
    "a misspelt key of a file",
    Object.fromEntries(Object.entries(post({})).map(([file, text]) => [file, text.replace('"options":', '"option":')])),
    `${POST}: option: is not a known key; did you mean options?`,
  ],
  [
    "a schema that is not in its folder",
    { ...post({}), "src/api/page/schema.json": "{}" },
    "src/api/page/schema.json: is not read; a content-type is src/api/page/content-types/<name>/schema.json",
  ],
  [
    "a component without a category",
    { ...post({}), "src/components/seo.json": "{}" },
    "src/components/seo.json: is not read; a component is src/components/<category>/<name>.json",
  ],
  [
    "a zone of an unknown component",
    value({ type: "dynamiczone", components: ["a.b"] }),
    `${POST}: attributes.value.components: there is no component a.b; it is left out`,
  ],
  [
    "a name with syntax",
    post({ "og:title": { type: "string" } }),
    `${POST}: attributes.og:title: is not part of GraphQL`,
  ],
];

describe("served with a warning:", () => {
  for (const [name, files, message] of warned) {
    test(name, async () => {
      const { root, remove } = projectFolder(files);
      const project = openProject(root, { memory: true, publicRead: true, environment: {} });
      expect(project.warnings.map(problemText).join("\n")).toContain(message);
      const response = await createApp(project).handle(new Request("http://localhost/api/posts?populate=*"));
      expect(response.status).toBe(200);
      await project.close();
      remove();
    });
  }
});

test("the kind of a component is not checked", async () => {
  const component = { kind: "component", collectionName: "components_a_bs", attributes: {} };
  const { root, remove } = projectFolder({ ...post({}), "src/components/a/b.json": JSON.stringify(component) });
  const project = openProject(root, { memory: true, publicRead: true, environment: {} });
  expect(project.warnings).toEqual([]);
  await project.close();
  remove();
});

test("a relation to a type whose file cannot be read is no problem of its own", () => {
  const target = "src/api/tag/content-types/tag/schema.json";
  const { root, remove } = projectFolder({
    ...post({ tag: { type: "relation", relation: "oneToOne", target: "api::tag.tag" } }),
    [target]: "{",
  });
  expect(() => openProject(root, { memory: true, publicRead: true, environment: {} })).toThrow(
    new RegExp(`^${target}: is not valid JSON[^\\n]*$`),
  );
  remove();
});

test("all problems are reported at once, each once", () => {
  const { root, remove } = projectFolder({
    ...post({ one: { type: "nope" }, two: { type: "relation", relation: "oneToFew" }, documentId: { type: "string" } }),
    ...typeFile("page", { three: { type: "enumeration" } }),
    "src/api/bad/content-types/bad/schema.json": "{",
    "config/middlewares.json": "{}",
    "config/server.json": "{",
    "config/galley.json": '{"rolls":{}}',
  });
  let problems: readonly string[] = [];
  try {
    openProject(root, { memory: true, publicRead: false, environment: {} });
  } catch (error) {
    problems = (error as ProjectError).problems.map(problemText);
  }
  remove();
  for (const part of [
    "one.type",
    "two.relation",
    "documentId",
    "three.enum",
    "bad/schema.json",
    "config/middlewares.json",
    "config/server.json",
    "rolls",
  ])
    expect(problems.filter((problem) => problem.includes(part))).toHaveLength(1);
  expect(problems).toHaveLength(8);
});

test("warnings are kept for starts that find the files unchanged", async () => {
  const { root, remove } = projectFolder(value({ type: "string", maxLength: "ten" }));
  const options = { memory: false, publicRead: false, environment: {} };
  const first = openProject(root, options);
  await first.close();
  const second = openProject(root, options);
  expect(second.warnings).toHaveLength(1);
  expect(second.warnings).toEqual(first.warnings);
  await second.close();
  remove();
});

test("flags and limits count as Strapi takes them", async () => {
  const app = await testApp(
    typeFile("post", { title: { type: "string", required: "yes", minLength: "2", maxLength: "ten", regex: 5 } }),
  );
  const create = async (data: object) => (await app.call("POST", "/api/posts", { data })).body;
  expect((await create({})).error.message).toBe("title must be defined.");
  expect((await create({ title: "5" })).error.message).toBe("title must be at least 2 characters");
  expect((await create({ title: "abc" })).error.message).toBe('title must match the following: "/5/"');
  expect((await create({ title: "a text of 5 words, longer than ten" })).data.title).toContain("words");
  await app.close();
});

test("what Strapi accepts without an effect is accepted", async () => {
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

test("the time to check an enumeration grows with its values, not with their square", async () => {
  const word = (number: number): string => String(number).replaceAll(/\d/g, (digit) => "abcdefghij"[Number(digit)]!);
  const values = Array.from({ length: 1_000 }, (_, index) => `value ${word(index)}`);
  const { close } = await testApp(value({ type: "enumeration", enum: values }));
  await close();
}, 15_000);
