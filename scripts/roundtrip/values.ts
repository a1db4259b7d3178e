/** Where two JSON values differ. */

/** Row ids are another server's own; documents are compared by everything else. */
const IGNORED_KEYS = new Set(["id"]);

export interface ValueComparison {
  /** Values that were compared: everything that is no object or list. */
  readonly values: number;
  /** The first place where they differ, with both values; undefined: they are equal. */
  readonly difference: string | undefined;
}

const shown = (value: unknown): string => JSON.stringify(value)?.slice(0, 160) ?? "nothing";

/** Key order does not count, the order of lists does. */
export function compareValues(a: unknown, b: unknown): ValueComparison {
  let values = 0;
  const walk = (x: unknown, y: unknown, at: string): string | undefined => {
    if (Array.isArray(x) && Array.isArray(y)) {
      if (x.length !== y.length) return `${at}: ${x.length} or ${y.length} items`;
      for (const [index, item] of x.entries()) {
        const found = walk(item, y[index], `${at}[${index}]`);
        if (found) return found;
      }
      return undefined;
    }
    if (isObject(x) && isObject(y)) {
      for (const key of new Set([...Object.keys(x), ...Object.keys(y)])) {
        if (IGNORED_KEYS.has(key)) continue;
        const found = walk(x[key], y[key], `${at}.${key}`);
        if (found) return found;
      }
      return undefined;
    }
    values++;
    return Object.is(x, y) ? undefined : `${at}: ${shown(x)} or ${shown(y)}`;
  };
  const difference = walk(a, b, "");
  return { values, difference };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === "object" && !Array.isArray(value);
