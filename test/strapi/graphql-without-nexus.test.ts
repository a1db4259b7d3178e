/** Extensions of GraphQL that need `nexus`, in a project that has not installed it. */
import { expect, test } from "bun:test";
import { createGalley } from "../../src/index.ts";
import { configFile, createCall, projectFolder, serviceFile, typeFile } from "../project.ts";
import { startProblems } from "./start-problems.ts";

const files = {
  ...configFile({ roles: { public: ["api::shop.shop.*"] } }),
  ...serviceFile("shop"),
  ...typeFile("shop", { name: { type: "string" } }),
  "src/index.js": `module.exports = { register({ strapi }) {
    const extension = strapi.plugin("graphql").service("extension");
    extension.use(({ nexus }) => ({ types: [nexus.objectType({ name: "Book", definition() {} })] }));
    extension.use({ typeDefs: "type Query { plain: String }", resolvers: { Query: { plain: () => "served" } }, resolversConfig: { "Query.plain": { auth: false } } });
    extension.use(({ typeRegistry }) => { typeRegistry.register("Mood", {}); return { typeDefs: "type Query { lost: Int }" }; });
    extension.use(({ typeRegistry }) => ({ typeDefs: typeRegistry.has("Mood") ? "type Query { mood: Int }" : "" }));
  } };`,
};

const leftOut = "adds an extension to GraphQL that is left out:";

test("the start names them with the command that installs it", async () => {
  const reason = `${leftOut} the package nexus is not installed (bun add nexus@1.3.0)`;
  expect(await startProblems(files)).toEqual([
    expect.stringMatching(/^src\/index\.js:3:\d+ /),
    expect.stringMatching(/^src\/index\.js:5:\d+ /),
  ]);
  expect((await startProblems(files)).every((problem) => problem.endsWith(reason))).toBe(true);
});

test("the schema is served without them", async () => {
  const { root, remove } = projectFolder(files);
  const galley = await createGalley({ project: root, environment: {} });
  try {
    const { call } = { call: createCall(galley, {}) };
    const { body } = await call("POST", "/graphql", {
      query: "{ plain shops { name } __schema { queryType { fields { name } } } }",
    });
    expect(body.data).toMatchObject({ plain: "served", shops: [] });
    const names = body.data.__schema.queryType.fields.map(({ name }: { name: string }) => name);
    expect(names.filter((name: string) => ["lost", "mood"].includes(name))).toEqual([]);
  } finally {
    await galley.close();
    remove();
  }
});
