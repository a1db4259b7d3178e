/**
 * Values as the reference writes them into messages: strings in quotes, structures as JSON indented by two. What an error
 * repeats of its input is bounded here, and the work for it with it.
 */

/** Longer texts of an error are cut, in characters. */
const MAX_TEXT = 1_000;
/** What is left of a text that is cut. The same input stands in up to three places of an answer, which stay below a kilobyte. */
const EXCERPT = 250;
/** Longer lists of problems are cut. */
const MAX_PROBLEMS = 100;
/** What is left of a list that is cut. */
const FIRST_PROBLEMS = 10;
/** Lines of an error in the log. */
const MAX_LOGGED_LINES = 50;
/** All details of an error, in characters of JSON. */
const MAX_DETAILS = 16_000;

/** A text that is short enough as it is, else its beginning. */
export function excerpt(text: string, longest = MAX_TEXT): string {
  if (text.length <= longest) return text;
  const beginning = text.slice(0, Math.min(longest, EXCERPT));
  // half of a surrogate pair is no character
  return `${beginning.isWellFormed() ? beginning : beginning.slice(0, -1)}…`;
}

/** Control characters, among them those of terminals and those that turn the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** One line that is safe to print: what a terminal or a log would act on is written as an escape sequence. */
export const printable = (text: string): string =>
  text.replace(CONTROL, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Logs an error that nobody expected, with its stack. What it repeats of a request cannot act on a terminal or begin a line. */
export function logError(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? String(error)) : Bun.inspect(error);
  console.error(
    text
      .split(/\r?\n/, MAX_LOGGED_LINES)
      .map((line) => printable(excerpt(line.trim())))
      .join("\n    "),
  );
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

/** Prints a structure as far as it is shown: the depth and the number of values looked at are bounded by the length. */
class StructurePrinter {
  text = "";

  get isFull(): boolean {
    return this.text.length > MAX_TEXT;
  }

  /** Simple values are printed first and then encoded, so that strings stand in two pairs of quotes. */
  print(value: unknown, indent: string): void {
    const given = typeof value === "object" && value !== null ? asJson(value) : value;
    const simple = printSimple(given);
    if (simple !== undefined) this.text += JSON.stringify(simple);
    else if (typeof given !== "object" || given === null) this.text += JSON.stringify(given) ?? "null";
    else if (Array.isArray(given))
      this.#entries("[", "]", given.length, indent, (at) => this.#inside(given[at], indent));
    else this.#object(given as Record<string, unknown>, indent);
  }

  #inside(value: unknown, indent: string): void {
    this.print(value, `${indent}  `);
  }

  #object(value: Record<string, unknown>, indent: string): void {
    const keys = Object.keys(value);
    this.#entries("{", "}", keys.length, indent, (at) => {
      const key = keys[at]!;
      this.text += `${JSON.stringify(excerpt(key))}: `;
      this.#inside(value[key], indent);
    });
  }

  #entries(open: string, close: string, count: number, indent: string, entry: (at: number) => void): void {
    this.text += open;
    for (let at = 0; at < count && !this.isFull; at++) {
      this.text += `${at === 0 ? "" : ","}\n${indent}  `;
      entry(at);
    }
    this.text += count === 0 ? close : `\n${indent}${close}`;
  }
}

/** At most a kilobyte of a value. */
export function printValue(value: unknown): string {
  const simple = printSimple(value);
  if (simple !== undefined) return excerpt(simple);
  const printer = new StructurePrinter();
  printer.print(value, "");
  return excerpt(printer.text);
}

/** "must be a `T` type"; names the value before casting where casting changed it. */
export function typeMessage(path: string, expected: string, value: unknown, original: unknown): string {
  const cast = original !== null && original !== undefined && original !== value;
  const origin = cast ? ` (cast from the value \`${printValue(original)}\`).` : ".";
  return `${path} must be a \`${expected}\` type, but the final value was: \`${printValue(value)}\`${origin}`;
}

/** What is left of `limit` characters after the JSON of a value, about; negative as soon as it does not fit. */
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

/** A value of a request as an error repeats it: what is too large is printed, and cut. */
function boundValue(value: unknown): unknown {
  if (fits(value, MAX_TEXT)) return value;
  return excerpt(typeof value === "string" ? value : printValue(value));
}

type Details = Readonly<Record<string, unknown>>;

const isDetails = (value: unknown): value is Details =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const boundEntries = (entry: Details): Details =>
  Object.fromEntries(Object.entries(entry).map(([key, value]) => [key, boundValue(value)]));

/** Only what is too long in an error's details is replaced; a list of problems keeps its first. */
export function boundDetails(details: Details): Details {
  if (fits(details, MAX_TEXT)) return details;
  const { errors, ...rest } = details;
  if (!Array.isArray(errors)) return boundEntries(details);
  const first = errors.slice(0, errors.length > MAX_PROBLEMS ? FIRST_PROBLEMS : undefined);
  const bounded = first.map((entry: unknown) => (isDetails(entry) ? boundEntries(entry) : boundValue(entry)));
  return { ...boundEntries(rest), errors: fits(bounded, MAX_DETAILS) ? bounded : bounded.slice(0, FIRST_PROBLEMS) };
}
