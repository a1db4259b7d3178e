/** A calendar day without a time zone. */
import { stringOrNone } from "../../lib/coerce.ts";
import { validationError } from "../../lib/errors.ts";
import type { ScalarType, SqlValue } from "./attribute-type.ts";

const DAY = /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])/;

/** A Date is the day of the server's time zone. */
function textOfDay(value: unknown): string | undefined {
  if (!(value instanceof Date)) return stringOrNone(value);
  const month = String(value.getMonth() + 1).padStart(2, "0");
  return `${String(value.getFullYear()).padStart(4, "0")}-${month}-${String(value.getDate()).padStart(2, "0")}`;
}

/** The string must begin with a date; the rest is dropped, without time zone conversion. */
function toDay(value: unknown): SqlValue {
  if (value === null) return null;
  const match = DAY.exec(textOfDay(value) ?? "");
  if (!match) throw validationError("Invalid format, expected yyyy-MM-dd");
  const [day, year, month, date] = match;
  if (Number(date) > new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate()) {
    throw validationError("Invalid date");
  }
  return day;
}

export const date: ScalarType = {
  name: "date",
  column: { affinity: "TEXT" },
  store: toDay,
  operand: toDay,
  graphqlName: "Date",
  options: (t) => ({ default: t.Optional(t.Union([t.String(), t.Null()])) }),
};
