/** Why a write was refused, for actions that go on with other documents. */
import { ApiError, type Problem } from "../lib/errors.ts";
import { logError } from "../lib/print-value.ts";

/** The problems of a refusal. Throws any other error. */
export function listProblems(error: unknown): readonly { readonly path?: unknown; readonly message: string }[] {
  if (!(error instanceof ApiError) || error.httpStatus >= 500) throw error;
  const problems = error.details?.errors as readonly Problem[] | undefined;
  return problems && problems.length > 0 ? problems : [{ message: error.message }];
}

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
