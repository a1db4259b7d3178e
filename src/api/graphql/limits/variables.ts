/** Limits the number of errors about variables: each prints its whole value. */
import { isRecord } from "../../../lib/is-record.ts";

/** The default of graphql-js. */
const DEFAULT_ERRORS = 50;
/** With no more values than this, they may be printed that often. */
const FEW_VALUES = 1_000;

/** `limit` minus the number of nested values; negative if there are more. */
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

/** The number of errors after which graphql-js stops. */
export const maxVariableErrors = (variables: Readonly<Record<string, unknown>> | undefined): number =>
  variables === undefined || remaining(variables, FEW_VALUES) >= 0 ? DEFAULT_ERRORS : 1;
