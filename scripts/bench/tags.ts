/**
 * What cache tags cost reads, and the change log writes: three servers in one process, with both and without one of them, by
 * turns of a few milliseconds. What two processes need for the same differs by more.
 */
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createGalley } from "../../src/index.ts";
import type { Entrant } from "./compare.ts";
import { onServerCore } from "./cores.ts";
import { load, nextNumber } from "./load.ts";
import type { Settings } from "./measure.ts";
import { median } from "./median.ts";
import { TOKEN } from "./project.ts";
import { layOutTable, short } from "./table.ts";
import { verify } from "./verify.ts";
import type { Work } from "./works.ts";

/** Microseconds of processor time for a request, one for each turn. */
interface Times {
  readonly with: number[];
  readonly without: number[];
}

/** By the workload's name. */
type TagTimes = Readonly<Record<string, Times>>;

const VARIANTS = ["with-both", "without-tags", "without-log"] as const;
type Variant = (typeof VARIANTS)[number];

/** So much processor time is measured at once, and so much before, for compilers and caches; in seconds. */
const TURN = 0.025;
const WARM = 0.5;

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

async function copyContent(from: string, variant: Variant, scratch: string): Promise<string> {
  const copy = join(scratch, variant);
  rmSync(copy, { recursive: true, force: true });
  cpSync(from, copy, { recursive: true, verbatimSymlinks: true });
  if (variant !== "without-log") await beginLog(copy);
  if (variant === "without-tags") turnTagsOff(copy);
  return copy;
}

interface Server {
  readonly url: string;
  readonly pid: number;
}

/** The servers of all variants. */
async function start(folders: readonly string[]) {
  const command = onServerCore([process.execPath, join(import.meta.dir, "tags-server.ts"), ...folders]);
  const env = { ...process.env, NODE_ENV: "production" };
  const child = Bun.spawn(command, { env, stdin: "ignore", stdout: "pipe", stderr: "inherit" });
  let printed = "";
  const decoder = new TextDecoder();
  for await (const chunk of child.stdout) {
    printed += decoder.decode(chunk, { stream: true });
    if (printed.endsWith("\n")) break;
  }
  const ports = JSON.parse(printed) as number[];
  const servers = VARIANTS.map(
    (variant, i) => [variant, { url: `http://127.0.0.1:${ports[i]}`, pid: child.pid }] as const,
  );
  const stop = async (): Promise<void> => {
    child.kill();
    await child.exited;
  };
  return { servers: Object.fromEntries(servers) as Record<Variant, Server>, stop };
}

async function measure(
  pair: readonly [withBoth: Server, without: Server],
  lines: readonly string[],
  times: Times,
  { connections, seconds }: Settings,
): Promise<void> {
  const send = async (server: Server, time: number): Promise<number> =>
    // from another place each time, so that one turn does not find what another has left in caches
    (await load(server, lines, { connections, seconds: time, first: nextNumber() })).microseconds;
  for (const server of pair) await send(server, WARM);
  const all = [times.with, times.without];
  for (let turn = 0; turn < seconds / TURN; turn++)
    for (const i of turn % 2 === 0 ? [0, 1] : [1, 0]) all[i]!.push(await send(pair[i]!, TURN));
}

/** Throws for a workload whose answers are not what they should be. */
export async function compareTags(galley: Omit<Entrant, "target">, settings: Settings): Promise<TagTimes> {
  const { works, rounds, scratch, tell } = settings;
  const times = Object.fromEntries(works.map(({ name }) => [name, { with: [], without: [] } as Times]));
  for (let round = 1; round <= rounds; round++) {
    const folders: string[] = [];
    for (const variant of VARIANTS) folders.push(await copyContent(galley.folder, variant, scratch));
    const { servers, stop } = await start(folders);
    try {
      for (const work of works) {
        const pair = [servers["with-both"], servers[work.writes ? "without-log" : "without-tags"]] as const;
        const lines = work.requests(galley.content);
        for (const { url } of pair) await verify(url, work, lines);
        await measure(pair, lines, times[work.name]!, settings);
        tell(`${round} ${work.name}: ${short(ratioOf(times[work.name]!))}`);
      }
    } finally {
      await stop();
    }
  }
  return times;
}

const ratioOf = ({ with: one, without }: Times): number => median(one) / median(without);

export function printTags(times: TagTimes, works: readonly Work[]): void {
  const rows = works.map(({ name }) => {
    const { with: one, without } = times[name]!;
    return [name, short(median(one)), short(median(without)), ratioOf(times[name]!).toFixed(3)];
  });
  console.log(
    "microseconds of the server's processor time for a request, and without cache tags, if it reads, or the change log, if it writes",
  );
  console.log(`\n${layOutTable([["workload", "with", "without", "ratio"], ...rows])}`);
}
