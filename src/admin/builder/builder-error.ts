/** Errors of the content-type builder, which have their own envelope: `{ error }`, without `data` and status. */
import { type Problem, problemsError } from "../../lib/errors.ts";
import type { AdminResponse } from "../call.ts";

/** An error code such as `contentType.notFound`, or a body of another shape. */
export class BuilderRefusal extends Error {
  readonly response: AdminResponse;

  constructor(status: number, error: string, body: unknown = { error }) {
    super(error);
    this.response = { status, body };
  }
}

/** Converts a BuilderRefusal to its response. Other errors are rethrown for the server. */
export async function refusalAsResponse(run: () => Promise<AdminResponse>): Promise<AdminResponse> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof BuilderRefusal) return error.response;
    throw error;
  }
}

export class BuilderError extends BuilderRefusal {
  readonly problems: readonly Problem[];

  constructor(problems: string | readonly Problem[]) {
    const list = typeof problems === "string" ? [{ path: "", message: problems }] : problems;
    const { name, message, details } = problemsError(list);
    super(400, message, { error: { name, message, details } });
    this.problems = list;
  }
}
