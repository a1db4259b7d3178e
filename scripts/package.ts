#!/usr/bin/env bun
/**
 * Makes the npm packages: `galley-cms`, with the command and the library, and one with the executable of each platform,
 * which is its optional dependency. Nothing is published.
 *
 *   bun scripts/package.ts --out DIR [--platform NAME]… [--executable FILE | --built]
 *
 * --platform   only these platforms; all by default
 * --executable an executable that is compiled already, of the only platform
 * --built      the executables are in dist/, where scripts/build.ts --all puts them
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import manifest from "../package.json" with { type: "json" };
import { compile, executablePath } from "./build.ts";
import { embedLicenses } from "./embed-licenses.ts";
import { entries, sharedPackages, writeLibrary } from "./package/library.ts";
import { writeTarball } from "./package/tarball.ts";
import { executableName, type PlatformName, platformNames, type Target, targets } from "./targets.ts";

const root = join(import.meta.dir, "..");
const { name, version, description, license } = manifest;

export interface PackageOptions {
  readonly out: string;
  readonly platforms: readonly PlatformName[];
  /** Where a platform's executable is; compiled by default. */
  readonly executable?: (platform: PlatformName) => string;
  /** gzip's; 9. */
  readonly level?: number;
}

const packageName = (platform: PlatformName): string => `${name}-${platform}`;

/** Where the source is; npm compares it with the origin of what is published. CI knows it. */
function repository(): { repository?: object } {
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = process.env;
  if (!GITHUB_SERVER_URL || !GITHUB_REPOSITORY) return {};
  return { repository: { type: "git", url: `git+${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}.git` } };
}

/** For the resolution "node10" of TypeScript before version 7, which Next.js 15 and Gatsby set: it does not read `exports`. */
function typesVersions(): object {
  const { ".": _main, ...others } = entries;
  return { "*": Object.fromEntries(Object.entries(others).map(([entry, { types }]) => [entry.slice(2), [types]])) };
}

export function mainManifest(): object {
  return {
    name,
    version,
    description,
    license,
    ...repository(),
    keywords: ["strapi", "headless-cms", "content-server", "graphql", "rest", "sqlite", "bun", "elysia"],
    type: "module",
    bin: { galley: "bin/galley.cjs" },
    exports: { ...entries, "./package.json": "./package.json" },
    types: entries["."].types,
    typesVersions: typesVersions(),
    engines: { node: ">=18" },
    optionalDependencies: Object.fromEntries(platformNames.map((platform) => [packageName(platform), version])),
    peerDependencies: Object.fromEntries(
      Object.entries(manifest.dependencies)
        .filter(([dependency]) => sharedPackages.has(dependency))
        .map(([dependency, range]) => [dependency, `^${range}`]),
    ),
    peerDependenciesMeta: Object.fromEntries([...sharedPackages].map((dependency) => [dependency, { optional: true }])),
  };
}

export function platformManifest(platform: PlatformName): object {
  const { os, cpu, libc }: Target = targets[platform];
  return {
    name: packageName(platform),
    version,
    description: `The executable of ${name} for ${platform}`,
    license,
    ...repository(),
    // package managers that keep packages zipped unpack this one
    preferUnplugged: true,
    os: [os],
    cpu: [cpu],
    ...(libc ? { libc: [libc] } : {}),
  };
}

/** Fills a folder, which is gone afterwards, and packs it; returns the archive's path. */
async function packed(
  content: { readonly name: string },
  { out, level = 9 }: PackageOptions,
  fill: (folder: string) => Promise<void>,
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "galley-package-"));
  try {
    writeFileSync(join(folder, "package.json"), `${JSON.stringify(content, undefined, 2)}\n`);
    cpSync(join(root, "LICENSE"), join(folder, "LICENSE"));
    await fill(folder);
    const file = join(out, `${content.name}-${version}.tgz`);
    await writeTarball(folder, file, (path) => /^(bin\/galley\.cjs|galley(\.exe)?)$/.test(path), level);
    return file;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function fillMain(folder: string): Promise<void> {
  mkdirSync(join(folder, "bin"));
  for (const file of ["galley.cjs", "executable.cjs"])
    cpSync(join(import.meta.dir, "package", file), join(folder, "bin", file));
  const platforms = Object.entries(targets).map(([platform, target]: [string, Target]) => {
    const { os, cpu, libc } = target;
    return [platform, { os, cpu, libc }];
  });
  writeFileSync(join(folder, "bin/platforms.json"), JSON.stringify({ platforms: Object.fromEntries(platforms) }));
  for (const file of ["README.md", "CHANGELOG.md", "data/manual/content/pages"])
    cpSync(join(root, file), join(folder, file), { recursive: true });
  cpSync(await embedLicenses(), join(folder, "licenses.txt"));
  await writeLibrary(folder);
}

/** Returns the paths of the archives, the main package's first. */
export async function writePackages(options: PackageOptions): Promise<readonly string[]> {
  const { out, platforms, executable } = options;
  mkdirSync(out, { recursive: true });
  const files = [await packed(mainManifest() as { name: string }, options, fillMain)];
  for (const platform of platforms) {
    const fill = async (folder: string): Promise<void> => {
      const file = join(folder, executableName(platform));
      if (executable) cpSync(executable(platform), file);
      else await compile(file, targets[platform].compiler);
      writeFileSync(
        join(folder, "README.md"),
        `# ${packageName(platform)}\n\nThe executable of [${name}](https://www.npmjs.com/package/${name}) for ${platform}.\n`,
      );
    };
    files.push(await packed(platformManifest(platform) as { name: string }, options, fill));
  }
  return files;
}

function parsePlatforms(names: readonly string[]): readonly PlatformName[] {
  const unknown = names.find((platform) => !Object.hasOwn(targets, platform));
  if (unknown !== undefined) throw new Error(`--platform must be one of ${platformNames.join(", ")}, not "${unknown}"`);
  return names.length > 0 ? (names as readonly PlatformName[]) : platformNames;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      out: { type: "string" },
      platform: { type: "string", multiple: true, default: [] },
      executable: { type: "string" },
      built: { type: "boolean", default: false },
    },
  });
  if (!values.out) throw new Error("--out DIR says where the packages go");
  const platforms = parsePlatforms(values.platform);
  const { executable: file, built } = values;
  if (file && (built || platforms.length !== 1))
    throw new Error("--executable needs a single --platform, and no --built");
  const executable = file ? { executable: () => file } : built ? { executable: executablePath } : {};
  for (const path of await writePackages({ out: resolve(values.out), platforms, ...executable }))
    console.log(`${path} ${(Bun.file(path).size / 1e6).toFixed(1)} MB`);
}
