/** Why a write was refused, for actions that go on with other documents. */
import { ApiError } from "../lib/errors.ts";
import { isRecord } from "../lib/is-record.ts";
import { logError } from "../lib/printable.ts";

interface RefusalProblem {
  readonly path?: unknown;
  readonly message: string;
}

const isProblem = (value: unknown): value is RefusalProblem => isRecord(value) && typeof value.message === "string";

/** The problems of a refusal. Throws any other error. */
export function listProblems(error: unknown): readonly RefusalProblem[] {
  if (!(error instanceof ApiError) || error.httpStatus >= 500) throw error;
  // errors that a project throws may have any details
  const problems = error.details?.errors;
  return Array.isArray(problems) && problems.length > 0 && problems.every(isProblem)
    ? problems
    : [{ message: error.message }];
}

/** The problems of a refusal in one line, with their paths. Throws any other error. */
export const formatProblems = (error: unknown): string =>
  listProblems(error)
    .map(({ path, message }) => [[path ?? []].flat().join("."), message].filter(Boolean).join(": "))
    .join("; ");

/** The messages of a refusal. Throws any other error. */
export const listReasons = (error: unknown): string[] => listProblems(error).map(({ message }) => message);

const FAILED = "The server failed to save it; its log says why";

/** As `listReasons`. Any other error is logged: what has been written before it is still reported. */
export function reasonsOrFailure(error: unknown): string[] {
  try {
    return listReasons(error);
  } catch (failure) {
    logError(failure);
    return [FAILED];
  }
}
