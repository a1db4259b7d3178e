/** `galley upgrade --check`: what a version would change in a database. */
import { Database } from "bun:sqlite";
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROGRAM } from "../program.ts";
import { typeFile } from "../project.ts";

setDefaultTimeout(30_000);

const folder = mkdtempSync(join(tmpdir(), "galley-upgrade-"));
const database = join(folder, ".galley/content.db");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function writeNote(attributes: Parameters<typeof typeFile>[1]): Promise<void> {
  for (const [file, text] of Object.entries(typeFile("note", attributes))) await Bun.write(join(folder, file), text);
}

async function galley(...args: readonly string[]) {
  const child = Bun.spawn([...PROGRAM, ...args, folder], { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, output, errors };
}

test("it tells what changes, and changes nothing", async () => {
  await writeNote({ title: { type: "string" } });
  expect((await galley("upgrade", "--check")).output).toStartWith("There is no database yet.\ngalley serve ");
  await galley("migrate");
  expect((await galley("upgrade", "--check")).output).toContain("changes nothing in the database");

  await writeNote({ title: { type: "string" }, stars: { type: "integer" } });
  const before = readFileSync(database);
  const { code, output } = await galley("upgrade", "--check");
  expect(code).toBe(0);
  expect(output).toContain("schema: notes ");
  expect(readFileSync(database).equals(before)).toBe(true);
  const found = JSON.parse((await galley("upgrade", "--check", "--json")).output);
  expect(found.format).toEqual({ stored: 2, written: 2 });
  expect(found.changes).toContainEqual({ table: "notes", text: expect.stringContaining("stars") });
});

test("a database that would not be served is refused, also by galley doctor", async () => {
  const db = new Database(database);
  db.run("PRAGMA user_version = 1");
  db.close();
  for (const args of [["upgrade", "--check"], ["doctor"]]) {
    const { code, output, errors } = await galley(...args);
    expect({ args, code }).toEqual({ args, code: 1 });
    expect(output + errors).toContain("was written before the first release: move it away");
  }
});

test("without --check it says what to do", async () => {
  expect(await galley("upgrade")).toMatchObject({ code: 1, errors: expect.stringContaining("npm install galley-cms") });
});
