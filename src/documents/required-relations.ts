/** What a relation's value, in its normalised form, does to a relation. */
import { isRecord } from "../query/key-check.ts";

/** How many targets it names. */
export function targetsIn(value: unknown): number {
  if (!isRecord(value)) return 0;
  const sizes = [value.set, value.connect, value.disconnect].map((list) => (Array.isArray(list) ? list.length : 0));
  return sizes.reduce((sum, size) => sum + size, 0);
}

const isFilled = (list: unknown): boolean =>
  Array.isArray(list) ? list.length > 0 : list !== undefined && list !== null;

/** Whether a required relation would hold nothing: an absent key keeps what is there, but only on update. */
export function leavesEmpty(many: boolean, value: unknown, creating: boolean): boolean {
  if (value === undefined) return creating;
  if (value === null) return true;
  if (!isRecord(value)) return false;
  const { set, connect, disconnect } = value;
  if (isFilled(set) || isFilled(connect)) return false;
  if (set !== undefined && set !== null) return true;
  return isFilled(disconnect) ? creating || !many : creating;
}
