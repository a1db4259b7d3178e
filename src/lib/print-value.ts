/**
 * Prints values as in Strapi's messages: strings in quotes, structures as indented JSON. Also limits how much of the
 * input an error repeats, and the work for that.
 */
import { isRecord } from "./is-record.ts";
import { mapValues } from "./records.ts";

/** The maximum length of strings in an error, in characters. */
const MAX_TEXT = 1_000;
/** The length of a shortened string. A response repeats the same input up to three times, which stay below a kilobyte. */
const EXCERPT = 250;
/** The maximum length of messages. They list what a schema allows, such as all values of an enumeration. */
const MAX_MESSAGE = 8_000;
/** The maximum number of problems in an error. */
const MAX_PROBLEMS = 100;
/** The length of a shortened list of problems. */
const FIRST_PROBLEMS = 10;
/** All details of an error, in characters of JSON. */
const MAX_DETAILS = 16_000;

/** The string, shortened if it is too long. */
export function excerpt(text: string, longest = MAX_TEXT): string {
  if (text.length <= longest) return text;
  const beginning = text.slice(0, Math.min(longest, EXCERPT));
  // do not split a surrogate pair
  return `${beginning.isWellFormed() ? beginning : beginning.slice(0, -1)}…`;
}

function printSimple(value: unknown): string | undefined {
  if (value === null || value === undefined || typeof value === "boolean") return String(value);
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
  if (typeof value === "string") return `"${value.length > MAX_TEXT ? value.slice(0, MAX_TEXT + 1) : value}"`;
  if (typeof value === "bigint") return String(value);
  return undefined;
}

const asJson = (value: object): unknown =>
  "toJSON" in value && typeof value.toJSON === "function" ? value.toJSON() : value;

/** At most a kilobyte of a value: the length limits the depth and the number of visited values, too. */
export function printValue(value: unknown): string {
  const simple = printSimple(value);
  if (simple !== undefined) return excerpt(simple);
  let text = "";

  /** As in Strapi, simple values are printed and then encoded, so that strings have two pairs of quotes. */
  function print(part: unknown, indent: string): void {
    const serialized = typeof part === "object" && part !== null ? asJson(part) : part;
    const simplePart = printSimple(serialized);
    if (simplePart !== undefined) text += JSON.stringify(simplePart);
    else if (typeof serialized !== "object" || serialized === null) text += JSON.stringify(serialized) ?? "null";
    else if (Array.isArray(serialized))
      printEntries("[", "]", serialized.length, indent, (at) => print(serialized[at], `${indent}  `));
    else printObject(serialized as Record<string, unknown>, indent);
  }

  function printObject(object: Record<string, unknown>, indent: string): void {
    const keys = Object.keys(object);
    printEntries("{", "}", keys.length, indent, (at) => {
      const key = keys[at]!;
      text += `${JSON.stringify(excerpt(key))}: `;
      print(object[key], `${indent}  `);
    });
  }

  function printEntries(open: string, close: string, count: number, indent: string, entry: (at: number) => void): void {
    text += open;
    for (let at = 0; at < count && text.length <= MAX_TEXT; at++) {
      text += `${at === 0 ? "" : ","}\n${indent}  `;
      entry(at);
    }
    text += count === 0 ? close : `\n${indent}${close}`;
  }

  print(value, "");
  return excerpt(text);
}

/** "must be a `T` type"; includes the value before casting if that changed it. */
export function typeMessage(path: string, expected: string, value: unknown, original: unknown): string {
  const cast = original !== null && original !== undefined && original !== value;
  const origin = cast ? ` (cast from the value \`${printValue(original)}\`).` : ".";
  return `${path} must be a \`${expected}\` type, but the final value was: \`${printValue(value)}\`${origin}`;
}

/** `limit` minus the approximate length of a value's JSON; negative if it does not fit. */
function remaining(value: unknown, limit: number): number {
  if (typeof value === "string") return limit - value.length - 2;
  if (typeof value !== "object" || value === null) return limit - 5;
  let left = limit - 2;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && left >= 0; at++) left = remaining(value[at], left - 1);
    return left;
  }
  for (const key in value) {
    if (left < 0) return left;
    left = remaining((value as Record<string, unknown>)[key], left - key.length - 4);
  }
  return left;
}

const fits = (value: unknown, limit: number): boolean => remaining(value, limit) >= 0;

/** A value of a request for an error: large values are replaced by a shortened print. */
function boundValue(value: unknown): unknown {
  if (fits(value, MAX_TEXT)) return value;
  return excerpt(typeof value === "string" ? value : printValue(value));
}

type Details = Readonly<Record<string, unknown>>;

const boundEntries = (entry: Details): Details =>
  mapValues(entry, (value, key) =>
    key === "message" && typeof value === "string" ? excerpt(value, MAX_MESSAGE) : boundValue(value),
  );

/** Shortens an error's details where they are too long; of a long list of problems, the first are kept. */
export function boundDetails(details: Details): Details {
  if (fits(details, MAX_TEXT)) return details;
  const { errors, ...rest } = details;
  if (!Array.isArray(errors)) return boundEntries(details);
  const first = errors.slice(0, errors.length > MAX_PROBLEMS ? FIRST_PROBLEMS : undefined);
  const bounded = first.map((entry: unknown) => (isRecord(entry) ? boundEntries(entry) : boundValue(entry)));
  return { ...boundEntries(rest), errors: fits(bounded, MAX_DETAILS) ? bounded : bounded.slice(0, FIRST_PROBLEMS) };
}
