/** Finds the files that link to renamed ones: they are to be written with the new names. */
import type { WorkInTurns } from "../../lib/in-turns.ts";
import type { SyncState } from "./state.ts";

/** States that are read at a time: all would need as much memory as the content. */
const BATCH = 200;
const TEXT = /"((?:[^"\\]|\\.)*)"/g;

/** `renamed`: the earlier names. Returns paths. */
export function* filesThatLinkTo(state: SyncState, renamed: readonly string[]): WorkInTurns<string[]> {
  const names = new Set(renamed.map((name) => JSON.stringify(name)));
  const linking: string[] = [];
  for (let after = ""; names.size > 0; ) {
    const states = state.statesAfter(after, BATCH);
    for (const [path, text] of states)
      if (text.matchAll(TEXT).some(([quoted]) => names.has(quoted))) linking.push(path);
    const last = states.at(-1);
    if (!last) break;
    [after] = last;
    yield;
  }
  return linking;
}
