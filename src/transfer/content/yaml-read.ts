/** YAML and JSON texts as plain values: what both parsers of YAML agree on, and what JSON can express. */

import { MAX_DEPTH } from "../../lib/depth.ts";
import { isRecord } from "../../lib/is-record.ts";
import { locateJsonProblem } from "../../lib/json-syntax.ts";
import { ContentFileError, lineAt } from "./file-error.ts";
import { repeatsKey } from "./json-keys.ts";
import { isSimpleYaml } from "./yaml-scan.ts";
import { parseSlowly } from "./yaml-slow.ts";

/** Values that aliases may add to a text: they are copied, since no caller expects an object in two places or in itself. */
const MAX_VALUES = 1_000_000;

const tooDeep = (line: number) =>
  new ContentFileError("syntax", line, `lists and mappings are nested deeper than ${MAX_DEPTH} levels`);

/** Whether a value is read exactly: without integers that a number cannot hold. Throws for one that is too deep. */
function isExact(value: unknown, depth: number, line: number): boolean {
  if (typeof value === "number") return Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  if (depth === MAX_DEPTH) throw tooDeep(line);
  if (Array.isArray(value)) {
    for (const item of value) if (!isExact(item, depth + 1, line)) return false;
    return true;
  }
  for (const key in value) if (!isExact((value as Record<string, unknown>)[key], depth + 1, line)) return false;
  return true;
}

/** A copy of what the slow parser returns: integers beyond those of a number become texts, as the API has them. */
function copy(value: unknown, depth: number, line: number, budget: { values: number }): unknown {
  if (typeof value === "bigint") {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new ContentFileError("syntax", line, `${value} is not a value of JSON`);
  }
  // as it is stored
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null) return value;
  if (depth === MAX_DEPTH) throw tooDeep(line);
  if (--budget.values < 0) throw new ContentFileError("syntax", line, "aliases expand to too many values");
  const inner = (item: unknown) => copy(item, depth + 1, line, budget);
  if (Array.isArray(value)) return value.map(inner);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inner(item)]));
}

function readSlowly(text: string, firstLine: number): unknown {
  try {
    return copy(parseSlowly(text, firstLine), 0, firstLine, { values: text.length + MAX_VALUES });
  } catch (cause) {
    throw cause instanceof RangeError ? tooDeep(firstLine) : cause;
  }
}

/** `text`: with LF as its only line ends. `firstLine`: of the text within its file. Throws a `ContentFileError`. */
export function readYaml(text: string, firstLine: number): unknown {
  if (isSimpleYaml(text)) {
    let value: unknown;
    try {
      value = Bun.YAML.parse(text);
    } catch {
      // the slow parser reports the line and the reason
      return readSlowly(text, firstLine);
    }
    // several documents would be a list, too
    if (!Array.isArray(value) && isExact(value, 0, firstLine)) return value;
  }
  return readSlowly(text, firstLine);
}

/** Throws a `ContentFileError`. */
export function readJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const problem = locateJsonProblem(text);
    const { message } = problem ?? (cause as Error);
    throw new ContentFileError("syntax", problem === undefined ? 1 : lineAt(text, problem.at), message);
  }
  return isExact(value, 0, 1) && !repeatsKey(text, value) ? value : readSlowly(text, 1);
}

/** The mapping that a text must be. */
export function requireMapping(value: unknown, line: number): Readonly<Record<string, unknown>> {
  if (!isRecord(value)) throw new ContentFileError("syntax", line, "the file is not a mapping of attributes to values");
  return value;
}
