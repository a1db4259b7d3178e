#!/usr/bin/env bun
/**
 * Builds the same small site with `@strapi/client` alone, Astro, Next.js and Gatsby, all as npm has them, from an archive that
 * `galley run` serves with the network cut off, and compares pages and pictures with those built from Strapi.
 *
 *   bun scripts/sites.ts [--only plain,astro,next,gatsby] [--reference DIR] [--work DIR]
 *   bun scripts/sites.ts --changes 10000 [--only astro,gatsby,next] [--work DIR]
 *
 * Without --reference, what the plain site's pages must be is in `sites/plain/expected.json`; with --update Strapi's
 * build is written there. DIR of --work keeps what npm has installed; a temporary folder by default.
 * With --changes, sites with the loaders and so many articles are built, one article is edited, and the next build must ask for
 * that one, render its page, and be what a full build is.
 * The archive is `strapi export`'s of the starter: `--archive` makes it again, with Strapi.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { frontEndEnvironment } from "../src/cli/front-end-environment.ts";
import { galley, referenceProject, startReference, strapi } from "./roundtrip/servers.ts";
import { BUILD, prepare, run } from "./sites/build.ts";
import { changeSites, compareChanges } from "./sites/changes.ts";
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
    only: { type: "string" },
    changes: { type: "string" },
    reference: { type: "string" },
    work: { type: "string" },
    update: { type: "boolean", default: false },
    archive: { type: "boolean", default: false },
  },
});
const known = options.changes === undefined ? Object.keys(sites) : changeSites;
const names = options.only?.split(",") ?? known;
const unknown = names.find((name) => !known.includes(name));
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

const canCutOff = Bun.which("unshare") !== null && Bun.spawnSync([...OFFLINE, "true"]).exitCode === 0;

/** Builds a site; returns what it has written. */
async function build(name: string, folder: string, command: () => Promise<unknown>): Promise<SiteOutput> {
  const { output, caches } = sites[name]!;
  for (const path of [output, ...caches]) rmSync(join(folder, path), { recursive: true, force: true });
  await command();
  return readOutput(join(folder, output));
}

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

/** The sites of the archive; returns the number of differences. */
async function compareWithStrapi(work: string): Promise<number> {
  const { reference, update, archive } = options;
  let failed = 0;
  if (archive && reference) await makeArchive(reference, work);
  const project = reference ? await referenceWithArchive(reference) : undefined;
  if (!canCutOff) console.log("the network cannot be cut off here, and is not");
  try {
    for (const name of names) {
      const folder = await prepare(name, work);
      const began = performance.now();
      const actual = await fromGalley(name, folder);
      const seconds = ((performance.now() - began) / 1_000).toFixed(1);
      const expected = project && (await fromReference(name, folder, project));
      if (name === "plain" && expected && update)
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
  }
  return failed;
}

const work = options.work === undefined ? mkdtempSync(join(tmpdir(), "galley-sites-")) : resolve(options.work);
mkdirSync(work, { recursive: true });
let failed: number;
try {
  const { changes } = options;
  failed = changes === undefined ? await compareWithStrapi(work) : await compareChanges(names, work, Number(changes));
} finally {
  if (options.work === undefined) rmSync(work, { recursive: true, force: true });
}
process.exit(failed > 0 ? 1 : 0);
