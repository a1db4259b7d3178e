/** How many errors about variables are reported: each prints the value that it is about, all of a large one. */
import { isRecord } from "../../../query/key-check.ts";

/** As many as graphql-js reports by itself. */
const USUAL_ERRORS = 50;
/** Values of variables that are few enough to be printed that often. */
const FEW_VALUES = 1_000;

/** What is left of `limit` after the values within a value; negative as soon as there are more. */
function remaining(value: unknown, limit: number): number {
  let left = limit - 1;
  if (typeof value === "string") return left - Math.floor(value.length / 100);
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && left >= 0; at++) left = remaining(value[at], left);
  } else if (isRecord(value)) {
    for (const key in value) {
      if (left < 0) break;
      left = remaining(value[key], left);
    }
  }
  return left;
}

/** After so many errors about variables graphql-js stops looking for more. */
export const maxVariableErrors = (variables: Readonly<Record<string, unknown>> | undefined): number =>
  variables === undefined || remaining(variables, FEW_VALUES) >= 0 ? USUAL_ERRORS : 1;
