/** `galley doctor`: its exit code and output. */
import { expect, test } from "bun:test";
import { PROGRAM } from "../program.ts";
import { projectFolder, typeFile } from "../project.ts";

async function doctor(files: Readonly<Record<string, string>>, ...args: string[]) {
  const { root, remove } = projectFolder(files);
  const child = Bun.spawn([...PROGRAM, "doctor", root, ...args], {
    stdout: "pipe",
    stderr: "ignore",
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" },
  });
  const output = await new Response(child.stdout).text();
  const code = await child.exited;
  remove();
  return { output, code };
}

/** A relation whose other side has to be there. */
const owner = {
  type: "relation",
  relation: "manyToOne",
  target: "plugin::users-permissions.user",
  inversedBy: "posts",
};

const talkative = { "src/index.js": 'console.log("loaded");\nmodule.exports = { bootstrap() {} };' };
const refused = {
  ...talkative,
  ...typeFile("post", { owner }),
};

test("a project that is refused: exit code 1, and why", async () => {
  const { output, code } = await doctor(refused);
  expect(code).toBe(1);
  expect(output).toContain("attributes.owner.inversedBy: plugin::users-permissions.user has no relation named posts");
  expect(output).toContain("This project does not start.");
  expect(output).not.toContain("all of its code is run");
});

test("--json prints nothing else, whatever the code prints", async () => {
  const { output, code } = await doctor(refused, "--json");
  expect(code).toBe(1);
  const { verdict, refused: problems } = JSON.parse(output) as { verdict: string; refused: { key: string }[] };
  expect(verdict).toBe("is refused");
  expect(problems.map(({ key }) => key)).toEqual(["attributes.owner.inversedBy"]);
});

test("a project that runs: exit code 0", async () => {
  const { output, code } = await doctor({ ...talkative, ...typeFile("post", { title: { type: "string" } }) });
  expect(code).toBe(0);
  expect(output).toContain("This project starts, and all of its code is run.");
});
