/** A three-way merge of values by their kind: mappings by their keys, lists by their entries; others are one value. */
import { haveOneShape } from "./entries.ts";
import { type Conflict, type ConflictSide, type Merged, type MergeValue, mergeLists } from "./merge-lists.ts";
import { equalValues, type Fields, toFields } from "./versions.ts";

/** Undefined is no value. Of a conflict, the value is that of `side`. */
export function mergeValue(base: unknown, ours: unknown, theirs: unknown, side: ConflictSide): Merged {
  // the order of keys is part of an answer, but no conflict
  if (equalValues(ours, theirs)) return { value: haveSameText(ours, base) ? theirs : ours, conflicts: [] };
  if (equalValues(theirs, base)) return { value: ours, conflicts: [] };
  if (equalValues(ours, base)) return { value: theirs, conflicts: [] };
  // an empty list is no value
  const lists = [base, ours, theirs].map((value) => value ?? []);
  if (lists.every((list) => Array.isArray(list))) return mergeLists(lists[0]!, lists[1]!, lists[2]!, side, mergeValue);
  if (haveOneShape(ours, theirs) && (base === undefined || haveOneShape(base, ours))) {
    const { value, conflicts } = mergeFields(
      toFields(base ?? {}),
      toFields(ours as object),
      toFields(theirs as object),
      side,
    );
    return { value: Object.fromEntries(value), conflicts };
  }
  return { value: side === "ours" ? ours : theirs, conflicts: [{ path: [], base, ours, theirs }] };
}

const haveSameText = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** In the order of ours, then what they added. `merge` may merge some keys in another way. */
export function mergeFields(
  base: Fields,
  ours: Fields,
  theirs: Fields,
  side: ConflictSide,
  merge: (key: string, ...values: Parameters<MergeValue>) => Merged = (_, ...values) => mergeValue(...values),
): Merged<Map<string, unknown>> {
  const value = new Map<string, unknown>();
  const conflicts: Conflict[] = [];
  for (const key of new Set([...ours.keys(), ...theirs.keys()])) {
    const merged = merge(key, base.get(key), ours.get(key), theirs.get(key), side);
    for (const conflict of merged.conflicts) conflicts.push({ ...conflict, path: [key, ...conflict.path] });
    if (merged.value !== undefined) value.set(key, merged.value);
  }
  return { value, conflicts };
}
