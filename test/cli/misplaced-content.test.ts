/** Content where Galley does not read it: the start says so once, and what to do. */
import { afterAll, expect, test } from "bun:test";
import { PROGRAM } from "../program.ts";
import { componentFile, configFile, projectFolder, typeFile, writeFiles } from "../project.ts";

const { root, remove } = projectFolder({
  ...configFile(),
  ...componentFile("shared.part", { label: { type: "string" } }),
  ...typeFile("post", { title: { type: "string" } }),
  ...typeFile("page", { title: { type: "string" } }, { kind: "singleType" }),
});
afterAll(remove);

/** What is printed until the server has looked at all files, which it does after it listens. */
async function serve(environment: Readonly<Record<string, string>> = {}): Promise<string> {
  const child = Bun.spawn([...PROGRAM, "serve", root, "--port", "0"], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    env: { PATH: process.env.PATH ?? "", HOME: root, ...environment },
    timeout: 60_000,
  });
  const texts = Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  // all files are looked at a moment after the start
  await Bun.sleep(3_000);
  child.kill();
  return (await texts).join("");
}

test("files that are not read are named once, with what they were probably meant to be", async () => {
  writeFiles(root, {
    "content/post/one.yaml": "title: One\n",
    "content/pots/one.yaml": "title: One\n",
    "content/elsewhere/one.yaml": "title: One\n",
    "content/pagge.yaml": "title: One\n",
    "content/posts/one.txt": "title: One\n",
    "content/posts/two.yaml/one.yaml": "title: One\n",
  });
  const output = await serve();
  const lines = output.split("\n").filter((line) => line.includes("content/"));
  expect(lines.sort()).toEqual([
    "warning: content/elsewhere/: is named after no content-type",
    "warning: content/pagge.yaml: is named after no content-type; did you mean page?",
    "warning: content/post/: is named after no content-type; did you mean posts/?",
    "warning: content/posts/one.txt: is not a document, which ends with .yaml, .yml, .md, .json",
    "warning: content/posts/two.yaml/: is a folder, and a document is a file",
    "warning: content/pots/: is named after no content-type; did you mean posts?",
  ]);
});

test("a Strapi project whose content is still in its database", async () => {
  const line = /^no content yet: that of \.tmp\/data\.db comes with strapi export/m;
  expect(await serve()).not.toMatch(line);
  writeFiles(root, { ".tmp/data.db": "" });
  expect(await serve()).toMatch(line);
  writeFiles(root, { "content/posts/one.yaml": "title: One\n" });
  expect(await serve()).not.toMatch(line);
});

test("a number of the environment that is a word", async () => {
  writeFiles(root, {
    "config/api.js": 'module.exports = ({ env }) => ({ rest: { maxLimit: env.int("LIMIT", 10) } });',
  });
  expect(await serve({ LIMIT: "many" })).toContain("rest.maxLimit: must be a number, not NaN; the default is used");
  expect(await serve({ LIMIT: "100" })).not.toContain("rest.maxLimit");
});
