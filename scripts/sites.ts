#!/usr/bin/env bun
/**
 * Builds the same small site with `@strapi/client` alone, Astro, Next.js and Gatsby, all as npm has them, from an archive that
 * `galley run` serves with the network cut off, and compares pages and pictures with those built from Strapi.
 *
 *   bun scripts/sites.ts [--only plain,astro,next,gatsby] [--reference DIR] [--work DIR]
 *
 * Without --reference, what the plain site's pages must be is in `sites/plain/expected.json`; with --update Strapi's
 * build is written there. DIR of --work keeps what npm has installed; a temporary folder by default.
 * The archive is `strapi export`'s of the starter: `--archive` makes it again, with Strapi.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { frontEndEnvironment } from "../src/cli/front-end-environment.ts";
import { galley, referenceProject, startReference, strapi } from "./roundtrip/servers.ts";
import { hashData, outputDifferences, readOutput, type SiteOutput } from "./sites/output.ts";

/** Where each writes its pages, and what it remembers of earlier builds. */
const sites: Readonly<Record<string, { readonly output: string; readonly caches: readonly string[] }>> = {
  plain: { output: "dist", caches: [] },
  astro: { output: "dist", caches: [".astro", "node_modules/.astro", "node_modules/.vite"] },
  next: { output: "out", caches: [".next"] },
  gatsby: { output: "public", caches: [".cache"] },
};

const { values: options } = parseArgs({
  options: {
    only: { type: "string", default: Object.keys(sites).join() },
    reference: { type: "string" },
    work: { type: "string" },
    update: { type: "boolean", default: false },
    archive: { type: "boolean", default: false },
  },
});
const names = options.only.split(",");
const unknown = names.find((name) => !Object.hasOwn(sites, name));
if (unknown !== undefined || ((options.update || options.archive) && !options.reference)) {
  console.error(
    unknown === undefined ? "sites: --update and --archive need --reference" : `sites: there is no ${unknown}`,
  );
  process.exit(2);
}
const repository = join(import.meta.dir, "..");
const MAIN = join(repository, "src/main.ts");
const STARTER = join(repository, "data/starter");
const ARCHIVE = join(import.meta.dir, "sites/magazine.tar.gz");
const EXPECTED = join(import.meta.dir, "sites/plain/expected.json");
/** A process without a network can still reach its own. Needs Linux, and root or user namespaces. */
const OFFLINE = ["unshare", "--net", "--map-root-user", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"];

async function run(command: readonly string[], cwd: string, environment: Record<string, string> = {}): Promise<void> {
  const env = {
    ...process.env,
    NEXT_TELEMETRY_DISABLED: "1",
    ASTRO_TELEMETRY_DISABLED: "1",
    GATSBY_TELEMETRY_DISABLED: "1",
    CI: "true",
    ...environment,
  };
  const child = Bun.spawn([...command], { cwd, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [out, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  if ((await child.exited) !== 0)
    throw new Error(`${command.join(" ")} ended with ${child.exitCode}:\n${(out + errors).slice(-4_000)}`);
}

const canCutOff = Bun.which("unshare") !== null && Bun.spawnSync([...OFFLINE, "true"]).exitCode === 0;

/** A site's folder, with its packages installed and nothing built. */
async function prepare(name: string, work: string): Promise<string> {
  const folder = join(work, name);
  cpSync(join(import.meta.dir, "sites", name), folder, { recursive: true });
  if (!existsSync(join(folder, "node_modules")))
    await run(["npm", "install", "--no-audit", "--no-fund", "--loglevel=error"], folder);
  return folder;
}

/** Builds a site; returns what it has written. */
async function build(name: string, folder: string, command: () => Promise<void>): Promise<SiteOutput> {
  const { output, caches } = sites[name]!;
  for (const path of [output, ...caches]) rmSync(join(folder, path), { recursive: true, force: true });
  await command();
  return readOutput(join(folder, output));
}

const BUILD = ["npm", "run", "build"];

function fromGalley(name: string, folder: string): Promise<SiteOutput> {
  const command = [process.execPath, MAIN, "run", ARCHIVE, "--", ...BUILD];
  return build(name, folder, () => run([...(canCutOff ? OFFLINE : []), ...command], folder));
}

async function fromReference(name: string, folder: string, project: string): Promise<SiteOutput> {
  const server = await startReference(project);
  try {
    const environment = frontEndEnvironment(server.url, server.token, {}) as Record<string, string>;
    return await build(name, folder, () => run(BUILD, folder, environment));
  } finally {
    await server.stop();
  }
}

async function referenceWithArchive(reference: string): Promise<string> {
  const project = referenceProject(reference, STARTER);
  await strapi(project, "import", "-f", ARCHIVE, "--force");
  return project;
}

/** The starter's content, after it was in Strapi. */
async function makeArchive(reference: string, work: string): Promise<void> {
  const source = join(work, "starter");
  cpSync(STARTER, source, { recursive: true });
  const ours = join(work, "starter.tar.gz");
  await galley("export", ours, source);
  const project = referenceProject(reference, STARTER);
  try {
    await strapi(project, "import", "-f", ours, "--force");
    await strapi(project, "export", "--no-encrypt", "-f", ARCHIVE.replace(/\.tar\.gz$/, ""));
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}

const digests = (output: SiteOutput): Record<string, string> =>
  Object.fromEntries([...output].map(([name, text]): [string, string] => [name, hashData(text)]).sort());

async function expectedDigests(): Promise<SiteOutput> {
  return new Map(Object.entries((await Bun.file(EXPECTED).json()) as Record<string, string>));
}

const work = options.work === undefined ? mkdtempSync(join(tmpdir(), "galley-sites-")) : resolve(options.work);
mkdirSync(work, { recursive: true });
let failed = 0;
let project: string | undefined;
try {
  if (options.archive && options.reference) await makeArchive(options.reference, work);
  if (options.reference) project = await referenceWithArchive(options.reference);
  if (!canCutOff) console.log("the network cannot be cut off here, and is not");
  for (const name of names) {
    const folder = await prepare(name, work);
    const began = performance.now();
    const actual = await fromGalley(name, folder);
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    const expected = project && (await fromReference(name, folder, project));
    if (name === "plain" && expected && options.update)
      await Bun.write(EXPECTED, `${JSON.stringify(digests(expected), null, 2)}\n`);
    const differences = expected
      ? outputDifferences(expected, actual)
      : name === "plain"
        ? outputDifferences(await expectedDigests(), new Map(Object.entries(digests(actual))))
        : [];
    const pages = [...actual.keys()].filter((key) => key.endsWith(".html")).length;
    const compared = expected || name === "plain" ? `${differences.length} differences` : "not compared";
    console.log(`${name}: ${pages} pages, ${actual.size - pages} pictures in ${seconds} s, ${compared}`);
    for (const line of differences.slice(0, 20)) console.log(`  ${line}`);
    failed += differences.length;
    if (pages === 0) failed++;
  }
} finally {
  if (project) rmSync(project, { recursive: true, force: true });
  if (options.work === undefined) rmSync(work, { recursive: true, force: true });
}
process.exit(failed > 0 ? 1 : 0);
