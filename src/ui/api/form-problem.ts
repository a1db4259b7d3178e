/** What a form says of a request that was refused. */
import { ApiFailure, errorMessage } from "./client.ts";

/** Each problem on a line of its own, where there are several. */
export function formProblem(error: unknown): string {
  const problems = error instanceof ApiFailure ? error.problems : [];
  return problems.length > 1 ? problems.map(({ message }) => message).join("\n") : errorMessage(error);
}
