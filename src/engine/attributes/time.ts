/** A time of day with milliseconds. */
import { validationError } from "../../lib/errors.ts";
import type { ScalarType, SqlValue } from "./attribute-type.ts";

const TIME = /^((?:2[0-3]|[01]\d):[0-5]\d:[0-5]\d)(?:\.(\d{1,3}))?$/;

/** A Date is a time in the server's time zone. */
const textOfTime = (value: unknown): unknown =>
  value instanceof Date
    ? `${value.toTimeString().slice(0, 8)}.${String(value.getMilliseconds()).padStart(3, "0")}`
    : value;

function toTime(value: unknown): SqlValue {
  if (value === null) return null;
  const text = textOfTime(value);
  if (typeof text !== "string") throw validationError(`Expected a string, got a ${typeof text}`);
  const match = TIME.exec(text);
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
