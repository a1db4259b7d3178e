/** Problems of content files, as the terminal, the commands and the page show them. */
import { ProjectError, type ProjectProblem } from "../../lib/errors.ts";

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

export const projectErrorOf = (problems: readonly FileProblem[]): ProjectError =>
  new ProjectError(problems.map(asProjectProblem));

export const sameProblems = (a: readonly FileProblem[], b: readonly FileProblem[]): boolean => Bun.deepEquals(a, b);
