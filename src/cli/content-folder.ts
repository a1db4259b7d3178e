/** The `content/` of a project, for commands about it, and how its problems are printed. */
import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import type { Model } from "../engine/schema/model.ts";
import { problemText } from "../lib/errors.ts";
import { ContentFolder } from "../server/content-sync/folder.ts";
import { asProjectProblem, type FileProblem, warningText } from "../server/content-sync/problems.ts";
import { finishMigration } from "../transfer/content/earlier/migration.ts";
import { CONTENT_FOLDER } from "../transfer/content/file-paths.ts";
import { UsageError } from "./command.ts";
import { shownPath } from "./project-folder.ts";

/** `root`: of a project. Throws a UsageError without the folder. */
export function openContentFolder(root: string): ContentFolder {
  const path = join(root, CONTENT_FOLDER);
  if (!existsSync(path)) {
    const command = ["galley export", shownPath(root), "--to", shownPath(path)].filter(Boolean).join(" ");
    throw new UsageError(`there is no folder ${path}; ${command} writes a file for each document into it`);
  }
  finishMigration(path);
  return new ContentFolder(path);
}

/** Throws a UsageError for files that are not synchronised. */
export async function refuseEarlierFormat({ path }: ContentFolder, model: Model): Promise<void> {
  const { earlierFormat } = await import("../transfer/content/earlier/read.ts");
  if (earlierFormat(path, model) !== undefined)
    throw new UsageError(`${path} has the format of an earlier version: galley content migrate converts it`);
}

interface Place {
  readonly folder: ContentFolder;
  readonly from: string;
}

/** As a property or the message of an annotation of GitHub Actions. */
const escapeAnnotation = (text: string): string =>
  text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const escapeProperty = (text: string): string => escapeAnnotation(text).replaceAll(":", "%3A").replaceAll(",", "%2C");

/** A line for GitHub Actions. `from`: the folder that paths begin at, which is the repository's there. */
function annotation(
  level: "error" | "warning",
  { folder, from }: Place,
  { file, line, key, reason }: FileProblem,
): string {
  const path = relative(from, join(folder.path, file)).replaceAll("\\", "/");
  const properties = [`file=${escapeProperty(path)}`, ...(line === undefined ? [] : [`line=${line}`])];
  return `::${level} ${properties.join(",")}::${escapeAnnotation(key === undefined ? reason : `${key}: ${reason}`)}`;
}

export interface FoundProblems {
  /** Because of which files are not served. */
  readonly problems: readonly FileProblem[];
  /** Of what is served in another way than the files say. */
  readonly warnings: readonly FileProblem[];
}

export const problemLines = ({ problems, warnings }: FoundProblems): string[] => [
  ...problems.map((problem) => problemText(asProjectProblem(problem))),
  ...warnings.map(warningText),
];

/** By name. */
export const problemFormats: Readonly<Record<string, (found: FoundProblems, place: Place) => readonly string[]>> = {
  text: problemLines,
  github: ({ problems, warnings }, place) => [
    ...problems.map((problem) => annotation("error", place, problem)),
    ...warnings.map((problem) => annotation("warning", place, problem)),
  ],
  json: ({ problems, warnings }) => [JSON.stringify({ problems, warnings }, null, 2)],
};
