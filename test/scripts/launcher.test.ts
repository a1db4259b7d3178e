/** The command of the npm package: which executable it takes on which system, and what it passes on. */
import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { executableOf, platformOf } from "../../scripts/package/executable.cjs";
import { mainManifest, platformManifest } from "../../scripts/package.ts";
import { platformNames, type Target, targets, thisPlatform } from "../../scripts/targets.ts";
import { until } from "../until.ts";

const system = (platform: NodeJS.Platform, arch: NodeJS.Architecture) => ({ platform, arch }) as NodeJS.Process;
const find = (id: string): string => `/modules/${id}`;

describe("the platform", () => {
  for (const name of platformNames) {
    const { os, cpu, libc }: Target = targets[name];
    test(`${os} on ${cpu}${libc ? ` with ${libc}` : ""} is ${name}`, () => {
      const isMusl = () => libc === "musl";
      expect(platformOf(targets, system(os, cpu), isMusl)).toBe(name);
      const path = executableOf(targets, system(os, cpu), find, isMusl).replaceAll("\\", "/");
      expect(path).toBe(`/modules/galley-cms-${name}/galley${os === "win32" ? ".exe" : ""}`);
    });
  }

  test("only Linux is asked for its C library", () => {
    const never = () => {
      throw new Error("asked");
    };
    expect(platformOf(targets, system("darwin", "arm64"), never)).toBe("macos-arm64");
    expect(platformOf(targets, system("win32", "x64"), never)).toBe("windows-x64");
  });

  test("a system without an executable is named, with those that have one", () => {
    expect(() => executableOf(targets, system("freebsd", "x64"), find)).toThrow(
      "there is no executable for freebsd on x64; there are some for linux-x64,",
    );
    expect(() => executableOf(targets, system("win32", "arm64"), find)).toThrow("win32 on arm64");
  });

  test("a package that was left out is named, with what to do", () => {
    const missing = () => {
      throw new Error("Cannot find module");
    };
    expect(() => executableOf(targets, system("darwin", "x64"), missing)).toThrow(
      /galley-cms-macos-x64 is missing[\s\S]*--omit=optional[\s\S]*npm install galley-cms-macos-x64/,
    );
  });
});

test("what tests load has no shebang, which Vitest's virtual machines do not parse", async () => {
  const source = await Bun.file(join(import.meta.dir, "../../scripts/package/executable.cjs")).text();
  expect(() => new Function("require", "module", source)).not.toThrow();
});

describe("the manifests", () => {
  test("the package depends on every platform's, in the same version, and runs no script", () => {
    const main = mainManifest() as Record<string, Record<string, string>>;
    expect(Object.keys(main.optionalDependencies!)).toEqual(platformNames.map((name) => `galley-cms-${name}`));
    expect(new Set(Object.values(main.optionalDependencies!))).toEqual(new Set([main.version as unknown as string]));
    expect(main).not.toHaveProperty("dependencies");
    expect(main).not.toHaveProperty("scripts");
  });

  test("package managers install one platform's only", () => {
    const rules = platformNames.map((name) => {
      const { os, cpu, libc } = platformManifest(name) as Record<string, unknown>;
      return JSON.stringify({ os, cpu, libc });
    });
    expect(new Set(rules).size).toBe(platformNames.length);
    expect(platformManifest("linux-arm64-musl")).toMatchObject({ os: ["linux"], cpu: ["arm64"], libc: ["musl"] });
    expect(platformManifest("macos-x64")).not.toHaveProperty("libc");
  });
});

describe.skipIf(process.platform === "win32")("the command", () => {
  const folder = mkdtempSync(join(tmpdir(), "galley-launcher-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** An installed package whose executable is a script of the shell. */
  function installed(script: string): string {
    const bin = join(folder, "node_modules/galley-cms/bin");
    const platform = join(folder, `node_modules/galley-cms-${thisPlatform()}`);
    for (const path of [bin, platform]) mkdirSync(path, { recursive: true });
    for (const file of ["galley.cjs", "executable.cjs"])
      cpSync(join(import.meta.dir, "../../scripts/package", file), join(bin, file));
    writeFileSync(join(bin, "platforms.json"), JSON.stringify({ platforms: targets }));
    writeFileSync(join(platform, "package.json"), "{}");
    writeFileSync(join(platform, "galley"), `#!/bin/sh\n${script}\n`);
    chmodSync(join(platform, "galley"), 0o755);
    return join(bin, "galley.cjs");
  }
  const start = (script: string, ...args: string[]) =>
    Bun.spawn([process.execPath, installed(script), ...args], { stdin: "ignore", stdout: "pipe", stderr: "pipe" });

  test("passes arguments and the exit code on", async () => {
    const child = start('echo "$# $2"; exit 7', "one", "two words");
    expect(await new Response(child.stdout).text()).toBe("2 two words\n");
    expect(await child.exited).toBe(7);
  });

  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    test(`passes ${signal} on and waits for the end`, async () => {
      const child = start(`trap 'echo stopped; exit 3' ${signal.slice(3)}; echo ready; while :; do sleep 0.05; done`);
      const output = child.stdout.getReader();
      expect(new TextDecoder().decode((await output.read()).value)).toBe("ready\n");
      child.kill(signal);
      expect(new TextDecoder().decode((await output.read()).value)).toBe("stopped\n");
      expect(await child.exited).toBe(3);
    });
  }

  test("takes the executable with it when it is killed", async () => {
    const code = "console.log(process.pid); setInterval(() => {}, 1000)";
    const child = start(`exec '${process.execPath}' -e '${code}'`);
    const pid = Number(new TextDecoder().decode((await child.stdout.getReader().read()).value));
    const isRunning = (): boolean => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };
    expect(isRunning()).toBe(true);
    child.kill("SIGKILL");
    await until("the executable has ended", () => !isRunning());
  });

  test("ends as a shell says for an executable that a signal has ended", async () => {
    expect(await start("kill -KILL $$").exited).toBe(137);
  });
});
