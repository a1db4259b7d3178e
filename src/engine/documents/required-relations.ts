/** Counts the targets of a relation's normalised value, and checks whether it leaves the relation empty. */
import { isRecord } from "../../lib/is-record.ts";

export function targetsIn(value: unknown): number {
  if (!isRecord(value)) return 0;
  const sizes = [value.set, value.connect, value.disconnect].map((list) => (Array.isArray(list) ? list.length : 0));
  return sizes.reduce((sum, size) => sum + size, 0);
}

const isFilled = (list: unknown): boolean =>
  Array.isArray(list) ? list.length > 0 : list !== undefined && list !== null;

/** Whether a relation would be empty after a write; undefined keeps the current value of an update. */
export function leavesEmpty(many: boolean, value: unknown, creating: boolean): boolean {
  if (value === undefined) return creating;
  if (value === null) return true;
  if (!isRecord(value)) return false;
  const { set, connect, disconnect } = value;
  if (isFilled(set) || isFilled(connect)) return false;
  if (set !== undefined && set !== null) return true;
  return isFilled(disconnect) ? creating || !many : creating;
}
