/** How long it takes from the start of a process to its first answer, beside an executable that answers and does nothing else. */
import { type Figures, noFigures } from "./measure.ts";
import { start, type Target } from "./target.ts";

/** By the target's name. */
export type StartUp = Readonly<Record<string, Figures>>;

const TIMES = 10;
/** What a server's memory comes to once its start is over. */
const SETTLE_MS = 500;

/** The targets by turns, on the same folder. */
export async function measureStartUp(targets: readonly Target[], folder: string): Promise<StartUp> {
  const result = Object.fromEntries(targets.map(({ name }) => [name, noFigures()]));
  for (let time = 0; time < TIMES; time++) {
    for (const target of time % 2 === 0 ? targets : targets.toReversed()) {
      const { startMs, startProcessorMs, idleMb } = result[target.name]!;
      const up = await start(target, folder);
      startMs.push(up.startMs);
      startProcessorMs.push(up.startProcessorMs);
      await Bun.sleep(SETTLE_MS);
      idleMb.push(up.megabytes());
      await up.stop();
    }
  }
  return result;
}
