/** Long work shows how far it is on a terminal, and nothing elsewhere. */
import { afterAll, expect, test } from "bun:test";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROGRAM } from "../program.ts";

const folder = mkdtempSync(join(tmpdir(), "galley-progress-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
cpSync(join(import.meta.dir, "../../data/starter"), join(folder, "magazine"), { recursive: true });

/** What a terminal gets. */
async function onTerminal(args: readonly string[], environment: Record<string, string> = {}): Promise<string> {
  let screen = "";
  const child = Bun.spawn([...PROGRAM, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, TERM: "xterm", ...environment },
    terminal: {
      cols: 100,
      rows: 30,
      data: (_terminal, data) => {
        screen += new TextDecoder().decode(data);
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
] as const)(
  "%s",
  async (_, args, shown) => {
    const result = /^(exported|imported|the database|restored)/m;
    const screen = await onTerminal(args);
    expect(screen).toMatch(shown);
    // the line is cleared before the result
    expect(screen.replaceAll("\r", "").split("\u001b[2K").at(-1)).toMatch(result);
    for (const plain of [await onTerminal([...args], { NO_COLOR: "1" }), await onTerminal([...args, "--json"])]) {
      expect(plain).not.toContain("\u001b");
      expect(plain).not.toMatch(shown === COUNT ? /^\d+ (rows|files|documents)/m : shown);
    }
    const piped = Bun.spawnSync([...PROGRAM, ...args], { cwd: folder, stdin: "ignore" });
    expect([piped.exitCode, piped.stderr.toString()]).toEqual([0, ""]);
    expect(piped.stdout.toString()).toMatch(result);
    if ((args as readonly string[]).includes("files"))
      expect(piped.stdout.toString()).toEndWith("galley import files reads it\n");
  },
  60_000,
);

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
