/** An object, of whose values nothing is known. */
export type Values = Record<string, unknown>;

/** Whether a value is an object other than a list. */
export const isRecord = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Without a class: instances, such as patterns and dates, are values as a whole. */
const isPlain = (value: unknown): value is Values =>
  isRecord(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value));

/**
 * Merges objects recursively, as lodash: other values of `over` replace those of `base`, except undefined. `mergeOthers`: decides about
 * these.
 */
export function merge(
  base: object,
  over: object,
  mergeOthers = (_: unknown, value: unknown): unknown => value,
): Readonly<Record<string, unknown>> {
  const merged: Values = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const current = merged[key];
    if (value === undefined && current !== undefined) continue;
    merged[key] =
      isRecord(current) && isPlain(value) ? merge(current, value, mergeOthers) : mergeOthers(current, value);
  }
  return merged;
}

/** As `merge`, but lists are merged entry by entry, as lodash does as well. */
export function mergeWithLists(base: unknown, over: unknown): unknown {
  if (isRecord(base) && isPlain(over)) return merge(base, over, mergeWithLists);
  if (!Array.isArray(base) || !Array.isArray(over)) return over;
  const length = Math.max(base.length, over.length);
  return Array.from({ length }, (_, index) =>
    over[index] === undefined ? base[index] : mergeWithLists(base[index], over[index]),
  );
}

/** Other values become an empty record. */
export const toRecord = (value: unknown): Values => (isRecord(value) ? value : {});
