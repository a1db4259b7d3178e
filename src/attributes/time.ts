/** A time of day with milliseconds. */
import { validationError } from "../errors.ts";
import type { ScalarType, SqlValue } from "./attribute-type.ts";

const TIME = /^((?:2[0-3]|[01]\d):[0-5]\d:[0-5]\d)(?:\.(\d{1,3}))?$/;

function toTime(value: unknown): SqlValue {
  if (value === null) return null;
  if (typeof value !== "string") throw validationError(`Expected a string, got a ${typeof value}`);
  const match = TIME.exec(value);
  if (!match) throw validationError("Invalid time format, expected HH:mm:ss.SSS");
  return `${match[1]}.${(match[2] ?? "").padEnd(3, "0")}`;
}

export const time: ScalarType = {
  name: "time",
  column: { affinity: "TEXT" },
  store: toTime,
  operand: toTime,
  graphqlName: "Time",
  options: (t) => ({ default: t.Optional(t.Union([t.String(), t.Null()])) }),
};
