/** Problems of content files, as the terminal, the commands and the page show them. */
import { findErrorCode } from "../../lib/error-code.ts";
import { ProjectError, type ProjectProblem, problemText } from "../../lib/errors.ts";

export interface FileProblem {
  /** Below the folder. */
  readonly file: string;
  /** From 1. */
  readonly line?: number | undefined;
  /** Path of the attribute: "sections.0.title". */
  readonly key?: string | undefined;
  readonly reason: string;
}

export const asProjectProblem = ({ file, line, key, reason }: FileProblem): ProjectProblem => ({
  file: `content/${file}${line === undefined ? "" : `:${line}`}`,
  key,
  reason,
});

export const warningText = (warning: FileProblem): string => `warning: ${problemText(asProjectProblem(warning))}`;

export const toProjectError = (problems: readonly FileProblem[]): ProjectError =>
  new ProjectError(problems.map(asProjectProblem));

export const sameProblems = (a: readonly FileProblem[], b: readonly FileProblem[]): boolean => Bun.deepEquals(a, b);

/** `path`: as in `SyncedFile.conflicts`. */
export const conflictProblem = (file: string, path: string): FileProblem =>
  path === ""
    ? { file, reason: "has changed, though the document was deleted in the database: it is there again" }
    : {
        file,
        key: path,
        reason: "has also changed in the database: the file's value is served, the other is in the document's history",
      };

/** The reason of an error of the file system; undefined for other errors. */
export function systemProblem(error: unknown): string | undefined {
  return /^E[A-Z]+$/.test(findErrorCode(error)) ? (error as Error).message.split(",")[0] : undefined;
}
