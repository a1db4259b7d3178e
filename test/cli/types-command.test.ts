/** `galley types`, `openapi` and `graphql-schema` of projects whose code adds to the schemas. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { PROGRAM } from "../program.ts";
import { projectFolder, typeFile } from "../project.ts";

setDefaultTimeout(30_000);

const project = projectFolder({
  ...typeFile("note", { seo: { type: "component", component: "ext.seo" } }),
  "src/index.js": `console.log("loaded");
    setInterval(() => {}, 1000);
    module.exports = {
      register: ({ strapi }) => strapi.get("components").add({
        "ext.seo": { collectionName: "components_ext_seos", info: { displayName: "Seo" }, attributes: { metaTitle: { type: "string" } } },
      }),
    };`,
});
afterAll(() => project.remove());

test.each([
  ["types", "// Written by galley types"],
  ["openapi", '{\n  "openapi"'],
  ["graphql-schema", ""],
])("galley %s has the components that register adds, and nothing that code prints", async (command, start) => {
  const child = Bun.spawn([...PROGRAM, command, project.root], { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  expect({ code: await child.exited, errors }).toEqual({ code: 0, errors: "loaded\n" });
  expect(output).toStartWith(start);
  expect(output).toContain("metaTitle");
  expect(output).not.toContain("loaded");
});

test("galley openapi names the server that galley serve would be", async () => {
  const child = Bun.spawn([...PROGRAM, "openapi", project.root], {
    stdout: "pipe",
    env: { ...process.env, PORT: "8055" },
  });
  const { servers } = JSON.parse(await new Response(child.stdout).text());
  expect(servers).toEqual([{ url: "http://localhost:8055" }]);
});
