/**
 * Schema files with one oddity each, and what Strapi 5.54 said to them when it was asked (`strapi start`, one project per row): the same
 * errors stop a start here, and no others.
 */
import { describe, expect, test } from "bun:test";
import { createGalley } from "../../../src/index.ts";
import { ADMIN, componentFile, configFile, projectFolder, type TestApp, testApp, typeFile } from "../../project.ts";

type Files = Readonly<Record<string, string>>;
type Fields = Readonly<Record<string, unknown>>;
type Case = readonly [name: string, files: Files, data?: Record<string, unknown>];

const FILE = "src/api/thing/content-types/thing/schema.json";
const COMPONENT = "src/components/a/b.json";
const text = { type: "string" };
const info = { singularName: "thing", pluralName: "things", displayName: "Thing" };
const schema = { kind: "collectionType", collectionName: "things", info, attributes: { name: text } };
const componentSchema = { collectionName: "components_a_bs", info: { displayName: "b" }, attributes: { x: text } };

const raw = (content: string): Files => ({ [FILE]: content });
/** Undefined values are left out. */
const thing = (attributes: Fields, more: Fields = {}): Files =>
  raw(JSON.stringify({ ...schema, attributes: { name: text, ...attributes }, ...more }));
const value = (definition: unknown): Files => thing({ value: definition });
const named = (more: Fields): Files => thing({}, { info: { ...info, ...more } });
const relation = (more: Fields): Files =>
  value({ type: "relation", relation: "oneToOne", target: "api::thing.thing", ...more });
const component = (definition: Fields): Files => ({
  ...value({ type: "component", component: "a.b" }),
  ...componentFile("a.b", { x: text, ...definition } as never),
});
const componentOf = (definition: unknown): Files => ({
  ...value({ type: "component", component: "a.b" }),
  [COMPONENT]: JSON.stringify(definition),
});
const beside = (file: string, content: string): Files => ({ ...thing({}), [file]: content });
const extension = (content: string): Files =>
  beside("src/extensions/users-permissions/content-types/user/schema.json", content);
const other = (more: Fields, singular = "other"): Files => ({
  [`src/api/other/content-types/${singular}/schema.json`]: JSON.stringify({
    ...schema,
    collectionName: "others",
    info: { singularName: singular, pluralName: "others", displayName: "Other" },
    ...more,
  }),
});
const enumeration = (values: unknown): Files => value({ type: "enumeration", enum: values });
const componentEnumeration = (values: unknown): Files => component({ y: { type: "enumeration", enum: values } });
const zone = (components: unknown): Files => ({
  ...value({ type: "dynamiczone", components }),
  ...componentFile("c.d", { x: text } as never),
});

/** Names of attributes that Strapi stores, returns and, except for the syntax of parameters, filters by. */
const NAMES = [
  ...[
    "og:title",
    "a.b",
    "a,b",
    "a*b",
    "a b",
    "a-b",
    "a[b]",
    "a{b}",
    'a"b',
    "a'b",
    "a`b",
    "a\\b",
    "a/b",
    "a$b",
    "$a",
    "$and",
  ],
  ...[
    "__a",
    "_a",
    "1a",
    "é",
    "日本",
    "a\u0001b",
    "a\nb",
    "a#b",
    "a@b",
    "a?b",
    "a&b",
    "a=b",
    "a%b",
    "a+b",
    "a|b",
    "a(b)",
  ],
  ...[
    "a;b",
    "a!b",
    "x".repeat(60),
    "x".repeat(101),
    "constructor",
    "toString",
    "prototype",
    "__component",
    "__type",
    "nAme",
  ],
  ...["select", "order", "then", "meta", "sort", "filters", "status", "entryId", "componentValue"],
];
const RESERVED_NAMES = [
  "id",
  "Id",
  "documentId",
  "document_id",
  "",
  " ",
  "+",
  "created_at",
  "created_by_id",
  "Name",
  "NAME",
];

