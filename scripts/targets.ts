/** The platforms that Galley is made for. Executables, archives of a release and npm packages have the names of this table. */

export interface Target {
  /** What the compiler calls it. */
  readonly compiler: Bun.Build.CompileTarget;
  /** As npm and Node.js name them. */
  readonly os: "linux" | "darwin" | "win32";
  readonly cpu: "x64" | "arm64";
  /** On Linux only. */
  readonly libc?: "glibc" | "musl";
}

export const targets = {
  "linux-x64": { compiler: "bun-linux-x64", os: "linux", cpu: "x64", libc: "glibc" },
  "linux-arm64": { compiler: "bun-linux-arm64", os: "linux", cpu: "arm64", libc: "glibc" },
  "linux-x64-musl": { compiler: "bun-linux-x64-musl", os: "linux", cpu: "x64", libc: "musl" },
  "linux-arm64-musl": { compiler: "bun-linux-arm64-musl", os: "linux", cpu: "arm64", libc: "musl" },
  "macos-x64": { compiler: "bun-darwin-x64", os: "darwin", cpu: "x64" },
  "macos-arm64": { compiler: "bun-darwin-arm64", os: "darwin", cpu: "arm64" },
  "windows-x64": { compiler: "bun-windows-x64", os: "win32", cpu: "x64" },
} as const satisfies Readonly<Record<string, Target>>;

export type PlatformName = keyof typeof targets;

export const platformNames = Object.keys(targets) as readonly PlatformName[];

export const executableName = (platform: PlatformName): string =>
  targets[platform].os === "win32" ? "galley.exe" : "galley";

/** The platform of this machine. Throws where there is none. */
export function thisPlatform(): PlatformName {
  const { platformOf } = require("./package/executable.cjs") as typeof import("./package/executable.cjs");
  const name = platformOf({ ...targets }, process);
  if (name === undefined) throw new Error(`there is no executable for ${process.platform} on ${process.arch}`);
  return name as PlatformName;
}

/** The archive of a release; Windows unpacks zip without another program. */
export const archiveName = (platform: PlatformName, version: string): string =>
  `galley-${version}-${platform}${targets[platform].os === "win32" ? ".zip" : ".tar.xz"}`;
