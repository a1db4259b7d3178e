/** What somebody meets first: `galley` alone, completions, a busy port, health checks. */
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { health } from "../../src/cli/commands/health.ts";
import { SafetyNet } from "../../src/cli/safety-net.ts";
import { listeningInodes, portOwner } from "../../src/cli/serve/listen-or-explain.ts";
import { type Desktop, findOpener, openPage, withoutBrowser } from "../../src/cli/serve/open-page.ts";
import { chooseFirstStep } from "../../src/cli/without-command.ts";
import { until } from "../until.ts";

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
    [
      "serves the project that a folder is in",
      join(folder("around", "src/api/.gitkeep", "content/a/b.md"), "content/a"),
      false,
      "serve",
    ],
    ["serves an unpacked archive", folder("archive", "metadata.json"), false, "serve"],
  ];
  for (const [name, path, isTerminal, step] of cases) {
    test(name, () => expect(chooseFirstStep(path, isTerminal)).toBe(step as "serve"));
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

describe("opening the browser", () => {
  const desktop = (
    platform: NodeJS.Platform,
    environment: Record<string, string>,
    ...installed: string[]
  ): Desktop => ({
    platform,
    environment,
    isInstalled: (program) => installed.includes(program),
  });
  const windows = ["rundll32.exe", "url.dll,FileProtocolHandler"];
  const cases: readonly [name: string, desktop: Desktop, command: string[] | undefined][] = [
    ["Linux with X11", desktop("linux", { DISPLAY: ":0" }, "xdg-open"), ["xdg-open"]],
    ["Linux with Wayland", desktop("linux", { WAYLAND_DISPLAY: "wayland-0" }, "xdg-open"), ["xdg-open"]],
    ["Linux without xdg-open", desktop("linux", { DISPLAY: ":0" }), undefined],
    ["a server or container without a screen", desktop("linux", {}, "xdg-open"), undefined],
    ["a chosen browser without a screen", desktop("linux", { BROWSER: "w3m" }, "xdg-open"), ["xdg-open"]],
    ["WSL with wslu", desktop("linux", { WSL_DISTRO_NAME: "Debian" }, "wslview", "rundll32.exe"), ["wslview"]],
    ["WSL without", desktop("linux", { WSL_DISTRO_NAME: "Debian" }, "rundll32.exe"), windows],
    ["WSL without programs of Windows", desktop("linux", { WSL_INTEROP: "/run/WSL" }), undefined],
    ["macOS", desktop("darwin", {}, "open"), ["open"]],
    ["Windows", desktop("win32", {}, "rundll32.exe"), windows],
  ];
  for (const [name, given, command] of cases) {
    test(name, () => expect(findOpener(given)).toEqual(command));
  }

  const URL_ = "http://localhost:1337/admin#link.a";
  const opened = async (program: string): Promise<string[]> => {
    const lines: string[] = [];
    const given: Desktop = {
      platform: "linux",
      environment: { DISPLAY: ":0", PATH: `${scratch}:${process.env.PATH}` },
      isInstalled: () => true,
    };
    const path = join(scratch, "xdg-open");
    writeFileSync(path, program, { mode: 0o755 });
    openPage(URL_, given, (line) => lines.push(line));
    await until("the program has ended", () => lines.length > 0 || existsSync(join(scratch, "opened")));
    rmSync(path);
    return lines;
  };
  const SAYS = `no browser can be started here: open ${URL_} in one`;

  test.skipIf(process.platform === "win32")("a program that fails is reported", async () => {
    expect(await opened("#!/bin/sh\nexit 3\n")).toEqual([SAYS]);
    expect(await opened("#!/no/such/shell\n")).toEqual([SAYS]);
  });

  test.skipIf(process.platform === "win32")("a program that opens it gets the whole URL", async () => {
    const file = join(scratch, "opened");
    expect(await opened(`#!/bin/sh\nprintf %s "$1" > '${file}.part'; mv '${file}.part' '${file}'\n`)).toEqual([]);
    expect(readFileSync(file, "utf8")).toBe(URL_);
  });

  test("names a tunnel to whoever is there over SSH", () => {
    const line = withoutBrowser(desktop("linux", { SSH_CONNECTION: "10.0.0.1 5 10.0.0.2 22" }), URL_);
    expect(line).toEndWith("from your own machine: ssh -L 1337:localhost:1337 and the name of this one");
  });
});

describe("galley health", () => {
  const check = (...args: string[]) =>
    health.run({
      arguments: args,
      rest: [],
      text: () => undefined,
      flag: () => false,
      list: () => [],
      print: () => {},
      result: () => 0,
      net: new SafetyNet({ print: () => {}, end: () => {} }),
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
    await expect(check(`http://127.0.0.1:${server.port}`)).rejects.toThrow("responds with 200, not 204");
    await server.stop(true);
    await expect(check(`http://127.0.0.1:${server.port}`)).rejects.toThrow("does not respond");
  });

  test("refuses what is not an address", async () => {
    await expect(check("file:///etc/passwd")).rejects.toThrow("is not the URL of a server");
  });
});
