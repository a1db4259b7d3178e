/** Which tests `scripts/test.ts` runs once more, and what it prints at the end. */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readRun, Tally, type TestRun } from "../../scripts/test/results.ts";
import { projectFolder } from "../project.ts";

const run = (passed: number, failures: Readonly<Record<string, string[]>> = {}, others: string[] = []): TestRun => ({
  passed,
  failures: new Map(Object.entries(failures)),
  others,
});

test("a run of bun test is read: tests by file, files that cannot be loaded, and a process that ends", async () => {
  const imports = 'import { describe, expect, test } from "bun:test";';
  const folder = projectFolder({
    "test/a.test.ts": `${imports}
      describe("outer <b>", () => describe("inner", () => test('says "no"', () => expect(1).toBe(2))));
      test("fine", () => {});
      test("slow", () => Bun.sleep(5_000), 50);`,
    "test/b.test.ts": `${imports} import "./nothing.ts"; test("never", () => {});`,
  });
  const bunTest = async (...names: readonly string[]): Promise<TestRun> => {
    const xml = join(folder.root, "results.xml");
    writeFileSync(xml, "");
    const child = Bun.spawn(
      [
        process.execPath,
        "test",
        "--reporter=junit",
        `--reporter-outfile=${xml}`,
        "--parallel=2",
        "--no-isolate",
        ...names,
      ],
      { cwd: folder.root, stdout: "pipe", stderr: "pipe" },
    );
    const output = (await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])).join("");
    return readRun(output, await child.exited, await Bun.file(xml).text(), folder.root);
  };
  const both = await bunTest();
  expect(both).toMatchObject({ passed: 1, others: [] });
  expect(Object.fromEntries(both.failures)).toEqual({
    "test/a.test.ts": ['outer <b> > inner > says "no"', "slow"],
    "test/b.test.ts": ["an error outside of its tests"],
  });
  expect(await bunTest("./test/b.test.ts")).toEqual(run(0, { "test/b.test.ts": ["an error outside of its tests"] }));
  writeFileSync(join(folder.root, "test/a.test.ts"), `${imports} test("ends", () => process.exit(3));`);
  const { passed, others } = await bunTest("./test/a.test.ts");
  expect([passed, others.length]).toEqual([0, 1]);
  folder.remove();
}, 120_000);

test("a file that cannot be loaded is the one that its error names, whatever stands above it", () => {
  const output = `test/a.test.ts:
(pass) fine

# Unhandled error between tests
-------------------------------
error: Cannot find module './nothing.ts' from '/work/test/b.test.ts'
-------------------------------

 1 pass
 1 fail
`;
  expect(readRun(output, 1, "", "/work")).toEqual(run(1, { "test/b.test.ts": ["an error outside of its tests"] }));
});

test("a failure that the report does not have counts, and so does an end without results", () => {
  expect(readRun(" 2 pass\n 1 fail\n", 1, "", "/")).toEqual(run(2, {}, ["a test that bun test does not name"]));
  expect(readRun(" 2 pass\n 0 fail\n", 1, "", "/")).toEqual(run(2, {}, ["bun test ended with 1"]));
  expect(readRun("", 0, "", "/")).toEqual(run(0, {}, ["bun test ended with 0"]));
  // a test's own output comes first
  expect(readRun(" 7 fail\n 2 pass\n 0 fail\n", 0, "", "/")).toEqual(run(2));
});

test("each failed file runs once more, and the second run counts", async () => {
  const tally = new Tally();
  const files: string[] = [];
  const second: Readonly<Record<string, TestRun>> = {
    "a.test.ts": run(9),
    "b.test.ts": run(4, { "b.test.ts": ["broken"] }),
    "c.test.ts": run(0, {}, ["bun test ended with 7"]),
  };
  const again = async (file: string): Promise<TestRun> => {
    files.push(file);
    return second[file]!;
  };
  const failures = { "a.test.ts": ["slow", "slower"], "b.test.ts": ["broken", "slow"], "c.test.ts": ["dies"] };
  await tally.countTests(run(100, failures, ["unnamed"]), again, () => false);
  expect(files).toEqual(["a.test.ts", "b.test.ts", "c.test.ts"]);
  expect(tally.passed).toBe(103);
  expect(tally.failures).toEqual(["unnamed", "b.test.ts: broken", "c.test.ts: bun test ended with 7"]);
});

test("what has no time to run once more stays failed", async () => {
  const tally = new Tally();
  let count = 0;
  const again = async (): Promise<TestRun> => run(1);
  await tally.countTests(run(0, { a: ["x"], b: ["y"] }), again, () => count++ > 0);
  expect(tally.passed).toBe(1);
  expect(tally.failures).toEqual(["b: y (did not run once more: the time was over)"]);
});

test("the names of all failures stand directly before the closing line", async () => {
  const tally = new Tally();
  tally.count("types", true);
  tally.count("format and lint", false);
  await tally.countTests(
    run(5, { "a.test.ts": ["broken"] }),
    async () => run(0, { "a.test.ts": ["broken"] }),
    () => false,
  );
  tally.count("executable: is small", false);
  expect(tally.closing.split("\n")).toEqual([
    "FAIL format and lint",
    "FAIL a.test.ts: broken",
    "FAIL executable: is small",
    "6 passed, 3 failed",
  ]);
  expect(new Tally().closing).toBe("0 passed, 0 failed");
});
