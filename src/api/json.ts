/** The JSON of responses. That of large ones is built with pauses, in which other requests are served. */
import type { Budget } from "../lib/budget.ts";
import type { MaybePromise } from "../lib/when-ready.ts";

/** A response with fewer characters takes a few milliseconds. */
const LARGE_CHARACTERS = 1_000_000;
const LARGE_VALUES = 50_000;
/** Values with fewer parts than this are built in one step. */
const SMALL = 200;

const isContainer = (value: unknown): value is Record<string, unknown> | readonly unknown[] =>
  typeof value === "object" && value !== null && !("toJSON" in value);

/** What is left of `allowance` after the parts of a value; negative if there are more. */
function remaining(value: unknown, allowance: number): number {
  if (!isContainer(value)) return allowance - 1;
  let left = allowance;
  for (const key in value) {
    left = remaining((value as Record<string, unknown>)[key], left);
    if (left < 0) break;
  }
  return left;
}

function* parts(value: unknown): Generator<string> {
  if (!isContainer(value) || remaining(value, SMALL) >= 0) {
    yield JSON.stringify(value) ?? "null";
    return;
  }
  const isList = Array.isArray(value);
  let before = isList ? "[" : "{";
  for (const [key, item] of Object.entries(value)) {
    if (!isList && item === undefined) continue;
    yield isList ? before : `${before}${JSON.stringify(key)}:`;
    yield* parts(item);
    before = ",";
  }
  // without any entry, the value is small
  yield isList ? "]" : "}";
}

/** The same text as `JSON.stringify`. A promise for large responses. */
export function toJson(body: unknown, budget: Budget): MaybePromise<string> {
  const isLarge = budget.spent("characters") > LARGE_CHARACTERS || budget.spent("values") > LARGE_VALUES;
  return isLarge ? budget.whenAdmitted(() => inSteps(body, budget), "last") : JSON.stringify(body);
}

async function inSteps(body: unknown, budget: Budget): Promise<string> {
  const texts: string[] = [];
  for (const part of parts(body)) {
    texts.push(part);
    budget.checkTime();
    if (budget.isPauseDue) await budget.pause();
  }
  return texts.join("");
}
