/** Refused input of the admin: all problems in the details, and the first as the message, as Strapi has it. */
import { ApiError, type Problem, problemsError } from "../lib/errors.ts";

export function inputError(problems: readonly Problem[]): ApiError {
  const [first] = problems;
  return new ApiError("ValidationError", first?.message ?? "Invalid input", problemsError(problems).details);
}
