/** How deep values are nested: what is too deep, and which problems come first. */
import type { Problem } from "./errors.ts";

/** Deeper values are refused: no client sends them, and every reader would have to survive them. */
export const MAX_DEPTH = 200;

/** Levels of lists and objects in a value, at most one more than `limit`. */
export function depthOf(value: unknown, limit = MAX_DEPTH): number {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= limit; depth++) {
    const next: unknown[] = [];
    // one by one: a list may be longer than a call may have arguments
    for (const item of level) {
      if (typeof item !== "object" || item === null) continue;
      for (const inner of Object.values(item)) next.push(inner);
    }
    if (next.length === 0) return depth;
    level = next;
  }
  return limit + 1;
}

/** The reference checks the entries of a list side by side and reports first what is done first: what has the fewest levels. */
export const byDepth = (found: readonly { readonly depth: number; readonly problems: Problem[] }[]): Problem[] =>
  found
    .filter(({ problems }) => problems.length > 0)
    .sort((a, b) => a.depth - b.depth)
    .flatMap(({ problems }) => problems);
