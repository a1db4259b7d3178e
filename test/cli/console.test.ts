/** `galley console`: a prompt with the project's `strapi`. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROGRAM } from "../program.ts";
import { typeFile } from "../project.ts";

setDefaultTimeout(30_000);

const folder = mkdtempSync(join(tmpdir(), "galley-console-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
for (const [file, text] of Object.entries(typeFile("note", { title: { type: "string" } })))
  await Bun.write(join(folder, file), text);

/** Types lines into the prompt, each when the answer to the one before is there. */
async function converse(lines: readonly string[]): Promise<{ readonly code: number; readonly screen: string }> {
  let screen = "";
  const child = Bun.spawn([...PROGRAM, "console", folder], {
    env: { ...process.env, NO_COLOR: "1" },
    terminal: {
      cols: 200,
      rows: 50,
      data: (_, data) => {
        screen += new TextDecoder().decode(data);
      },
    },
  });
  for (const [index, line] of lines.entries()) {
    while (screen.split("galley> ").length < index + 2) await Bun.sleep(20);
    child.terminal!.write(`${line}\r`);
  }
  return { code: await child.exited, screen };
}

test("the prompt writes and reads documents, and goes on after an error", async () => {
  const { code, screen } = await converse([
    'await strapi.documents("api::note.note").create({ data: { title: "first" } })',
    'throw new Error("it is wrong")',
    'const [note] = await documents("api::note.note").findMany()',
    "note.title + note.id",
    ".exit",
  ]);
  expect(code).toBe(0);
  expect(screen).toContain("Uncaught Error: it is wrong");
  expect(screen).toContain("'first1'");
});

test("without a terminal it says what to use", async () => {
  const child = Bun.spawn([...PROGRAM, "console", folder], { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  expect(await new Response(child.stderr).text()).toContain("the prompt needs a terminal; galley script");
  expect(await child.exited).toBe(1);
});
