/** What cache tags cost reads, and the change log writes: the same executable with both, and without one of them. */
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createGalley } from "../../src/index.ts";
import { type Comparison, compare, type Entrant } from "./compare.ts";
import type { Settings } from "./measure.ts";
import { TOKEN } from "./project.ts";
import { timeOf } from "./results.ts";
import { layOutTable, short } from "./table.ts";
import type { Work } from "./works.ts";

const WITHOUT_TAGS = "without-tags";
const WITHOUT_LOG = "without-log";

/** The first request of the change feed begins the log. */
async function beginLog(folder: string): Promise<void> {
  await using galley = await createGalley({ project: folder, memory: false, environment: {} });
  const headers = { authorization: `Bearer ${TOKEN}` };
  const { status } = await galley.handle(new Request("http://localhost/galley/changes", { headers }));
  if (status !== 200) throw new Error(`the change feed answered ${status}`);
}

function turnTagsOff(folder: string): void {
  const file = join(folder, "config/galley.json");
  const settings = JSON.parse(readFileSync(file, "utf8")) as object;
  writeFileSync(file, JSON.stringify({ ...settings, cacheTags: false }));
}

export async function compareTags(galley: Entrant, settings: Settings): Promise<Comparison> {
  const entrantOf = (name: string): Entrant => {
    const folder = join(settings.scratch, name);
    cpSync(galley.folder, folder, { recursive: true, verbatimSymlinks: true });
    return { ...galley, folder, target: { ...galley.target, name } };
  };
  const [both, withoutTags, withoutLog] = [galley.target.name, WITHOUT_TAGS, WITHOUT_LOG].map(entrantOf);
  for (const { folder } of [both!, withoutTags!]) await beginLog(folder);
  turnTagsOff(withoutTags!.folder);
  return compare([both!, withoutTags!, withoutLog!], settings);
}

export function printTags(comparison: Comparison, works: readonly Work[]): void {
  const rows = works.map(({ name, writes }) => {
    const other = comparison[writes ? WITHOUT_LOG : WITHOUT_TAGS];
    const [time, before] = [timeOf(comparison.galley, name), timeOf(other, name)];
    return [name, short(time), short(before), short(time / before)];
  });
  console.log(
    "microseconds of the server's processor time for a request, and without cache tags, if it reads, or the change log, if it writes",
  );
  console.log(`\n${layOutTable([["workload", "with", "without", "ratio"], ...rows])}`);
}
