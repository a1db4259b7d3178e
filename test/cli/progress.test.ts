/** Long work shows how far it is on a terminal, and nothing elsewhere. */
import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGalley } from "../../src/index.ts";
import { loadProjectSchema, readModel } from "../../src/server/project/project-source.ts";
import { schemaRows } from "../../src/transfer/export/schemas.ts";
import { PROGRAM } from "../program.ts";
import { typeFile } from "../project.ts";
import { receiver } from "../transfer/receiver.ts";

const folder = mkdtempSync(join(tmpdir(), "galley-progress-"));
const starter = join(import.meta.dir, "../../data/starter");
cpSync(starter, join(folder, "magazine"), { recursive: true });
const origin = await createGalley({ project: starter, environment: {} });
const token = (await origin.as("full-access").authorization())!.replace("Bearer ", "");
const strapi = receiver(schemaRows(loadProjectSchema(starter), readModel(starter, {}).model) as { uid: string }[]);
afterAll(async () => {
  await origin.close();
  await strapi.server.stop(true);
  rmSync(folder, { recursive: true, force: true });
});

/** What a terminal gets. A server is stopped when its screen has `until`. */
async function onTerminal(
  args: readonly string[],
  environment: Record<string, string> = {},
  until?: RegExp,
): Promise<string> {
  let screen = "";
  const child = Bun.spawn([...PROGRAM, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, TERM: "xterm", ...environment },
    terminal: {
      cols: 100,
      rows: 30,
      data: (_terminal, data) => {
        screen += new TextDecoder().decode(data);
        if (until?.test(screen)) child.kill("SIGTERM");
      },
    },
  });
  expect(await child.exited).toBe(0);
  child.terminal!.close();
  return screen;
}

const COUNT = /\d+ (rows|files|documents)/;
const BAR = /[\u2588\u2591=-]{10,} \d+% of the (\w+)/;

test.skipIf(process.platform === "win32").each([
  ["an export into an archive", ["export", "content.tar.gz", "magazine"], COUNT],
  ["an export into files", ["export", "--to", "files", "magazine"], COUNT],
  ["an import", ["import", "content.tar.gz", "magazine", "--yes"], BAR],
  ["a backup", ["backup", "backup.tar.gz", "magazine"], BAR],
  ["a restore", ["restore", "backup.tar.gz", "magazine", "--yes"], /\d+ MB checked/],
  ["a pull", ["pull", origin.serve(), "magazine", "--token", token, "--yes"], COUNT],
  ["a push", ["push", strapi.address.root, "magazine", "--token", token, "--yes"], /\d+ (entities|links|assets)/],
] as const)(
  "%s",
  async (_, args, shown) => {
    const result = /^(exported|imported|the database|restored|pushed)/m;
    const screen = await onTerminal(args);
    expect(screen).toMatch(shown);
    // the line is cleared before the result
    expect(screen.replaceAll("\r", "").split("\u001b[2K").at(-1)).toMatch(result);
    for (const plain of [await onTerminal([...args], { NO_COLOR: "1" }), await onTerminal([...args, "--json"])]) {
      expect(plain).not.toContain("\u001b");
      // results have counts, too, after their verb
      expect(plain).not.toMatch(shown === BAR ? BAR : new RegExp(`^${shown.source}`, "m"));
    }
    const options = { cwd: folder, stdin: "ignore", stdout: "pipe", stderr: "pipe" } as const;
    const piped = Bun.spawn([...PROGRAM, ...args], options);
    const [out, errors] = await Promise.all([piped.stdout.text(), piped.stderr.text()]);
    expect([await piped.exited, errors]).toEqual([0, ""]);
    expect(out).toMatch(result);
  },
  60_000,
);

test.skipIf(process.platform === "win32").each([
  ["a terminal", {}, true],
  ["a terminal without colours", { NO_COLOR: "1" }, false],
] as const)("a start that changes the tables of many rows, on %s", async (name, environment, isShown) => {
  const project = join(folder, name);
  const writeType = async (type: "string" | "integer", draftAndPublish: boolean): Promise<void> => {
    for (const [file, text] of Object.entries(typeFile("note", { number: { type } }, { draftAndPublish })))
      await Bun.write(join(project, file), text);
  };
  await writeType("string", false);
  expect(Bun.spawnSync([...PROGRAM, "migrate", project]).exitCode).toBe(0);
  {
    using db = new Database(join(project, ".galley/content.db"));
    db.run(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) INSERT INTO notes (document_id, status, created_at, updated_at, published_at, number) SELECT 'document' || i, 'published', t, t, t, i FROM n, (SELECT '2026-01-01T00:00:00.000Z' AS t)",
    );
  }
  await writeType("integer", true);
  const screen = await onTerminal(["serve", project, "--port", "0"], environment, /Galley serves .* at http:/);
  for (const shown of [/\d+% rows of notes/, /\d+% drafts of notes/]) expect(shown.test(screen)).toBe(isShown);
  // signals end the start at once, so that nothing would show the cursor and wrap lines again
  for (const code of ["\u001b[?25l", "\u001b[?7l"]) expect(screen).not.toContain(code);
  const last = screen.replaceAll("\r", "").split("\u001b[2K").at(-1)!;
  expect(last).toStartWith("schema: notes number is integer instead of string: 20000 of 20000 values converted\n");
});

test.skipIf(process.platform === "win32")("a mirror's first copy", async () => {
  const mirror = (name: string, ...words: string[]): string[] => {
    const project = join(folder, name);
    cpSync(join(starter, "src"), join(project, "src"), { recursive: true });
    return ["mirror", origin.serve(), project, "--token", token, "--port", "0", ...words];
  };
  const served = /Galley mirrors .* at http:\S+/;
  const screen = await onTerminal(mirror("shown"), {}, served);
  expect(screen).toMatch(COUNT);
  expect(screen.replaceAll("\r", "").split("\u001b[2K").at(-1)).toMatch(served);
  const plain = await onTerminal(mirror("plain"), { NO_COLOR: "1" }, served);
  expect(plain).not.toContain("\u001b");
  expect(plain).not.toMatch(COUNT);
});

test.skipIf(process.platform === "win32")(
  "a new token's key is alone on standard output, and a terminal says what to do with it",
  async () => {
    const piped = Bun.spawnSync([...PROGRAM, "token", "create", "site", "magazine"], { cwd: folder, stdin: "ignore" });
    expect(piped.stdout.toString()).toMatch(/^[0-9a-f]+\n$/);
    expect(await onTerminal(["token", "create", "shown", "magazine"])).toMatch(
      /^[0-9a-f]+\s+Requests have it in the header "Authorization: Bearer <key>"/,
    );
  },
);
