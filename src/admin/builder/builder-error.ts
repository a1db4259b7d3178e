/** Errors of the content-type builder, which have their own envelope: `{ error }`, without `data` and status. */
import type { Problem } from "../../lib/errors.ts";
import { boundDetails, excerpt } from "../../lib/print-value.ts";
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
  constructor(message: string, problems: readonly Problem[] = [{ path: "", message }]) {
    const name = "ValidationError";
    const errors = problems.map(({ path, message, value }) => ({
      path: path === "" ? [] : path.replace(/\[(\d+)\]/g, ".$1").split("."),
      message: excerpt(message),
      name,
      ...(value === undefined ? {} : { value }),
    }));
    const short = excerpt(message);
    super(400, short, { error: { name, message: short, details: boundDetails({ errors }) } });
  }
}

export const builderProblems = (problems: readonly Problem[]): BuilderError =>
  new BuilderError(problems.length === 1 ? problems[0]!.message : `${problems.length} errors occurred`, problems);
