/** Programs that run executables of other platforms on Linux x64, as Debian has them. */
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { PlatformName } from "../targets.ts";

export interface Emulator {
  /** What must be installed, by the program that shows whether it is. */
  readonly packages: Readonly<Record<string, readonly string[]>>;
  /** Prepares a folder; called once. */
  readonly prepare: (folder: string) => Promise<Emulated>;
  /** What the emulator itself prints when it gives up: nothing is known of the executable then. */
  readonly failure: RegExp;
}

export interface Emulated {
  /** What stands before the executable. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** How a path of this machine is named there. */
  readonly path: (path: string) => string;
  readonly stop: () => Promise<void>;
}

/** Throws with what the command has printed. */
async function run(command: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<void> {
  const child = Bun.spawn([...command], {
    env: { ...process.env, ...environment },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} failed:\n${out}${errors}`);
}

async function prepareWine(folder: string): Promise<Emulated> {
  const prefix = join(folder, "wine");
  const environment = {
    WINEPREFIX: prefix,
    WINEARCH: "win64",
    WINEDEBUG: "-all",
    // neither a browser nor .NET is installed into the prefix
    WINEDLLOVERRIDES: "mscoree,mshtml=",
  };
  mkdirSync(prefix, { recursive: true });
  await run(["wine", "wineboot", "--init"], environment);
  const library = join(folder, "bcryptprimitives.dll");
  const source = join(import.meta.dir, "bcryptprimitives.c");
  await run(["x86_64-w64-mingw32-gcc", "-shared", "-o", library, source, "-ladvapi32"]);
  cpSync(library, join(prefix, "drive_c/windows/system32/bcryptprimitives.dll"));
  return {
    command: ["wine"],
    environment,
    path: (path) => `Z:${path.replaceAll("/", "\\")}`,
    stop: () => run(["wineserver", "--kill"], environment).catch(() => undefined),
  };
}

const prepareQemu = async (): Promise<Emulated> => ({
  command: ["qemu-aarch64-static", "-L", "/usr/aarch64-linux-gnu"],
  environment: {},
  path: (path) => path,
  stop: async () => {},
});

export const emulators = {
  "windows-x64": {
    packages: { wine: ["wine", "wine64"], "x86_64-w64-mingw32-gcc": ["gcc-mingw-w64-x86-64"] },
    prepare: prepareWine,
    failure: /wine client error|wine server error|wineserver crashed/,
  },
  "linux-arm64": {
    packages: {
      "qemu-aarch64-static": ["qemu-user-static"],
      "/usr/aarch64-linux-gnu/lib/ld-linux-aarch64.so.1": ["libc6-arm64-cross"],
    },
    prepare: prepareQemu,
    failure: /qemu: (unhandled|internal error|Unsupported syscall)|ERROR:.*qemu/,
  },
} as const satisfies Partial<Record<PlatformName, Emulator>>;

export type EmulatedPlatform = keyof typeof emulators;
