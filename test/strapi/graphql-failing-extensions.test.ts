/** Extensions of GraphQL that fail: those that stop Strapi, and what is served without them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { runProject } from "../../src/server/running.ts";
import { configFile, projectFolder, serviceFile, typeFile } from "../project.ts";

const added = {
  throws: "() => null.none",
  rejects: 'async () => { throw new Error("no answer"); }',
  unparsable: '{ typeDefs: "type Query { a: " }',
  "unknown type": "{ resolvers: { Nowhere: { a: () => 1 } } }",
  "unknown field": "{ resolvers: { Query: { nowhere: () => 1 } } }",
  "absent policy":
    '{ typeDefs: "type Query { a: Int }", resolvers: { Query: { a: () => 1 } }, resolversConfig: { "Query.a": { auth: false, policies: ["absent"] } } }',
};

const valid = [
  // needs a type of the last one
  '{ typeDefs: "type Query { later: Later }", resolvers: { Query: { later: () => ({ text: "served" }) } }, resolversConfig: { "Query.later": { auth: false } } }',
  'async () => ({ typeDefs: "type Query { promised: Int }" })',
  '{ typeDefs: "type Later { text: String }" }',
];

const filesWith = (extensions: readonly string[]) => ({
  ...configFile({ roles: { public: ["api::shop.shop.*"] } }),
  ...serviceFile("shop"),
  ...typeFile("shop", { name: { type: "string" } }),
  "src/index.js": `module.exports = { register({ strapi }) { const extension = strapi.plugin("graphql").service("extension");
${extensions.map((extension) => `extension.use(${extension});`).join("\n")}
} };`,
});

const options = { memory: true, publicRead: false, environment: {}, watch: false, report: () => {} };
const [first, second, last] = valid as [string, string, string];

describe("where the first start leaves out what fails", () => {
  const { root, remove } = projectFolder(filesWith([first, ...Object.values(added), second, last]));
  let server: Awaited<ReturnType<typeof runProject>>;
  beforeAll(async () => {
    server = await runProject(root, { ...options, skipsFailingCode: true });
  });
  afterAll(async () => {
    await server.close();
    remove();
  });

  test.each([
    [3, "null is not an object"],
    [4, "no answer"],
    [5, "Syntax Error"],
    [6, '"Nowhere" defined in resolvers, but not in schema'],
    [7, "Query.nowhere defined in resolvers, but not in schema"],
    [8, "GraphQL Query.a: Policy absent not found"],
    [9, "it returns a promise"],
  ])("a warning names line %d: %s", (line, message) => {
    const problems = server.project().code!.problems.map(({ file, message }) => `${file} ${message}`);
    expect(problems).toHaveLength(7);
    const start = `src/index.js:${line}:`;
    expect(problems.find((problem) => problem.startsWith(start))).toContain(message);
    expect(problems.find((problem) => problem.startsWith(start))).toContain("an extension to GraphQL that is left out");
  });

  test("the rest is served", async () => {
    const query = "{ later { text } shops { name } __schema { queryType { fields { name } } } }";
    const body = JSON.stringify({ query });
    const headers = { "content-type": "application/json" };
    const response = await server.handle(new Request("http://localhost/graphql", { method: "POST", headers, body }));
    const { data } = (await response.json()) as { data: { __schema: { queryType: { fields: { name: string }[] } } } };
    expect(data).toMatchObject({ later: { text: "served" }, shops: [] });
    const names = data.__schema.queryType.fields.map(({ name }) => name);
    expect(names.filter((name) => ["a", "nowhere", "promised"].includes(name))).toEqual([]);
  });
});

test.each(Object.entries(added))(
  "without leaving anything out, %s ends the start, with file and line",
  async (_, code) => {
    const { root, remove } = projectFolder(filesWith([code, last]));
    const { message } = await runProject(root, options).then(
      (server) => server.close().then(() => new Error("it started")),
      (error: Error) => error,
    );
    remove();
    expect(message).toStartWith("src/index.js:2:");
  },
);
