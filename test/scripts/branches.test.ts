/** The search for what leaks between branches, in short. */
import { expect, test } from "bun:test";
import { join } from "node:path";

test("documents, files, users, counted attempts and failures of one branch are seen on no other", async () => {
  const script = join(import.meta.dir, "../../scripts/branches.ts");
  const amounts = ["--operations", "800", "--documents", "1000", "--tests", "20"];
  const child = Bun.spawn([process.execPath, script, ...amounts], { stdout: "pipe", stderr: "pipe" });
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect([await child.exited, errors]).toEqual([0, ""]);
  expect(output).toContain("800 operations on 8 branches: none was seen on another one");
}, 180_000);
