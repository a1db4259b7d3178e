/** What is found in a project without starting it: what a start of the same files refuses, leaves out and warns about. */
import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { problemText } from "../../src/lib/errors.ts";
import { diagnose } from "../../src/server/diagnose.ts";
import { configFile, projectFolder, typeFile } from "../project.ts";
import { brokenProjects, goodFiles } from "./broken-projects.ts";

async function diagnoseFiles(files: Readonly<Record<string, string>>, breakIt: (root: string) => void = () => {}) {
  const { root, remove } = projectFolder(files);
  try {
    breakIt(root);
    const diagnosis = await diagnose(root, {});
    return { ...diagnosis, hasData: existsSync(join(root, ".galley")) };
  } finally {
    remove();
  }
}

/** A relation whose other side has to be there. */
const owner = {
  type: "relation",
  relation: "manyToOne",
  target: "plugin::users-permissions.user",
  inversedBy: "posts",
};

describe("what a start refuses is refused", () => {
  for (const { name, breakIt, tells } of brokenProjects)
    test(name, async () => {
      const { verdict, refused, hasData } = await diagnoseFiles(goodFiles, breakIt);
      expect(verdict).toBe("is refused");
      expect(refused.map(problemText).join("\n")).toContain(tells);
      expect(hasData).toBeFalse();
    });
});

test("all problems are found at once, also beside code that fails", async () => {
  const { verdict, refused, failing, works } = await diagnoseFiles({
    ...typeFile("post", { owner }),
    "config/galley.json": '{ "unknown": 1 }',
    "src/index.js": "module.exports = { bootstrap: () => 1 };",
    "src/api/post/controllers/post.js": 'throw new Error("not today");',
  });
  expect(verdict).toBe("is refused");
  expect(refused.map(({ file, key }) => [file, key])).toEqual(
    expect.arrayContaining([
      ["src/api/post/content-types/post/schema.json", "attributes.owner.inversedBy"],
      ["config/galley.json", expect.anything()],
    ]),
  );
  expect(failing.map(({ file }) => file)).toEqual(["src/api/post/controllers/post.js"]);
  expect(works.map(({ file }) => file)).toEqual(["src/index.js"]);
});

test("an attribute that only code adds is there, as at a start", async () => {
  const { verdict, refused } = await diagnoseFiles({
    ...configFile(),
    ...typeFile("post", { owner }),
    "src/extensions/users-permissions/strapi-server.js": `module.exports = (plugin) => {
      plugin.contentTypes.user.schema.attributes.posts = {
        type: "relation", relation: "oneToMany", target: "api::post.post", mappedBy: "owner",
      };
      return plugin;
    };`,
  });
  expect(refused).toEqual([]);
  expect(verdict).toBe("runs");
});

test("code that fails is told, and hooks are not called", async () => {
  const marker = "diagnosed-bootstrap";
  const { verdict, failing, warnings } = await diagnoseFiles({
    ...goodFiles,
    "config/middlewares.json":
      '["global::own", "global::nowhere", { "name": "strapi::query", "config": { "sorts": 1 } }]',
    "src/index.js": `module.exports = { register() { process.env["${marker}"] = "1"; }, bootstrap() { process.env["${marker}"] = "1"; } };`,
    "src/middlewares/own.js": "module.exports = (",
  });
  expect(verdict).toBe("runs in part");
  expect(failing.map(({ file }) => file)).toEqual(["src/middlewares/own.js"]);
  expect(warnings.map(problemText)).toEqual([
    "config/middlewares: strapi::query: sorts is not used: it has no effect in Galley",
    "config/middlewares: there is no file of global::nowhere: the start ends, unless code adds it",
  ]);
  expect(process.env[marker]).toBeUndefined();
});

test("settings of the files and types of code: warnings of both are kept", async () => {
  const { verdict, warnings } = await diagnoseFiles({
    ...goodFiles,
    "config/plugins.json": '{ "upload": { "config": { "breakpoints": { "large": "wide" } } } }',
    "src/extensions/users-permissions/strapi-server.js": `module.exports = (plugin) => {
      plugin.contentTypes.user.schema.attributes.age = { type: "integer" };
      return plugin;
    };`,
  });
  expect(verdict).toBe("runs");
  expect(warnings.map(({ key }) => key)).toEqual(["breakpoints"]);
});

test("a project without code and without problems", async () => {
  const { verdict, refused, warnings, failing } = await diagnoseFiles(goodFiles);
  expect({ verdict, refused, warnings, failing }).toEqual({
    verdict: "no code",
    refused: [],
    warnings: [],
    failing: [],
  });
});
