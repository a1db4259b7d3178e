/** Entries in the values that a project's code gives to database queries: rows by their ids. */
import { isRecord } from "../../lib/is-record.ts";

export const toList = (value: unknown): unknown[] =>
  [value].flat().filter((entry) => entry !== undefined && entry !== null);

/** The entries that are linked; undefined for a value that links none, which is ignored. */
export function listEntries(value: unknown): unknown[] | undefined {
  if (typeof value === "boolean" || value instanceof Date) return undefined;
  if (!isRecord(value) || "id" in value) return toList(value);
  const isChange = ["set", "connect", "disconnect"].some((key) => key in value);
  return isChange ? [...toList(value.set), ...toList(value.connect)] : undefined;
}

export function idOfEntry(entry: unknown): number | string {
  const id = isRecord(entry) ? entry.id : entry;
  if (typeof id === "string") return /^\d+$/.test(id) ? Number(id) : id;
  if (Number.isInteger(id)) return id as number;
  const shown = isRecord(entry) ? Object.prototype.toString.call(entry) : String(id);
  throw new Error(`Invalid id, expected a string or integer, got ${shown}`);
}

/** Text that is no number has no rows, and only an update compares it with the ids of the rows that it replaces. */
export function refuseText(ids: readonly (number | string)[], isNew: boolean): void {
  const text = isNew ? undefined : ids.find((id) => typeof id === "string");
  if (text !== undefined) throw new Error(`Expected a valid Number, got ${text}`);
}
