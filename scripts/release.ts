#!/usr/bin/env bun
/**
 * Makes what a release consists of. Each command reads and writes the folder DIR.
 *
 *   bun scripts/release.ts archives DIR           galley-VERSION-PLATFORM.tar.xz (Windows: .zip), from dist/, and SHA256SUMS
 *   bun scripts/release.ts installers DIR --url U install.sh, the Homebrew formula and the Scoop manifest, from SHA256SUMS;
 *                                                 U is the address below which the archives are
 *   bun scripts/release.ts notes DIR              notes.md: the version's section of CHANGELOG.md, and the commits since the last tag
 */
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { description, version } from "../package.json" with { type: "json" };
import { executablePath } from "./build.ts";
import { formula, installScript, parseSums, releaseNotes, scoopManifest } from "./release/installers.ts";
import { archiveName, executableName, type PlatformName, platformNames, targets } from "./targets.ts";

const root = join(import.meta.dir, "..");

function run(command: readonly string[], cwd: string): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { cwd });
  if (exitCode !== 0) throw new Error(`${command.join(" ")} failed:\n${stderr}`);
  return stdout.toString();
}

/** An archive with the executable, the licence and the changes, in one folder. */
function writeArchive(platform: PlatformName, out: string): void {
  const scratch = mkdtempSync(join(tmpdir(), "galley-release-"));
  try {
    const folder = join(scratch, "galley");
    mkdirSync(folder);
    const executable = join(folder, executableName(platform));
    cpSync(executablePath(platform), executable);
    chmodSync(executable, 0o755);
    for (const file of ["LICENSE", "CHANGELOG.md"]) cpSync(join(root, file), join(folder, file));
    const file = join(out, archiveName(platform, version));
    rmSync(file, { force: true });
    if (targets[platform].os === "win32") run(["zip", "-q", "-9", "-r", file, "galley"], scratch);
    else run(["tar", "--owner=0", "--group=0", "-cJf", file, "galley"], scratch);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** In the form that `sha256sum -c` reads. */
export function writeSums(folder: string): void {
  const lines = readdirSync(folder)
    .filter((name) => /\.(tar\.xz|zip|tgz)$/.test(name))
    .sort()
    .map(
      (name) => `${new Bun.CryptoHasher("sha256").update(readFileSync(join(folder, name))).digest("hex")}  ${name}\n`,
    );
  writeFileSync(join(folder, "SHA256SUMS"), lines.join(""));
}

function writeInstallers(folder: string, url: string): void {
  const sums = parseSums(readFileSync(join(folder, "SHA256SUMS"), "utf8"));
  const release = { version, description, url: url.replace(/\/$/, ""), sums };
  writeFileSync(join(folder, "install.sh"), installScript(release), { mode: 0o755 });
  writeFileSync(join(folder, "galley.rb"), formula(release));
  writeFileSync(join(folder, "galley.json"), scoopManifest(release));
}

function writeNotes(folder: string): void {
  const tags = run(["git", "tag", "--merged", "HEAD^", "--sort=-v:refname"], root).trim().split("\n");
  const range = tags[0] ? `${tags[0]}..HEAD` : "HEAD";
  const commits = run(["git", "log", "--no-merges", "--format=%s", range], root).trim().split("\n");
  writeFileSync(
    join(folder, "notes.md"),
    releaseNotes(readFileSync(join(root, "CHANGELOG.md"), "utf8"), version, commits),
  );
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({ options: { url: { type: "string" } }, allowPositionals: true });
  const [command, out] = positionals;
  if (!out) throw new Error("usage: bun scripts/release.ts archives|installers|notes DIR");
  const folder = resolve(out);
  mkdirSync(folder, { recursive: true });
  const commands: Readonly<Record<string, () => void>> = {
    archives: () => {
      for (const platform of platformNames) writeArchive(platform, folder);
      writeSums(folder);
    },
    installers: () => {
      if (!values.url) throw new Error("--url says where the archives are");
      writeInstallers(folder, values.url);
    },
    notes: () => writeNotes(folder),
  };
  const work = Object.hasOwn(commands, command!) ? commands[command!] : undefined;
  if (!work) throw new Error(`there is no command "${command}"`);
  work();
}
