/** `v4CompatibilityMode`: what its recordings (`gql-v4`) cannot show, such as costs and the project's own resolvers. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { openProject } from "../../../src/server/project/project.ts";
import {
  ADMIN,
  type Body,
  configFile,
  projectFolder,
  relation,
  type TestApp,
  testApp,
  typeFile,
} from "../../project.ts";
import { type Ask, asker, readData } from "./ask.ts";

const REGISTER = `
module.exports = {
  register({ strapi }) {
    const extension = strapi.plugin("graphql").service("extension");
    extension.shadowCRUD("api::tag.tag").field("id").disableOutput();
    extension.use({
      typeDefs: "type Query { ownPages: PageEntityResponseCollection } extend type Page { keys: String }",
      resolvers: {
        Query: {
          ownPages: async () => ({
            nodes: await strapi.documents("api::page.page").findMany({ sort: "title" }),
            info: { args: { start: 0, limit: 1 }, resourceUID: "api::page.page" },
          }),
        },
        Page: { keys: (page) => Object.keys(page).filter((key) => key === "title" || key === "documentId").sort().join() },
      },
    });
  },
};`;

let app: TestApp;
let ask: Ask;
beforeAll(async () => {
  app = await testApp({
    ...configFile({ limits: { values: 2000 } }),
    ...typeFile("tag", { label: { type: "string" } }),
    ...typeFile("page", { title: { type: "string" }, tags: relation("manyToMany", "tag") }),
    "config/plugins.json": JSON.stringify({ graphql: { config: { v4CompatibilityMode: true } } }),
    "src/index.js": REGISTER,
  });
  ask = (query, variables) => asker(app)(query, variables, ADMIN);
  const { a, b } = await readData(
    ask(
      'mutation { a: createTag(data: { label: "a" }) { documentId } b: createTag(data: { label: "b" }) { documentId } }',
    ),
  );
  const tags = [a.documentId, b.documentId];
  for (const title of ["one", "two"])
    await readData(ask("mutation M($data: PageInput!) { createPage(data: $data) { id } }", { data: { title, tags } }));
});
afterAll(() => app.close());

const LIST =
  '{ pages(sort: "title") { title data { title attributes { tags(sort: "label:desc") { data { label } } } } tags { label } } }';
const TAGS = [{ label: "a" }, { label: "b" }];

test("levels share a row, but not the slots of its relations, also when the operation is prepared", async () => {
  const page = (title: string) => ({
    title,
    data: { title, attributes: { tags: [{ data: { label: "b" } }, { data: { label: "a" } }] } },
    tags: TAGS,
  });
  for (let time = 0; time < 3; time++) expect(await readData(ask(LIST))).toEqual({ pages: [page("one"), page("two")] });
});

test("a resolver of the project gets the row, at every level", async () => {
  const { pages } = await readData(
    ask('{ pages(sort: "title") { keys attributes { keys data { keys tags { label } } } } }'),
  );
  const keys = "documentId,title";
  expect(pages[0]).toEqual({ keys, attributes: { keys, data: { keys, tags: TAGS } } });
});

test("collections of the project have data and meta, too", async () => {
  const { ownPages } = await readData(
    ask(
      "{ ownPages { data { attributes { title tags { data { label } } } } meta { pagination { total pageCount } } } }",
    ),
  );
  const page = (title: string) => ({ attributes: { title, tags: TAGS.map((data) => ({ data })) } });
  expect(ownPages).toEqual({ data: [page("one"), page("two")], meta: { pagination: { total: 2, pageCount: 2 } } });
});

test("ids are left out of the schema like attributes", async () => {
  const names = async (type: string) =>
    (await readData(ask(`{ __type(name: "${type}") { fields(includeDeprecated: true) { name } } }`))).__type.fields.map(
      ({ name }: Body) => name,
    );
  expect(await names("Tag")).not.toContain("id");
  expect(await names("Page")).toContain("id");
});

test("levels count as values, and as fields of an operation", async () => {
  const nested = (depth: number): string =>
    depth === 0 ? "title" : `a: data { ${nested(depth - 1)} } b: data { ${nested(depth - 1)} }`;
  expect((await ask(`{ pages { ${nested(8)} } }`)).body.errors).toBeUndefined();
  expect((await ask(`{ pages { ${nested(9)} } }`)).body.errors[0].message).toContain("2000 values");
  const text = `{ pages { ...F0 } } ${Array.from({ length: 24 }, (_, at) => `fragment F${at} on Page { a: data { ...F${at + 1} } b: data { ...F${at + 1} } }`).join(" ")} fragment F24 on Page { title }`;
  expect((await ask(text)).body.errors[0].message).toContain("more than 5000 fields");
});

const isOn = async (config: object, environment: Record<string, string>): Promise<boolean> => {
  const files = {
    ...configFile(),
    ...typeFile("tag", {}),
    "config/plugins.json": JSON.stringify({ graphql: { config } }),
  };
  const { root, remove } = projectFolder(files);
  const project = openProject(root, { memory: true, publicRead: false, environment });
  try {
    return project.settings.graphql.v4CompatibilityMode;
  } finally {
    await project.idle();
    project.close();
    remove();
  }
};

test("the environment switches it on where the configuration says nothing", async () => {
  const environment = { STRAPI_GRAPHQL_V4_COMPATIBILITY_MODE: "true" };
  expect(await isOn({}, {})).toBe(false);
  expect(await isOn({}, environment)).toBe(true);
  expect(await isOn({ v4CompatibilityMode: false }, environment)).toBe(false);
});
