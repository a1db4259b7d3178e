/** Refusals of the content-type builder, which have a shape of their own: `{ error }`, without `data` and status. */
import type { Problem } from "../../errors.ts";
import { boundDetails, excerpt } from "../../print-value.ts";
import type { AdminAnswer } from "../call.ts";

export class BuilderError extends Error {
  readonly answer: AdminAnswer;

  constructor(message: string, problems: readonly Problem[] = [{ path: "", message }]) {
    super(excerpt(message));
    const name = "ValidationError";
    const errors = problems.map(({ path, message, value }) => ({
      path: path === "" ? [] : path.split("."),
      message: excerpt(message),
      name,
      ...(value === undefined ? {} : { value }),
    }));
    this.answer = {
      status: 400,
      body: { error: { name, message: excerpt(message), details: boundDetails({ errors }) } },
    };
  }
}

export const builderProblems = (problems: readonly Problem[]): BuilderError =>
  new BuilderError(problems.length === 1 ? problems[0]!.message : `${problems.length} errors occurred`, problems);
