/** A point in time, stored and returned as ISO 8601 in UTC with milliseconds. */

import type { parseISO } from "date-fns/parseISO";
import { toText } from "../../lib/coerce.ts";
import { validationError } from "../../lib/errors.ts";
import type { ScalarType, SqlValue } from "./attribute-type.ts";

/** Trailing spaces are accepted, as in Strapi. */
const MILLISECONDS = /^-?\d+\s*$/;

let parse: typeof parseISO | undefined;

/** An invalid date for other texts. */
function parseDate(text: string): Date {
  // loaded with the first value
  parse ??= (require("date-fns/parseISO") as typeof import("date-fns/parseISO")).parseISO;
  return parse(text);
}

/** Parses ISO 8601, or milliseconds since 1970 as a number or string. Without a time zone, the server's is used. */
function toInstant(value: unknown): SqlValue {
  if (value === null) return null;
  const text = value instanceof Date ? value.toISOString() : toText(value);
  let date = parseDate(text);
  if (Number.isNaN(date.getTime()) && MILLISECONDS.test(text)) date = new Date(Number(text));
  if (Number.isNaN(date.getTime())) throw validationError("Invalid format, expected a timestamp or an ISO date");
  return date.toISOString();
}

const ISO_LENGTH = "2026-01-01T00:00:00.000Z".length;

/** As `store` has written it, or in another form of another program. */
function loadInstant(stored: SqlValue): SqlValue {
  if (stored === null || (typeof stored === "string" && stored.length === ISO_LENGTH && stored[10] === "T"))
    return stored;
  return new Date(stored as string).toISOString();
}

export const datetime: ScalarType = {
  name: "datetime",
  column: { affinity: "TEXT" },
  store: toInstant,
  load: loadInstant,
  operand: toInstant,
  graphqlName: "DateTime",
  options: (t) => ({ default: t.Optional(t.Union([t.String(), t.Number(), t.Null()])) }),
};