const starts: readonly Case[] = [
  ...NAMES.map((name): Case => [`attribute ${JSON.stringify(name)}`, thing({ [name]: text }), { [name]: "v" }]),
  ...["og:title", "a.b", "$a", "a,b", "__a"].map(
    (name): Case => [`component attribute ${name}`, component({ [name]: text }), { value: { [name]: "v", x: "y" } }],
  ),
  ...["og:image", "a.b"].flatMap((name): Case[] => [
    [`relation ${name}`, thing({ [name]: { type: "relation", relation: "oneToOne", target: "api::thing.thing" } })],
    [`media ${name}`, thing({ [name]: { type: "media" } })],
    [`enumeration ${name}`, thing({ [name]: { type: "enumeration", enum: ["a"] } }), { [name]: "a" }],
    [
      `zone ${name}`,
      {
        ...thing({ [name]: { type: "dynamiczone", components: ["c.d"] } }),
        ...componentFile("c.d", { x: text } as never),
      },
      { [name]: [{ __component: "c.d", x: "y" }] },
    ],
  ]),
  ["attribute __proto__", raw(JSON.stringify(schema).replace('"name":{', '"__proto__":{"type":"string"},"name":{'))],
  ...["createdAt", "updatedBy", "publishedAt", "locale", "localizations"].map(
    (name): Case => [`attribute ${name}`, thing({ [name]: text })],
  ),
  ["no values", enumeration([])],
  ["values of two cases", enumeration(["A", "a"])],
  ["values in another script", enumeration(["Привет", "Мир"])],
  ["values that are words of GraphQL", enumeration(["true", "false", "null"])],
  ...(
    [[], "a,b", [1, 2], { a: 1 }, [null, "a"], [true], ["", "a"], ["1st"], ["a", "a"], ["a b", "a-b"], [["a"]]] as const
  ).map((values): Case => [`values of a component: ${JSON.stringify(values)}`, componentEnumeration(values)]),
  ["a zone of a missing component", zone(["a.b"])],
  ["a zone with a missing component", zone(["a.b", "c.d"]), { value: [{ __component: "c.d", x: "y" }] }],
  ["a zone without a list", zone(undefined)],
  ["a zone of none", zone([])],
  ["a zone of null", zone(null)],
  ["a zone of numbers", zone([5])],
  ["a zone with a text", zone("c.d")],
  ["a zone with an object", zone({})],
  ["a zone with a component twice", zone(["c.d", "c.d"]), { value: [{ __component: "c.d", x: "y" }] }],
  ["a side that is the other side", relation({ inversedBy: "value" })],
  ["both sides", relation({ inversedBy: "value", mappedBy: "value" })],
  ["a missing inverse side", relation({ mappedBy: "back" })],
  ["a scalar as the inverse side", relation({ mappedBy: "name" })],
  ["a table with Galley's prefix", thing({}, { collectionName: "galley_things" })],
  ["a table that is Galley's", thing({}, { collectionName: "galley_links" })],
  ["a number as the table", thing({}, { collectionName: 5 })],
  ["no table", thing({}, { collectionName: undefined })],
  ["an empty table", thing({}, { collectionName: "" })],
  ["an unknown kind", thing({}, { kind: "many" })],
  ["no attributes", thing({}, { attributes: {} })],
  ["draftAndPublish that is a text", thing({}, { options: { draftAndPublish: "yes" } })],
  ["a byte order mark", raw(`\uFEFF${JSON.stringify(schema)}`)],
  ["a component without attributes", componentOf({ ...componentSchema, attributes: {} })],
  ["a component without info", componentOf({ ...componentSchema, info: undefined }), { value: { x: "y" } }],
  ["a component without a name", componentOf({ ...componentSchema, info: {} }), { value: { x: "y" } }],
  ["an index of an unknown type", thing({}, { indexes: [{ name: "i", columns: ["name"], type: "nope" }] })],
  ["a table of migrations", thing({}, { collectionName: "strapi_migrations" })],
  ["a custom field without a scope", value({ type: "string", customField: "colour" })],
  ...["src/api/Thing/content-types/thing", "src/api/thing/content-types/Thing"].map(
    (folder): Case => [`another folder ${folder}`, beside(`${folder}/schema.json`, JSON.stringify(schema))],
  ),
  ...["src/components/a/b.js", "src/components/a/B.js", "src/components/A/b.js"].map(
    (file): Case => [
      `a component with another file ${file}`,
      { ...component({}), [file]: `module.exports = { attributes: { y: { type: "string" } } };` },
      { value: { x: "v", y: "w" } },
    ],
  ),
];

