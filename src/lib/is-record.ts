/** An object, of whose values nothing is known. */
export type Values = Record<string, unknown>;

/** Whether a value is an object other than a list. */
export const isRecord = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Merges objects recursively, as lodash: other values of `over` replace those of `base`, except undefined. */
export function merge(base: object, over: object): Readonly<Record<string, unknown>> {
  const merged: Values = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const current = merged[key];
    if (value === undefined && current !== undefined) continue;
    merged[key] = isRecord(current) && isRecord(value) ? merge(current, value) : value;
  }
  return merged;
}

/** Other values become an empty record. */
export const toRecord = (value: unknown): Values => (isRecord(value) ? value : {});
