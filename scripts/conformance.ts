#!/usr/bin/env bun
/**
 * Replays recordings against any version of Strapi, and prints what that version answers differently.
 *
 *   bun scripts/conformance.ts --version 5.55.1 [--reference DIR] [--baseline DIR] [--only PATTERN] [--sample 40] [FOLDER…]
 *
 * Strapi is installed into --reference (a folder of its own below the system's temporary folder otherwise), unless that
 * version is there already. --baseline is where `conformance/reference.ts install` has installed the recordings' version:
 * recordings that differ are asked there, too, since an answer may differ for other reasons. --only is a regular
 * expression for names of recordings. Each FOLDER has `recordings` and their projects, as test/conformance does; the
 * recordings of test/conformance are always replayed. --sample replays that many, spread over all. One Strapi runs at a time. Ends with 1
 * if anything has changed.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Recording } from "../test/conformance/scenario.ts";
import { findChanges, formatChanges, spread } from "./conformance/changes.ts";
import { FreshRuns } from "./conformance/fresh-runs.ts";
import { install, VERSION } from "./conformance/reference.ts";
import { findLagging, npmView } from "./conformance/versions.ts";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    version: { type: "string" },
    reference: { type: "string" },
    baseline: { type: "string" },
    only: { type: "string", default: "" },
    sample: { type: "string" },
  },
});
const { version } = options;
if (!version || !/^\d+\.\d+\.\d+$/.test(version)) {
  console.error("conformance: --version is needed, for example --version 5.55.1");
  process.exit(2);
}
if (options.sample !== undefined && !/^[1-9]\d*$/.test(options.sample)) {
  console.error("conformance: --sample is a number of recordings");
  process.exit(2);
}
const repository = resolve(import.meta.dir, "..");
const installed = resolve(options.reference ?? join(tmpdir(), `strapi-${version}`));
if (`${installed}/`.startsWith(`${repository}/`)) {
  console.error("conformance: --reference is a folder outside of the repository");
  process.exit(2);
}

const installedVersion = (name: string): string | undefined => {
  const file = join(installed, "node_modules", name, "package.json");
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version : undefined;
};

if (installedVersion("@strapi/strapi") !== version) {
  const lagging = await findLagging(version, npmView);
  console.log(`installing Strapi ${version} into ${installed}`);
  install(installed, version, lagging);
}
const others = readdirSync(join(installed, "node_modules/@strapi")).flatMap((folder) => {
  const found = installedVersion(`@strapi/${folder}`)!;
  // the design system has versions of its own
  return found === version || found.split(".")[0] !== version.split(".")[0] ? [] : [`@strapi/${folder} ${found}`];
});
if (others.length > 0) console.log(`not of version ${version}, since npm did not have them: ${others.join(", ")}`);

/** Recordings of all folders by name; those of test/conformance take precedence. */
function readRecordings(): { readonly recording: Recording; readonly folder: string }[] {
  const pattern = new RegExp(options.only);
  const found = new Map<string, { recording: Recording; folder: string }>();
  for (const folder of [join(repository, "test/conformance"), ...positionals.map((path) => resolve(path))]) {
    for (const file of readdirSync(join(folder, "recordings")).sort()) {
      const name = file.replace(/\.json$/, "");
      if (!file.endsWith(".json") || !pattern.test(name) || found.has(name)) continue;
      found.set(name, { recording: JSON.parse(readFileSync(join(folder, "recordings", file), "utf8")), folder });
    }
  }
  return [...found.values()];
}

const changesTypes = ({ steps }: Recording): boolean =>
  steps.some(
    ({ as, method, path = "" }) => as === "admin" && method !== undefined && path.startsWith("/content-type-builder/"),
  );

const runs = new Map<string, FreshRuns>();
const createRuns = (strapi: string, folder: string): FreshRuns => {
  const key = `${strapi}\n${folder}`;
  const known = runs.get(key) ?? new FreshRuns(strapi, folder);
  runs.set(key, known);
  return known;
};

const total = { recordings: 0, steps: 0, changed: 0, sameBefore: 0, failed: 0 };
const all = readRecordings();
const chosen = spread(all, Number(options.sample ?? all.length));
for (const { recording, folder } of chosen) {
  const develop = changesTypes(recording);
  try {
    const { answers } = await createRuns(installed, folder).play(recording, develop);
    let changes = findChanges(recording, answers);
    if (changes.length > 0 && options.baseline) {
      const before = await createRuns(resolve(options.baseline), folder).play(recording, develop);
      changes = findChanges(recording, answers, before.answers);
    }
    total.recordings++;
    total.steps += answers.length;
    total.sameBefore += changes.filter(({ sameBefore }) => sameBefore).length;
    total.changed += changes.filter(({ sameBefore }) => !sameBefore).length;
    const lines = formatChanges(recording.name, changes);
    for (const line of lines.length > 0 ? lines : [`${recording.name}: ${answers.length} steps equal`])
      console.log(line);
  } catch (error) {
    total.failed++;
    console.log(`${recording.name}: could not be replayed: ${error instanceof Error ? error.message : error}`);
  }
}
for (const run of runs.values()) run.close();
const apart = options.baseline ? `; ${total.sameBefore} others differ from the recordings on ${VERSION}, too` : "";
const failures = total.failed > 0 ? `; ${total.failed} recordings could not be replayed` : "";
console.log(
  `Strapi ${version}: ${total.recordings} of ${all.length} recordings, ${total.steps} steps, ${total.changed} changed since ${VERSION}${apart}${failures}`,
);
process.exit(total.changed + total.failed > 0 ? 1 : 0);
