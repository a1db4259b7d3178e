/** `galley status`: what differs between the files of `content/` and the database, and what git has not committed. */
import { GitError } from "../../lib/git.ts";
import type { Uncommitted } from "../../server/content-changes/repository.ts";
import type { ContentFolder } from "../../server/content-sync/folder.ts";
import type { ChangedFile, ContentStatus } from "../../server/content-sync/status.ts";
import { type Command, type CommandCall, json } from "../command.ts";
import { openContentFolder, problemLines, refuseEarlierFormat } from "../content-folder.ts";
import { differenceLines } from "../differences.ts";
import { section } from "../format-table.ts";
import { openCopy } from "../open-copy.ts";
import { projectFolder } from "../project-folder.ts";

const fileLines = (files: readonly ChangedFile[]): string[] =>
  files.flatMap(({ file, change, differences }) => [
    `${change.padEnd(8)} content/${file}`,
    ...differenceLines(differences).map((line) => `  ${line}`),
  ]);

/** Without both where there is no repository. */
interface GitStatus {
  readonly uncommitted?: readonly Uncommitted[] | undefined;
  readonly gitProblem?: string;
}

/** The rest of the status does not need git. */
async function readGitStatus({ path }: ContentFolder): Promise<GitStatus> {
  const { findRepository } = await import("../../server/content-changes/repository.ts");
  try {
    return { uncommitted: await (await findRepository(path))?.uncommitted() };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return { gitProblem: error.message };
  }
}

function statusLines(status: ContentStatus, { uncommitted = [], gitProblem }: GitStatus): string[] {
  const { files, database, conflicts, problems, waitsFor } = status;
  const lines = [
    ...section("Changed in files, and not in the database:", fileLines(files)),
    ...section("Changed in the database, and not in files:", fileLines(database)),
    ...section(
      "Changed in both, with the values of the files; the others are in the history:",
      conflicts.map(
        ({ file, attributes }) =>
          `content/${file}: ${attributes.map((attribute) => attribute || "the whole document").join(", ")}`,
      ),
    ),
    ...section("Problems:", problemLines(status)),
    ...section(
      "Not committed:",
      uncommitted.map(({ file, change }) => `${change.padEnd(8)} content/${file}`),
    ),
    ...section("Git does not say what is not committed:", gitProblem?.split("\n").filter((line) => line !== "") ?? []),
  ];
  if (waitsFor !== undefined) return [...lines, `The files were not checked: ${waitsFor}.`];
  const isEqual = files.length + database.length + problems.length === 0;
  if (isEqual) return [...lines, "Files and database are equal."];
  // problems say what is to be done first
  const next = problems.length === 0 ? ["", "galley content apply makes them equal"] : [];
  return [...lines.slice(0, -1), ...next];
}

async function runStatus(call: CommandCall): Promise<number> {
  const root = projectFolder(call.arguments[0]);
  const folder = openContentFolder(root);
  const { readStatus } = await import("../../server/content-sync/status.ts");
  await using project = await openCopy(root, call.environment);
  await project.idle();
  await refuseEarlierFormat(folder, project.model);
  const status = await readStatus(project, folder);
  const git = await readGitStatus(folder);
  call.result({ ...status, ...git, uncommitted: git.uncommitted ?? null }, statusLines(status, git));
  return status.problems.length === 0 ? 0 : 1;
}

export const status: Command = {
  name: "status",
  summary: "Show what differs between content/ and the database, and what git has not committed",
  usage: "[project]",
  options: { json },
  run: runStatus,
};
