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
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { administrator } from "../../src/admin/administrator.ts";
import { play } from "../../test/conformance/play.ts";
import type { Recording, Scenario, Step } from "../../test/conformance/scenario.ts";
import { layOut, start, VERSION } from "./reference.ts";

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
const installed = options.reference;

let port = 15_000 + Math.floor(Math.random() * 4_000);
const laidOut = new Map<string, string>();

/** A runnable project whose database was created and set up once, and is as it was then. */
async function freshProject(project: string): Promise<string> {
  let folder = laidOut.get(project);
  if (!folder) {
    folder = layOut(installed, join(options.projects, project));
    await (await start(folder, ++port)).stop();
    cpSync(join(folder, "data"), join(folder, "data-fresh"), { recursive: true });
    laidOut.set(project, folder);
  }
  rmSync(join(folder, "data"), { recursive: true, force: true });
  cpSync(join(folder, "data-fresh"), join(folder, "data"), { recursive: true });
  rmSync(join(folder, "public/uploads"), { recursive: true, force: true });
  mkdirSync(join(folder, "public/uploads"), { recursive: true });
  return folder;
}

function forget(project: string): void {
  const folder = laidOut.get(project);
  if (folder) rmSync(folder, { recursive: true, force: true });
  laidOut.delete(project);
}

/** The session of a first administrator, who has the name of Galley's. */
async function registerAdministrator(url: string): Promise<string> {
  const { email, firstname, lastname } = administrator;
  const body = JSON.stringify({ email, firstname, lastname, password: "Conformance1" });
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${url}/admin/register-admin`, { method: "POST", headers, body });
  return ((await response.json()) as { data: { token: string } }).data.token;
}

async function record(file: string): Promise<void> {
  const scenario = JSON.parse(readFileSync(join(options.scenarios, file), "utf8")) as Scenario;
  const project = scenario.project ?? "project";
  const folder = await freshProject(project);
  let server = await start(folder, ++port, {}, options.develop);
  const serveChange = async ({ method = "GET", path = "" }: Step, status: number): Promise<void> => {
    if (method === "GET" || status >= 300 || !path.startsWith("/content-type-builder/")) return;
    await server.stop();
    server = await start(folder, port, {}, true);
  };
  try {
    const needsAdministrator = scenario.steps.some((step) => step.as === "admin");
    const keys: Record<string, string> = needsAdministrator ? { admin: await registerAdministrator(server.url) } : {};
    const { answers, raw } = await play(
      scenario,
      server.url,
      join(conformance, "files"),
      keys,
      options.develop ? serveChange : undefined,
    );
    const steps = scenario.steps.map((step, index) => ({ ...step, answer: answers[index]! }));
    const { name, about } = scenario;
    const recording: Recording = { name, project, ...(about ? { about } : {}), reference: `strapi ${VERSION}`, steps };
    if (!options.print) writeFileSync(join(options.recordings, file), `${JSON.stringify(recording, null, 1)}\n`);
    else {
      for (const [index, { id }] of scenario.steps.entries()) {
        console.log(`== ${id}: ${answers[index]!.status}\n${JSON.stringify(raw[index], null, 1)}`);
      }
    }
    console.log(`${name}: ${answers.length} steps, statuses ${answers.map(({ status }) => status).join(" ")}`);
  } finally {
    await server.stop();
    // the scenario has changed the project's files
    if (options.develop) forget(project);
  }
}

mkdirSync(options.recordings, { recursive: true });
const files = readdirSync(options.scenarios).filter((file) => file.endsWith(".json") && file.includes(options.only));
for (const file of files.sort()) await record(file);
for (const project of [...laidOut.keys()]) forget(project);
