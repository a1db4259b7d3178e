import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { embedData } from "../../scripts/embed-data.ts";
import { ProjectError } from "../../src/lib/errors.ts";
import { readStarterFolder, writeStarter } from "../../src/server/starter.ts";

const work = mkdtempSync(join(tmpdir(), "galley-starter-"));
afterAll(() => rmSync(work, { recursive: true }));
let folder = "";
let count = 0;
beforeEach(() => {
  folder = join(work, `project-${++count}`);
});

const expectStarterIn = (root: string): void => {
  const written = readStarterFolder(root);
  const starter = readStarterFolder();
  expect([...written.keys()]).toEqual([...starter.keys()]);
  for (const [name, content] of starter) expect([name, Buffer.compare(content, written.get(name)!)]).toEqual([name, 0]);
};

describe("writing the starter", () => {
  test("makes the folder and writes every file as it is", async () => {
    const names = await writeStarter(join(folder, "deeper"));
    expect(names).toContain("src/api/article/content-types/article/schema.json");
    expect(names).toContain("public/uploads/.gitkeep");
    expectStarterIn(join(folder, "deeper"));
  });

  test("leaves other files of the folder alone", async () => {
    mkdirSync(folder);
    writeFileSync(join(folder, "notes.txt"), "mine");
    await writeStarter(folder);
    expect(readFileSync(join(folder, "notes.txt"), "utf8")).toBe("mine");
  });

  test("is refused where a file exists already, and nothing is written", async () => {
    mkdirSync(join(folder, "config"), { recursive: true });
    for (const name of ["README.md", "config/galley.json"]) writeFileSync(join(folder, name), "mine");
    const error: unknown = await writeStarter(folder).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ProjectError);
    expect(String(error)).toEndWith(
      "README.md: exists already, and so does 1 more file of the starter; nothing was written (galley init <folder> writes into another one)",
    );
    expect(readdirSync(folder).sort()).toEqual(["README.md", "config"]);
    expect(readFileSync(join(folder, "README.md"), "utf8")).toBe("mine");
  });

  test("is refused where a file is in the place of a folder", async () => {
    mkdirSync(folder);
    writeFileSync(join(folder, "src"), "a file where a folder is needed");
    await expect(writeStarter(folder)).rejects.toThrow(`${join(folder, "src")}: is not a folder; nothing was written`);
    expect(readdirSync(folder)).toEqual(["src"]);
    await expect(writeStarter(join(folder, "src"))).rejects.toThrow("is not a folder");
  });

  test.skipIf(process.platform === "win32" || process.getuid?.() === 0)(
    "that fails half way takes back what it wrote, and its folders",
    async () => {
      mkdirSync(join(folder, "src"), { recursive: true });
      chmodSync(join(folder, "src"), 0o555);
      await expect(writeStarter(folder)).rejects.toThrow(`${folder}: cannot be written`);
      expect(readdirSync(folder)).toEqual(["src"]);
    },
  );
});

test("what a served starter makes is not a part of it", () => {
  const root = join(folder, "served");
  const made = [".galley/content.db", ".env", "public/uploads/cover.jpg"];
  const own = ["README.md", "public/uploads/.gitkeep", "public/robots.txt"];
  for (const name of [...made, ...own]) {
    mkdirSync(join(root, name, ".."), { recursive: true });
    writeFileSync(join(root, name), "");
  }
  expect([...readStarterFolder(root).keys()]).toEqual(own.sort());
});

test("an executable carries the starter", async () => {
  await embedData();
  const program = join(work, "program.ts");
  const executable = join(work, process.platform === "win32" ? "program.exe" : "program");
  const source = join(import.meta.dir, "../../src/server/starter.ts");
  await Bun.write(
    program,
    `import { writeStarter } from ${JSON.stringify(source)};
     writeStarter(process.argv[2]!).then((names) => console.log(names.length));`,
  );
  const build = Bun.spawnSync([
    process.execPath,
    "build",
    "--compile",
    "--minify",
    "--bytecode",
    program,
    "--outfile",
    executable,
  ]);
  expect([build.exitCode, build.stderr.toString()]).toEqual([0, expect.any(String)]);
  const run = Bun.spawnSync([executable, folder], { cwd: work });
  expect([run.exitCode, run.stderr.toString()]).toEqual([0, ""]);
  expect(Number(run.stdout.toString())).toBe(readStarterFolder().size);
  expect(existsSync(join(folder, "config/galley.json"))).toBe(true);
  expectStarterIn(folder);
}, 180_000);
