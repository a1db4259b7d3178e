/** A change of a document that its file asks for, and what is wrong with it. */
import type { ContentType } from "../../engine/schema/model.ts";
import type { ApiError } from "../../lib/errors.ts";
import type { ContentFile } from "./content-file.ts";

export interface DocumentChange {
  readonly type: ContentType;
  readonly documentId: string;
  /** What the database has; undefined for a new document. */
  readonly before: ContentFile | undefined;
  /** Undefined for a document that is to be deleted. */
  readonly after: ContentFile | undefined;
}

/** A problem of a change, with its path in the file. */
export interface ChangeProblem {
  readonly change: DocumentChange;
  readonly path: readonly (string | number)[];
  readonly reason: string;
}

/** Thrown with all problems of a list of changes. */
export class ChangesRefusedError extends Error {
  readonly problems: readonly ChangeProblem[];

  constructor(problems: readonly ChangeProblem[]) {
    super(problems.map(({ reason }) => reason).join("\n"));
    this.problems = problems;
  }
}

interface DetailedProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** `path`: of the version. */
export const apiProblems = (
  change: DocumentChange,
  path: ChangeProblem["path"],
  { message, details, attribute }: ApiError,
): ChangeProblem[] => {
  const errors = details?.errors as readonly DetailedProblem[] | undefined;
  if (errors?.length) return errors.map((error) => ({ change, path: [...path, ...error.path], reason: error.message }));
  if (attribute === undefined) return [{ change, path, reason: message }];
  // an attribute of a component may be at several paths
  if (!change.type.attributes.has(attribute)) return [{ change, path, reason: `${attribute}: ${message}` }];
  return [{ change, path: [...path, attribute], reason: message }];
};
