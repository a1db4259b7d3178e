import { expect, test } from "bun:test";
import { join } from "node:path";

const MODULE = join(import.meta.dir, "../../src/cli/server-console.ts");

/** Prints lines of 100 KB at once for a slow reader, and another one when they were read. */
async function printed(count: number): Promise<string> {
  const code = `
    const { printWithoutWaiting, exitWhenRead } = await import(${JSON.stringify(MODULE)});
    printWithoutWaiting();
    for (let line = 0; line < ${count}; line++) console.log("x".repeat(99_999));
    await new Promise((resolve) => process.stdout.write("read\\n", resolve));
    console.log("the last line");
    await exitWhenRead(0);`;
  return Bun.spawn(["sh", "-c", '"$0" -e "$1" | (sleep 0.5; cat)', process.execPath, code]).stdout.text();
}

test.skipIf(process.platform === "win32")("much that is printed at once is read as a whole", async () => {
  const text = await printed(90);
  expect(text).toHaveLength(90 * 100_000 + "read\nthe last line\n".length);
});

test.skipIf(process.platform === "win32")("what is left out is said", async () => {
  const text = await printed(130);
  const end = "read\ngalley: nobody read what was printed; lines left out: 30\nthe last line\n";
  expect(text.slice(-end.length)).toBe(end);
  expect(text).toHaveLength(100 * 100_000 + end.length);
});
