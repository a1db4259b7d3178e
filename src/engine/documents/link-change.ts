/** Reads the normalised value of a relation as a change. */
import { validationError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { Status } from "../query/reading.ts";

/** The row id of a target; ids arrive as numbers or strings. */
export function parseId(target: unknown): number {
  const id = isRecord(target) ? target.id : target;
  const number = typeof id === "string" || typeof id === "number" ? Number(id) : Number.NaN;
  if (!Number.isInteger(number)) throw validationError("Invalid relations");
  return number;
}

const list = (value: unknown): unknown[] => (value === null || value === undefined ? [] : [value].flat());

export type Change =
  | { readonly set: unknown[] }
  | { readonly connect: unknown[]; readonly disconnect: unknown[]; readonly strict: boolean };

/** Undefined: no change. */
export function parseChange(value: unknown): Change | undefined {
  if (value === null) return { set: [] };
  if (!isRecord(value)) return undefined;
  if (value.set) return { set: list(value.set) };
  const [connect, disconnect] = [list(value.connect), list(value.disconnect)];
  if (connect.length === 0 && disconnect.length === 0) return undefined;
  return { connect, disconnect, strict: !(isRecord(value.options) && value.options.strict === false) };
}

export interface LinkedRow {
  readonly id: number;
  readonly status: Status;
  /** The row was inserted by the same write. */
  readonly isNew?: boolean;
}