const refuses: readonly Case[] = [
  ...RESERVED_NAMES.map((name): Case => [`attribute ${JSON.stringify(name)}`, thing({ [name]: text })]),
  ["component attribute id", component({ id: text })],
  ...["colour", "number", "String", "constructor", "", 5, null].map(
    (type): Case => [`attribute type ${type}`, value({ type })],
  ),
  ["an attribute without a type", value({})],
  ["an attribute that is null", value(null)],
  ...(
    [
      undefined,
      null,
      "a,b",
      [1],
      { a: 1 },
      [null],
      [true],
      [""],
      [" "],
      ["1st"],
      ["16:9"],
      ["a", "a"],
      ["a b", "a-b"],
    ] as const
  ).map((values): Case => [`values ${JSON.stringify(values)}`, enumeration(values)]),
  ["values that are symbols", enumeration(["+", "a"])],
  ["values that are equal without accents", enumeration(["é", "e"])],
  ["no values of a component", componentEnumeration(undefined)],
  ["an unknown relation", relation({ relation: "oneToFew" })],
  ["no relation", relation({ relation: undefined })],
  ["a relation to nothing", relation({ target: "api::nope.nope" })],
  ["a polymorphic relation to nothing", relation({ relation: "morphToMany", target: "api::nope.nope" })],
  ["an owner without the other side", relation({ inversedBy: "back" })],
  ["an owner with a scalar as the other side", relation({ inversedBy: "name" })],
  ["oneToMany as an owner", relation({ relation: "oneToMany", inversedBy: "back" })],
  ["manyToOne as the other side", relation({ relation: "manyToOne", mappedBy: "back" })],
  ["an unknown component", value({ type: "component", component: "a.b" })],
  ["no component", value({ type: "component" })],
  ...["files", "strapi_core_store_settings", "files_related_mph"].map(
    (table): Case => [`the table ${table}`, thing({}, { collectionName: table })],
  ),
  ...[
    { name: "i", columns: ["name"] },
    [{ name: "i", columns: ["nope"] }],
    [{ name: "i", columns: [] }],
    [{ name: "i" }],
    [{ columns: ["name"] }],
    [
      { name: "i", columns: ["name"] },
      { name: "i", columns: ["created_at"] },
    ],
  ].map((indexes): Case => [`the indexes ${JSON.stringify(indexes)}`, thing({}, { indexes })]),
  ["a table of SQLite", thing({}, { collectionName: "sqlite_things" })],
  ["a table twice", { ...thing({}), ...other({ collectionName: "things" }) }],
  ["no info", thing({}, { info: undefined })],
  ...["singularName", "pluralName", "displayName"].flatMap((key): Case[] => [
    [`no ${key}`, named({ [key]: undefined })],
    [`an empty ${key}`, named({ [key]: "" })],
  ]),
  ...["Things", "two words", "2things", "things-"].map(
    (name): Case => [`a plural ${name}`, named({ pluralName: name })],
  ),
  ["a singular that is the plural", named({ pluralName: "thing" })],
  ["a plural twice", { ...thing({}), ...other({ info: { ...info, singularName: "other" } }) }],
  ["JSON that is none", beside("src/api/other/content-types/other/schema.json", '{"kind": }')],
  ["an empty file", beside("src/api/other/content-types/other/schema.json", "")],
  ["null", raw("null")],
  ["an empty schema", raw("{}")],
  ["a folder without a schema", beside("src/api/other/content-types/other/other.json", "{}")],
  ["a component without a table", componentOf({ ...componentSchema, collectionName: undefined })],
  ["a component that is not JSON", { ...thing({}), [COMPONENT]: "{" }],
  ["an extension that is not JSON", extension("{")],
  ["an extension that is null", extension("null")],
];

