/**
 * Everything that keeps a document from being published. As in Strapi, a write that publishes checks the draft first: what only a
 * published version must have is not looked at while the draft is refused.
 */
import { ApiError } from "../../lib/errors.ts";
import { pickBy } from "../../lib/records.ts";
import type { Data } from "./documents.ts";
import type { Work } from "./steps.ts";

interface Reported {
  readonly path: readonly string[];
  readonly message: string;
}

function problemsIn(error: unknown): readonly Reported[] {
  const errors = error instanceof ApiError && error.kind === "ValidationError" ? error.details?.errors : undefined;
  return Array.isArray(errors) ? errors : [];
}

/**
 * Runs a write. If its data are refused, runs it without the refused attributes, too, and throws a ValidationError with the problems
 * of both. The transaction, which the caller has opened, must end with the error.
 */
export function* withAllProblems<T>(data: Data, write: (data: Data) => Work<T>): Work<T> {
  try {
    return yield* write(data);
  } catch (error) {
    const found = problemsIn(error);
    const refused = new Set(found.map(({ path }) => path[0]));
    if (refused.size === 0) throw error;
    const rest = pickBy(data, (_, name) => !refused.has(name));
    try {
      yield* write(rest);
    } catch (other) {
      const more = problemsIn(other).filter(({ path }) => !refused.has(path[0]));
      const errors = [...found, ...more];
      if (more.length > 0) throw new ApiError("ValidationError", `${errors.length} errors occurred`, { errors });
    }
    throw error;
  }
}
