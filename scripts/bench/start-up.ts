/** How long it takes from the start of a process to its first answer, beside an executable that does nothing at all. */
import { onServerCore } from "./cores.ts";
import { start, type Target } from "./target.ts";

export interface StartUp {
  readonly emptyMs: number[];
  readonly galleyMs: number[];
  readonly idleMb: number[];
}

const TIMES = 10;
/** What a server's memory comes to once its start is over. */
const SETTLE_MS = 500;

async function runEmpty(file: string): Promise<number> {
  const began = performance.now();
  const child = Bun.spawn(onServerCore([file]), { stdout: "ignore" });
  if ((await child.exited) !== 0) throw new Error(`The empty executable ended with ${child.exitCode}`);
  return performance.now() - began;
}

/** `empty` is the executable that does nothing. */
export async function measureStartUp(galley: Target, empty: string, folder: string): Promise<StartUp> {
  const result: StartUp = { emptyMs: [], galleyMs: [], idleMb: [] };
  for (let time = 0; time < TIMES; time++) {
    result.emptyMs.push(await runEmpty(empty));
    const up = await start(galley, folder);
    result.galleyMs.push(up.startMs);
    await Bun.sleep(SETTLE_MS);
    result.idleMb.push(up.megabytes());
    await up.stop();
  }
  return result;
}
