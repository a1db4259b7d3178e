/** An object, of whose values nothing is known. */
export type Values = Record<string, unknown>;

/** Whether a value is an object other than a list. */
export const isRecord = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Merges objects recursively, and lists by index, as lodash: other values of `over` replace those of `base`. */
export function mergeValues(base: unknown, over: unknown): unknown {
  if (isRecord(base) && isRecord(over)) return merge(base, over);
  if (!Array.isArray(base) || !Array.isArray(over)) return over;
  const length = Math.max(base.length, over.length);
  return Array.from({ length }, (_, index) =>
    over[index] === undefined ? base[index] : mergeValues(base[index], over[index]),
  );
}

/** As `mergeValues`. Undefined replaces no value. */
export function merge(base: object, over: object): Readonly<Record<string, unknown>> {
  const merged: Values = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const current = merged[key];
    if (value === undefined && current !== undefined) continue;
    merged[key] = mergeValues(current, value);
  }
  return merged;
}

/** Other values become an empty record. */
export const toRecord = (value: unknown): Values => (isRecord(value) ? value : {});
