#!/usr/bin/env bun
/**
 * Sends content through Strapi and back, and compares what both servers answer after each step: by archive and by
 * pull and push, both ways.
 *
 *   bun scripts/roundtrip.ts --reference DIR [--only conformance|blog] [--documents 65] [--seed 1]
 *
 * DIR is where `scripts/conformance/reference.ts install` put it; nothing is installed. Ends with 1 if anything differs.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createApp } from "../src/server/app.ts";
import { loadContent } from "../src/server/load-content.ts";
import { openProject } from "../src/server/project/project.ts";
import { readModel } from "../src/server/project/project-source.ts";
import { type CompareOptions, compareServers, type Server } from "./roundtrip/compare.ts";
import { makeContent } from "./roundtrip/content.ts";
import {
  API_TOKEN,
  configureGalley,
  galley,
  referenceProject,
  startGalley,
  startReference,
  strapi,
  TRANSFER_TOKEN,
} from "./roundtrip/servers.ts";

const { values: options } = parseArgs({
  options: {
    reference: { type: "string" },
    only: { type: "string" },
    documents: { type: "string", default: "65" },
    seed: { type: "string", default: "1" },
  },
});
if (!options.reference) {
  console.error("roundtrip: --reference is needed (see scripts/conformance/reference.ts install)");
  process.exit(2);
}
const reference = options.reference;
const repository = join(import.meta.dir, "..");

interface Case {
  readonly name: string;
  readonly project: string;
  readonly locales: readonly string[];
  /** Of each collection type, besides what the project's own content files have. */
  readonly documents: number;
  readonly files: number;
}

const cases: readonly Case[] = [
  {
    name: "conformance",
    project: join(repository, "test/conformance/project"),
    locales: ["en", "fr", "de"],
    documents: Number(options.documents),
    files: 24,
  },
  { name: "blog", project: join(repository, "data/blog"), locales: ["en"], documents: 10, files: 8 },
];

let failed = 0;
const folder = mkdtempSync(join(tmpdir(), "galley-roundtrip-"));

/** A Galley project with the schemas of a case, and nothing in it. */
function emptyProject({ project }: Case, name: string): string {
  const root = join(folder, name);
  mkdirSync(root);
  cpSync(join(project, "src"), join(root, "src"), { recursive: true });
  configureGalley(root);
  return root;
}

/** A Galley project with content; returns its folder and the number of documents that were made. */
async function filledProject(test: Case): Promise<{ root: string; documents: number }> {
  const root = join(folder, `${test.name}-source`);
  cpSync(test.project, root, { recursive: true });
  configureGalley(root);
  const project = openProject(root, { memory: false, publicRead: false, environment: {} });
  try {
    await project.idle();
    const loaded = await loadContent(project);
    const app = createApp(project);
    const made = await makeContent({
      ...test,
      model: project.model,
      ask: async (request) => app.handle(request),
      token: API_TOKEN,
      seed: Number(options.seed),
    });
    return { root, documents: made + [...(loaded?.documents.values() ?? [])].reduce((sum, count) => sum + count, 0) };
  } finally {
    await project.close();
  }
}

async function compare(name: string, test: Case, a: Server, b: Server, wanted: Partial<CompareOptions> = {}) {
  const { model } = readModel(test.project, {});
  const started = performance.now();
  const found = await compareServers(model, a, b, { users: true, graphql: true, ...wanted });
  const seconds = ((performance.now() - started) / 1_000).toFixed(0);
  console.log(
    `${test.name}, ${name}: ${found.requests} requests, ${found.values} values, ${found.documents} documents, ` +
      `${found.files} files, ${found.differences.length} differences (${seconds} s)`,
  );
  for (const line of found.differences.slice(0, 20)) console.log(`  ${line.slice(0, 400)}`);
  failed += found.differences.length;
}

/** Runs what needs a server of each kind, and stops both. */
async function withServers(strapiFolder: string, root: string, use: (theirs: Server, ours: Server) => Promise<void>) {
  const theirs = await startReference(strapiFolder);
  try {
    const ours = await startGalley(root);
    try {
      await use(theirs, ours);
    } finally {
      await ours.stop();
    }
  } finally {
    await theirs.stop();
  }
}

async function compareCopy(name: string, test: Case, theirs: Server, root: string, wanted?: Partial<CompareOptions>) {
  const ours = await startGalley(root);
  try {
    await compare(name, test, theirs, ours, wanted);
  } finally {
    await ours.stop();
  }
}

async function run(test: Case): Promise<void> {
  const { root: source, documents } = await filledProject(test);
  console.log(`${test.name}: ${documents} documents made`);
  const strapiFolder = referenceProject(reference, test.project);
  try {
    const archive = join(folder, `${test.name}.tar.gz`);
    await galley("export", archive, source);
    await strapi(strapiFolder, "import", "-f", archive, "--force");
    const theirArchive = join(folder, `${test.name}-reference`);
    const byTransfer = emptyProject(test, `${test.name}-pulled`);
    const byApi = emptyProject(test, `${test.name}-pulled-by-api`);
    await withServers(strapiFolder, source, async (theirs, ours) => {
      await compare("galley export, strapi import", test, theirs, ours);
      await galley("pull", theirs.url, byTransfer, "--token", TRANSFER_TOKEN, "--yes");
      await compareCopy("galley pull, transfer token", test, theirs, byTransfer);
      await galley("pull", theirs.url, byApi, "--token", API_TOKEN, "--yes");
      // users and roles are not copied over REST
      await compareCopy("galley pull, API token", test, theirs, byApi, { users: false });
    });
    await strapi(strapiFolder, "export", "--no-encrypt", "-f", theirArchive);
    const imported = emptyProject(test, `${test.name}-imported`);
    await galley("import", `${theirArchive}.tar.gz`, imported, "--yes");
    await withServers(strapiFolder, imported, async (theirs, ours) => {
      await compare("strapi export, galley import", test, theirs, ours);
    });
    const pushed = referenceProject(reference, test.project);
    try {
      await withServers(pushed, imported, async (theirs) => {
        await galley("push", theirs.url, imported, "--token", TRANSFER_TOKEN, "--yes");
      });
      // roles and settings are read at the start
      await withServers(pushed, imported, async (theirs, ours) => {
        await compare("galley push", test, theirs, ours);
      });
    } finally {
      rmSync(pushed, { recursive: true, force: true });
    }
  } finally {
    rmSync(strapiFolder, { recursive: true, force: true });
  }
}

try {
  for (const test of cases) if (!options.only || options.only === test.name) await run(test);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed > 0 ? 1 : 0);
