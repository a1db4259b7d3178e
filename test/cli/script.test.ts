/** `galley script`: scripts of a project that start it with `createStrapi()`. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROGRAM } from "../program.ts";
import { typeFile } from "../project.ts";

setDefaultTimeout(30_000);

const folder = mkdtempSync(join(tmpdir(), "galley-script-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const files = {
  ...typeFile("note", { title: { type: "string" } }, { draftAndPublish: true }),
  "scripts/seed.js": `
    async function main() {
      const { createStrapi, compileStrapi } = require("@strapi/strapi");
      const app = await createStrapi(await compileStrapi()).load();
      app.log.level = "error";
      const role = await strapi.query("plugin::users-permissions.role").findOne({ where: { type: "public" } });
      for (const title of process.argv.slice(2))
        await strapi.documents("api::note.note").create({ data: { title }, status: "published" });
      console.log(JSON.stringify([role.type, await app.documents("api::note.note").count({ status: "published" })]));
      await app.destroy();
      process.exit(0);
    }
    main();`,
  "scripts/read.ts": `
    import { createStrapi } from "@strapi/strapi";
    const app = await createStrapi({ distDir: "./dist" as string }).load();
    const notes = await app.documents("api::note.note").findMany({ sort: "title" });
    console.log(notes.map(({ title }: { title: string }) => title).join());`,
  "scripts/fails.mjs": `throw new Error("it is broken");`,
};
await Promise.all(Object.entries(files).map(([file, text]) => Bun.write(join(folder, file), text)));

async function script(...args: readonly string[]) {
  const child = Bun.spawn([...PROGRAM, "script", ...args], {
    cwd: folder,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, output: output.trim(), errors };
}

test("a script has the project's strapi, which stores what it writes", async () => {
  const first = await script("scripts/seed.js", "--", "b", "a");
  expect(first).toEqual({ code: 0, output: '["public",2]', errors: "" });
  expect((await script(join(folder, "scripts/seed.js"), folder)).output).toBe('["public",2]');
  // it ends without destroy() and process.exit()
  expect(await script("scripts/read.ts")).toEqual({ code: 0, output: "a,b", errors: "" });
});

test("what fails is an error", async () => {
  const failed = await script("scripts/fails.mjs");
  expect([failed.code, failed.errors]).toEqual([1, expect.stringContaining("it is broken")]);
  expect((await script()).errors).toContain("which script? galley script <file> [project]");
  expect((await script("scripts/none.js")).errors).toContain("there is no file");
  expect((await script("scripts/seed.js", "scripts")).errors).toContain("has no content-types");
});

test("a file as the command runs as on Node.js, with a channel to the process that forked it", async () => {
  await Bun.write(
    join(folder, "jobs/sum.js"),
    `const { strings } = require("@strapi/utils");
     const { suffix } = require("./suffix");
     if (require.main !== module || typeof strapi !== "undefined") process.exit(3);
     process.on("message", (numbers) => {
       process.send({ sum: numbers.reduce((a, b) => a + b, 0), word: strings.nameToSlug(process.argv[2] + suffix) });
       process.disconnect();
     });`,
  );
  await Bun.write(
    join(folder, "jobs/suffix.ts"),
    `export const suffix: string = require.main === module ? "" : " Ends";`,
  );
  const [execPath = "", ...before] = PROGRAM;
  const child = fork(join(folder, "jobs/sum.js"), ["Two Words"], { cwd: folder, execPath, execArgv: before });
  const answer = new Promise((resolve) => child.once("message", resolve));
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  child.send([1, 2]);
  expect(await Promise.race([answer, exited])).toEqual({ sum: 3, word: "two-words-ends" });
  expect(await exited).toBe(0);
});

/** Each file says whether it was started, in all the ways that Node.js has. */
const MAIN_FILES = {
  "main/own.js": `
    const { imported } = require("./imported");
    function isFirst(module) { return module.parent === 1; }
    console.log(JSON.stringify([require.main === module, module === require.main, !module.parent, isFirst({ parent: 1 }),
      require.main.filename === __filename, imported]));`,
  "main/imported.ts": `export const imported: boolean[] = [require.main === module, module !== require.main, import.meta.main];`,
  "main/typed.ts": `
    import { imported } from "./imported";
    export const name = "typed";
    async function main(): Promise<void> { console.log(JSON.stringify([import.meta.main, imported])); }
    if (require.main === module) void main();`,
  "main/mixed.ts": `
    import { imported } from "./imported";
    export type Name = string;
    function pathsOf(modules: { path: string }[]) { return modules.map((module) => module.path); }
    module.exports = { pathsOf };
    console.log(JSON.stringify([require.main === module, !module.parent, pathsOf([{ path: "one" }]), imported]));`,
  "main/module.mjs": `
    import { fileURLToPath } from "node:url";
    import { imported } from "./imported";
    console.log(JSON.stringify([import.meta.main, process.argv[1] === fileURLToPath(import.meta.url), imported]));`,
};

test("the file that is started is the main module, and those that it imports are not", async () => {
  for (const [file, text] of Object.entries(MAIN_FILES)) await Bun.write(join(folder, file), text);
  const imported = [false, true, false];
  const expected = {
    "main/own.js": [true, true, true, true, true, imported],
    "main/typed.ts": [true, imported],
    "main/mixed.ts": [true, true, ["one"], imported],
    "main/module.mjs": [true, true, imported],
  };
  for (const [file, told] of Object.entries(expected)) {
    const output = JSON.stringify(told);
    expect([file, await script(file)]).toEqual([file, { code: 0, output, errors: "" }]);
    const child = Bun.spawn([...PROGRAM, file], { cwd: folder, stdout: "pipe" });
    expect([file, (await new Response(child.stdout).text()).trim()]).toEqual([file, output]);
  }
});

test("a file as the command that fails or does not exist", async () => {
  const run = async (...args: readonly string[]) => {
    const child = Bun.spawn([...PROGRAM, ...args], { cwd: folder, stdout: "ignore", stderr: "pipe" });
    return { errors: await new Response(child.stderr).text(), code: await child.exited };
  };
  const failed = await run("scripts/fails.mjs");
  expect(failed).toMatchObject({ code: 1, errors: expect.stringContaining("it is broken") });
  const absent = await run("scripts/absent.js");
  expect(absent).toMatchObject({ code: 1, errors: expect.stringContaining('unknown command "scripts/absent.js"') });
});
