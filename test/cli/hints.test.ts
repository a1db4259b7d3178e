/** What comes after a command's result: a step that can be taken next, on a terminal without colours, too, and never among JSON. */
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commands } from "../../src/cli/commands/index.ts";
import { createGalley } from "../../src/index.ts";
import { loadProjectSchema, readModel } from "../../src/server/project/project-source.ts";
import { schemaRows } from "../../src/transfer/export/schemas.ts";
import { createObjectStore } from "../object-store.ts";
import { PROGRAM } from "../program.ts";
import { receiver } from "../transfer/receiver.ts";

setDefaultTimeout(60_000);

/** Commands without a next step, each with the reason. */
const without: Readonly<Record<string, string>> = {
  diff: "prints differences, for people and pagers",
  check: "prints what breaks; nothing where nothing does",
  stale: "prints requests, for scripts",
  routes: "prints a table",
  access: "prints tables; a warning says what to do",
  "token list": "prints a list",
  "graphql-schema": "prints a description; with --out as types",
  openapi: "prints a description; with --out as types",
  completions: "prints a script, which a shell reads",
  licenses: "prints texts",
  health: "answers with its exit code",
  run: "prints what the command prints",
  script: "prints what the script prints",
  console: "is a prompt",
  mcp: "speaks a protocol",
  "merge-driver": "is started by git",
  worker: "is started by galley serve",
  "read-rows": "is started by galley serve",
  migrate: "is started by galley serve",
  "load-archive": "is started by galley serve",
};

const folder = mkdtempSync(join(tmpdir(), "galley-hints-"));
const starter = join(import.meta.dir, "../../data/starter");
cpSync(starter, join(folder, "magazine"), { recursive: true });
cpSync(starter, join(folder, "other"), { recursive: true });
symlinkSync("other", join(folder, "empty project"));
const origin = await createGalley({ project: starter, environment: {} });
const token = (await origin.as("full-access").authorization())!.replace("Bearer ", "");
const strapi = receiver(schemaRows(loadProjectSchema(starter), readModel(starter, {}).model) as { uid: string }[]);
const store = createObjectStore();
afterAll(async () => {
  await origin.close();
  await Promise.all([strapi.server.stop(true), store.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

const SERVES = /^galley serve "?(magazine|other|new|empty project)"? serves it$/m;

/** In an order in which each has what it needs. */
const hints: readonly (readonly [name: string, words: readonly string[], hint: RegExp])[] = [
  ["serve", ["magazine", "--port", "0"], /http:\/\/localhost:\d+\/api\//],
  ["mirror", [origin.serve(), "--port", "0", "--token", token], /at http:\/\/localhost:\d+/],
  ["test-server", ["magazine", "--port", "0"], /http:\/\/localhost:\d+/],
  ["init", ["new", "--template", "empty"], SERVES],
  ["init", ["new", "--agent"], /galley mcp/],
  ["export", ["content.tar.gz", "magazine"], /^galley import content.tar.gz reads it/m],
  ["export", ["--to", "files", "magazine"], /^galley import files reads it$/m],
  ["export", ["--to", "magazine/content", "magazine"], /^galley status shows/m],
  ["import", ["content.tar.gz", "other", "--yes"], SERVES],
  ["import", ["content.tar.gz", "empty project", "--yes"], SERVES],
  ["pull", [origin.serve(), "other", "--token", token, "--yes"], SERVES],
  ["push", [strapi.address.root, "magazine", "--token", token, "--yes"], /\/admin shows it$/m],
  ["publish", ["s3://bucket/content.tar.gz", "magazine"], /^galley serve s3:\S+ serves it, read-only$/m],
  ["backup", ["backup.tar.gz", "magazine"], /^galley restore backup.tar.gz puts it back$/m],
  ["restore", ["backup.tar.gz", "other", "--yes"], SERVES],
  ["config dump", ["magazine", "--file", "settings.json"], /^galley config restore --file settings.json reads them$/m],
  ["config restore", ["other", "--file", "settings.json"], SERVES],
  ["content check", ["magazine"], /^galley content apply brings them/m],
  ["content apply", ["other", "--yes"], SERVES],
  ["status", ["magazine"], /equal/],
  ["content migrate", ["magazine"], SERVES],
  ["content setup-git", ["magazine"], /other clones need galley content setup-git/],
  ["types", ["magazine", "--out", "types.ts"], /--watch writes it again/],
  ["token create", ["site", "magazine"], /Authorization: Bearer/],
  ["token revoke", ["site", "magazine"], /requests with its key are refused/],
  ["doctor", ["magazine"], SERVES],
  ["upgrade", ["magazine", "--check"], SERVES],
];

test("each command has a next step, or a reason for none", () => {
  const named = [...hints.map(([name]) => name), ...Object.keys(without)];
  expect([...new Set(named)].sort()).toEqual(commands.map(({ name }) => name).sort());
});

const environment = { PATH: process.env.PATH, HOME: folder, GALLEY_CACHE: join(folder, "cache"), ...store.environment };
const isServer = (name: string): boolean => ["serve", "mirror", "test-server"].includes(name);

async function onTerminal(name: string, words: readonly string[], hint: RegExp): Promise<string> {
  let screen = "";
  const child = Bun.spawn([...PROGRAM, ...name.split(" "), ...words], {
    cwd: folder,
    env: { ...environment, TERM: "xterm", NO_COLOR: "1" },
    terminal: {
      cols: 200,
      rows: 50,
      data: (_terminal, data) => {
        screen += new TextDecoder().decode(data);
        if (isServer(name) && hint.test(screen)) child.kill("SIGTERM");
      },
    },
  });
  expect([await child.exited, screen]).toEqual([0, screen]);
  child.terminal!.close();
  return screen.replaceAll("\r", "");
}

async function asJson(name: string, words: readonly string[]): Promise<string> {
  const args = [...PROGRAM, ...name.split(" "), ...words, "--json"];
  const child = Bun.spawn(args, { cwd: folder, env: environment, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect([await child.exited, errors]).toEqual([0, errors]);
  return output;
}

describe.skipIf(process.platform === "win32")("a next step after", () => {
  Bun.spawnSync(["git", "init", "--quiet"], { cwd: join(folder, "magazine") });
  for (const [name, words, hint] of hints) {
    test(`${name} ${words.filter((word) => word !== token).join(" ")}`, async () => {
      const screen = await onTerminal(name, words, hint);
      expect(screen).toMatch(hint);
      expect(screen).not.toContain("\u001b");
      const { options = {} } = commands.find((command) => command.name === name)!;
      if (!Object.hasOwn(options, "json")) return;
      // what these have made is there, or gone, by now: test/cli/json-output.test.ts has them
      if (name === "init" || name.startsWith("token")) return;
      const output = await asJson(name, words);
      // `galley types --json --out` writes JSON, and prints nothing
      if (name === "types") expect(output).toBe("");
      else expect(JSON.parse(output)).toBeObject();
    });
  }
});
