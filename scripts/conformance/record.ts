#!/usr/bin/env bun
/**
 * Plays scenarios against Strapi and writes what it answered.
 *
 *   bun scripts/conformance/record.ts --reference DIR [--scenarios DIR] [--recordings DIR] [--only TEXT] [--print]
 *
 * DIR is where `reference.ts install` put it. Each scenario gets a fresh copy of the project's database. --print shows
 * the answers instead of writing them: the way to ask Strapi a question. --develop lets it change types, and starts it
 * again after each change.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Recording, Scenario } from "../../test/conformance/scenario.ts";
import { FreshRuns } from "./fresh-runs.ts";
import { VERSION } from "./reference.ts";

const conformance = join(import.meta.dir, "../../test/conformance");
const { values: options } = parseArgs({
  options: {
    reference: { type: "string" },
    scenarios: { type: "string", default: join(conformance, "scenarios") },
    recordings: { type: "string", default: join(conformance, "recordings") },
    projects: { type: "string", default: conformance },
    only: { type: "string", default: "" },
    print: { type: "boolean", default: false },
    develop: { type: "boolean", default: false },
  },
});
if (!options.reference) {
  console.error("record: --reference is needed (see reference.ts install)");
  process.exit(2);
}
const runs = new FreshRuns(options.reference, options.projects);

async function record(file: string): Promise<void> {
  const scenario = JSON.parse(readFileSync(join(options.scenarios, file), "utf8")) as Scenario;
  const { answers, raw } = await runs.play(scenario, options.develop);
  const steps = scenario.steps.map((step, index) => ({ ...step, answer: answers[index]! }));
  const { name, about, project = "project" } = scenario;
  const recording: Recording = { name, project, ...(about ? { about } : {}), reference: `strapi ${VERSION}`, steps };
  if (!options.print) writeFileSync(join(options.recordings, file), `${JSON.stringify(recording, null, 1)}\n`);
  else {
    for (const [index, { id }] of scenario.steps.entries()) {
      console.log(`== ${id}: ${answers[index]!.status}\n${JSON.stringify(raw[index], null, 1)}`);
    }
  }
  console.log(`${name}: ${answers.length} steps, statuses ${answers.map(({ status }) => status).join(" ")}`);
}

mkdirSync(options.recordings, { recursive: true });
const files = readdirSync(options.scenarios).filter((file) => file.endsWith(".json") && file.includes(options.only));
for (const file of files.sort()) await record(file);
runs.close();
