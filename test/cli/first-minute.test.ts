/** What somebody meets first: `galley` alone, completions, a busy port, health checks. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "../../src/cli/command.ts";
import { health } from "../../src/cli/commands/health.ts";
import { shells } from "../../src/cli/completions.ts";
import { listeningInodes, portOwner } from "../../src/cli/port-owner.ts";
import { firstStep } from "../../src/cli/without-command.ts";

const scratch = mkdtempSync(join(tmpdir(), "galley-first-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function folder(name: string, ...paths: string[]): string {
  const path = join(scratch, name);
  mkdirSync(path);
  for (const file of paths) {
    mkdirSync(join(path, file, ".."), { recursive: true });
    writeFileSync(join(path, file), "");
  }
  return path;
}

describe("galley alone", () => {
  const empty = folder("empty");
  const cases: readonly [name: string, folder: string, isTerminal: boolean, step: string][] = [
    ["offers a project in an empty folder", empty, true, "offer"],
    ["asks nobody where there is no terminal", empty, false, "help"],
    ["takes hidden files for nothing", folder("hidden", ".git/HEAD", ".DS_Store"), true, "offer"],
    ["leaves other folders alone", folder("other", "package.json"), true, "help"],
    ["serves a project", folder("project", "src/api/a/content-types/a/schema.json"), true, "serve"],
    ["serves a project without a terminal, too", folder("ci", "src/api/.gitkeep"), false, "serve"],
    ["serves an unpacked archive", folder("archive", "metadata.json"), false, "serve"],
  ];
  for (const [name, path, isTerminal, step] of cases) {
    test(name, () => expect(firstStep(path, isTerminal)).toBe(step as "serve"));
  }
});

describe("a port in use", () => {
  test.skipIf(process.platform !== "linux")("is named with the process", () => {
    const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
    expect(portOwner(server.port!)?.pid).toBe(process.pid);
    server.stop(true);
  });

  test("has no known owner where the system shows none", () => {
    expect(portOwner(1337, join(scratch, "no-proc"))).toBeUndefined();
  });

  test("is found among others, and only where it is listened on", () => {
    const row = (port: string, state: string, inode: number) =>
      `   0: 0100007F:${port} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000  1000        0 ${inode} 1`;
    const table = ["  sl  local_address", row("0539", "0A", 7), row("0539", "01", 8), row("053A", "0A", 9)].join("\n");
    expect(listeningInodes(table, 1337)).toEqual(["7"]);
  });
});

describe("galley health", () => {
  const check = (...args: string[]) =>
    health.run({
      arguments: args,
      rest: [],
      text: () => undefined,
      flag: () => false,
      print: () => {},
      environment: {},
    });

  test("is content with 204 alone", async () => {
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: ({ url }) => new Response(null, { status: url.endsWith("/_health") ? 204 : 500 }),
    });
    expect(await check(`http://127.0.0.1:${server.port}`)).toBe(0);
    server.reload({ fetch: () => new Response("hello") });
    await expect(check(`http://127.0.0.1:${server.port}`)).rejects.toThrow("answers 200, not 204");
    await server.stop(true);
    await expect(check(`http://127.0.0.1:${server.port}`)).rejects.toThrow("does not answer");
  });

  test("refuses what is no address", async () => {
    await expect(check("file:///etc/passwd")).rejects.toThrow("is no address of a server");
  });
});

describe("completions", () => {
  const command = (name: string, options: Command["options"] = {}): Command => ({
    name,
    summary: `It's [${name}]: "$HOME" \`id\``,
    usage: "",
    maxArguments: 1,
    options,
    run: async () => 0,
  });
  const commands = [
    command("serve", { port: { type: "string", value: "number", summary: "It's a [port]: $(id)" } }),
    command("token create"),
    command("token list", { json: { type: "boolean", summary: "JSON" } }),
  ];

  const completed = (line: string, current: string): string[] => {
    const words = ["galley", ...line.split(" ").filter(Boolean), current].map((word) => `'${word}'`).join(" ");
    const script = `${shells.bash!(commands)}
COMP_WORDS=(${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _galley; echo "\${COMPREPLY[*]}"`;
    return Bun.spawnSync(["bash", "-c", script]).stdout.toString().trim().split(" ");
  };
  test.skipIf(Bun.which("bash") === null)("bash completes commands, second words and options", () => {
    expect(completed("", "")).toEqual(["serve", "token"]);
    expect(completed("", "to")).toEqual(["token"]);
    expect(completed("token", "")).toEqual(["create", "list"]);
    expect(completed("serve", "--p")).toEqual(["--port"]);
    expect(completed("serve blog", "--p")).toEqual(["--port"]);
    expect(completed("token list", "--")).toEqual(["--json", "--help"]);
  });

  for (const shell of ["bash", "zsh", "fish"]) {
    test.skipIf(Bun.which(shell) === null)(`${shell} reads its script`, () => {
      const { exitCode, stderr } = Bun.spawnSync([shell, "-n"], { stdin: Buffer.from(shells[shell]!(commands)) });
      expect([exitCode, stderr.toString()]).toEqual([0, ""]);
    });
  }

  test("every option is in every script", () => {
    for (const write of Object.values(shells)) {
      const script = write(commands);
      for (const word of ["port", "json", "create", "list"]) expect(script).toContain(word);
    }
  });
});
