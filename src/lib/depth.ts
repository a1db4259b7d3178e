/** The nesting depth of values: its limit, and the order of problems by depth. */
import type { Problem } from "./errors.ts";

/** Deeper values are refused, since they could overflow the stack of recursive code. */
export const MAX_DEPTH = 200;

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** The number of levels of lists and objects in a value, at most `limit` + 1. */
export function measureDepth(value: unknown, limit = MAX_DEPTH): number {
  let level = [value].filter(isObject);
  for (let depth = 0; depth <= limit; depth++) {
    let isEmpty = true;
    const next: object[] = [];
    for (const item of level) {
      const values: readonly unknown[] = Array.isArray(item) ? item : Object.values(item);
      if (values.length > 0) isEmpty = false;
      // one by one: there may be too many for the arguments of one `push`
      for (const inner of values) if (isObject(inner)) next.push(inner);
    }
    if (isEmpty) return depth;
    if (next.length === 0) return depth + 1;
    level = next;
  }
  return limit + 1;
}

/** Whether the brackets of a JSON text are nested deeper than `limit`, ignoring strings. */
export function nestsDeeper(text: string, limit: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      for (at++; at < text.length && text.charCodeAt(at) !== 0x22; at++) if (text.charCodeAt(at) === 0x5c) at++;
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > limit) return true;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return false;
}

/** Strapi checks the entries of a list concurrently, so that problems of those with the fewest levels come first. */
export const byDepth = (items: readonly { readonly depth: number; readonly problems: Problem[] }[]): Problem[] =>
  items
    .filter(({ problems }) => problems.length > 0)
    .sort((a, b) => a.depth - b.depth)
    .flatMap(({ problems }) => problems);
