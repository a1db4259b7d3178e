/** Long work, which yields wherever others may get a turn of the event loop. */
import { parsingTurn } from "./budget.ts";

export type WorkInTurns<T> = Generator<void, T>;

/** Runs work to its end. */
export function atOnce<T>(work: WorkInTurns<T>): T {
  let next = work.next();
  while (!next.done) next = work.next();
  return next.value;
}

/** Runs work while others are served. */
export async function inTurns<T>(work: WorkInTurns<T>): Promise<T> {
  let next = work.next();
  while (!next.done) {
    await parsingTurn();
    next = work.next();
  }
  return next.value;
}