/** What plugins add that are not part of Galley may be there in Strapi, so that such relations are left out with a warning. */
const leftOut: readonly Case[] = ["plugin::shop.cart", "admin::nope", "strapi::nope"].map(
  (target): Case => [`a relation to ${target}`, relation({ target })],
);

const errorOf = async (files: Files): Promise<string | undefined> => {
  const { root, remove } = projectFolder({ ...configFile(), ...files });
  try {
    const galley = await createGalley({ project: root, environment: {} });
    await galley.close();
    return undefined;
  } catch (error) {
    return (error as Error).name;
  } finally {
    remove();
  }
};

async function inApp(files: Files, use: (app: TestApp) => Promise<void>): Promise<void> {
  const app = await testApp(files);
  try {
    await use(app);
  } finally {
    await app.close();
  }
}

describe("Strapi starts, and stores what it is sent:", () => {
  for (const [name, files, data = {}] of [...starts, ...leftOut]) {
    test(name, () =>
      inApp(files, async ({ call, handle }) => {
        expect((await call("POST", "/api/things", { data })).status).toBe(201);
        const { status, body } = await call("GET", "/api/things?populate=*");
        expect([status, body.data]).toEqual([200, [expect.objectContaining({})]]);
        for (const [key, expected] of Object.entries(data)) {
          const stored = [body.data[0][key]].flat()[0];
          if (typeof expected === "string") expect(stored).toBe(expected);
          else expect(stored).toMatchObject([expected].flat()[0] as object);
        }
        const query = JSON.stringify({ query: "{things{documentId} __schema{types{name fields{name}}}}" });
        const headers = { ...ADMIN, "content-type": "application/json" };
        const response = await handle(
          new Request("http://localhost/graphql", { method: "POST", headers, body: query }),
        );
        const { documentId } = body.data[0];
        expect(await response.json()).toMatchObject({ data: { things: [{ documentId }] } });
      }),
    );
  }
});

describe("Strapi does not start:", () => {
  for (const [name, files] of refuses) test(name, async () => expect(await errorOf(files)).toBe("ProjectError"));
});

test("parameters name attributes as in Strapi", async () => {
  const filterOf = async (name: string): Promise<unknown> => {
    let status: unknown;
    await inApp(typeFile("thing", { [name]: text } as never), async ({ call }) => {
      await call("POST", "/api/things", { data: { [name]: "v" } });
      const key = encodeURIComponent(name);
      const { body, status: code } = await call(
        "GET",
        `/api/things?filters[${key}][$eq]=v&fields[0]=${key}&sort=${key}`,
      );
      status = code === 200 ? body.data[0][name] : body.error.message;
    });
    return status;
  };
  for (const name of [
    "a*b",
    "a b",
    "a{b}",
    'a"b',
    "a'b",
    "a`b",
    "a\\b",
    "$a",
    "__a",
    "a\u0001b",
    "__component",
    "x".repeat(101),
  ])
    expect([name, await filterOf(name)]).toEqual([name, "v"]);
  for (const [name, key] of [
    ["og:title", "og"],
    ["a.b", "a"],
    ["a,b", "a"],
  ] as const)
    expect([name, await filterOf(name)]).toEqual([name, `Invalid key ${key}`]);
}, 30_000);
