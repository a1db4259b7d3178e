/** What a project's own code adds to the processor time of a read: each project in turn with one without code. */
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { load } from "./load.ts";
import { median } from "./median.ts";
import { OWN_CODE_CASES, type OwnCodeCase } from "./own-code-cases.ts";
import { TOKEN } from "./project.ts";
import { layOutTable, short } from "./table.ts";
import { start, type Target, type Up } from "./target.ts";

/** The first case must read at least this many times as fast as a project without code, at one URL. */
const WANTED = 0.35;

/** Until compilers and caches have seen the requests. */
const WARM_TURNS = 5;
/** The turns of each server in a round. */
const TURNS = 10;

const KINDS = {
  same: { about: "one URL again and again", requests: 2_000, mark: (path: string) => path },
  distinct: {
    about: "URLs that differ",
    requests: 400,
    // an unknown parameter is ignored
    mark: (path: string) => `${path}&n={{n}}`,
  },
} as const;
type Kind = keyof typeof KINDS;
const kinds = Object.keys(KINDS) as Kind[];

export interface OwnCodeOptions {
  readonly target: Target;
  /** A project with content and without code. */
  readonly folder: string;
  readonly scratch: string;
  readonly rounds: number;
  readonly connections: number;
  /** The names of the cases to measure; undefined: all. */
  readonly only: readonly string[] | undefined;
  readonly tell: (text: string) => void;
}

/** Microseconds per request, by turn. */
type Times = Readonly<Record<Kind, { readonly own: number[]; readonly plain: number[] }>>;

function copyProject(folder: string, to: string, files: OwnCodeCase["files"] = {}): string {
  cpSync(folder, to, { recursive: true, verbatimSymlinks: true });
  for (const [path, text] of Object.entries(files)) {
    const file = join(to, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return to;
}

async function fetchData(up: Up, path: string): Promise<unknown> {
  const response = await fetch(up.url + path, { headers: { authorization: `Bearer ${TOKEN}` }, keepalive: false });
  if (!response.ok) throw new Error(`${path}: status ${response.status}\n${await response.text()}`);
  return ((await response.json()) as { data: unknown }).data;
}

/** Throws if the code does not respond with the same documents, so that different work would be compared. */
async function checkSame(own: Up, plain: Up, { name, path, plainPath = path }: OwnCodeCase): Promise<void> {
  const [one, other] = [await fetchData(own, path), await fetchData(plain, plainPath)];
  if (!Bun.deepEquals(one, other, true)) throw new Error(`${name}: the responses have different data`);
}

/** Adds the times of both servers, which take turns. */
async function addTimes(times: Times, own: Up, plain: Up, entry: OwnCodeCase, connections: number): Promise<void> {
  const servers = [
    { up: own, side: "own", path: entry.path },
    { up: plain, side: "plain", path: entry.plainPath ?? entry.path },
  ] as const;
  for (let turn = -WARM_TURNS; turn < TURNS; turn++) {
    for (const { up, side, path } of turn % 2 === 0 ? servers : servers.toReversed()) {
      for (const kind of kinds) {
        const { requests, mark } = KINDS[kind];
        const { microseconds } = await load(up, [`GET\t${mark(path)}`], { requests, connections });
        if (turn >= 0) times[kind][side].push(microseconds);
      }
    }
  }
}

async function measureCase(entry: OwnCodeCase, options: OwnCodeOptions): Promise<Times> {
  const { target, folder, scratch, rounds, connections } = options;
  const times: Times = { same: { own: [], plain: [] }, distinct: { own: [], plain: [] } };
  const ownFolder = copyProject(folder, join(scratch, "own"), entry.files);
  const plainFolder = copyProject(folder, join(scratch, "plain"));
  for (let round = 0; round < rounds; round++) {
    const own = await start(target, ownFolder);
    const plain = await start(target, plainFolder);
    await checkSame(own, plain, entry);
    await addTimes(times, own, plain, entry, connections);
    await own.stop();
    await plain.stop();
  }
  for (const used of [ownFolder, plainFolder]) rmSync(used, { recursive: true });
  return times;
}

const computeRatio = (times: Times, kind: Kind): number => median(times[kind].plain) / median(times[kind].own);

/** Prints a table; returns whether the first case is as fast as wanted, and the times by case. */
export async function benchOwnCode(options: OwnCodeOptions) {
  const unknown = options.only?.filter((name) => !OWN_CODE_CASES.some((entry) => entry.name === name)) ?? [];
  if (unknown.length > 0)
    throw new Error(`--only: no case ${unknown.join()}; there are ${OWN_CODE_CASES.map(({ name }) => name).join()}`);
  const cases = OWN_CODE_CASES.filter(({ name }) => options.only?.includes(name) ?? true);
  const results: Record<string, Times> = {};
  for (const entry of cases) {
    const times = await measureCase(entry, options);
    results[entry.name] = times;
    const figures = kinds.map((kind) => `${kind} ${short(computeRatio(times, kind))}`);
    options.tell(`${entry.name}: ${figures.join(", ")}`);
  }
  const row = ({ name }: OwnCodeCase): string[] => [
    name,
    ...kinds.flatMap((kind) => {
      const times = results[name]!;
      const { own, plain } = times[kind];
      return [short(median(plain)), short(median(own)), short(computeRatio(times, kind))];
    }),
  ];
  const head = ["own code", ...kinds.flatMap((kind) => [`${kind}: without`, "with", "ratio"])];
  console.log(`microseconds of the server's processor time per request; medians of ${options.rounds * TURNS} turns`);
  for (const kind of kinds) console.log(`${kind}: ${KINDS[kind].about}`);
  console.log(`\n${layOutTable([head, ...cases.map(row)])}\n`);
  for (const { name, about } of cases) console.log(`${name}: ${about}`);
  const [first] = OWN_CODE_CASES;
  const wanted = results[first!.name];
  const isFast = !wanted || computeRatio(wanted, "same") >= WANTED;
  if (wanted) console.log(`\n${first!.name}, wanted at least ${WANTED}: ${isFast ? "reached" : "NOT reached"}`);
  return { isFast, results };
}
