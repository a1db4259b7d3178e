/**
 * `galley content check`, `apply` and `migrate`: validate the files of `content/`, synchronise them once, and convert those of an earlier
 * version.
 */
import type { ContentFolder } from "../../server/content-sync/folder.ts";
import type { Project } from "../../server/project/project.ts";
import { type Command, type CommandCall, json, UsageError } from "../command.ts";
import { openContentFolder, problemFormats, problemLines, refuseEarlierFormat } from "../content-folder.ts";
import { openForCommand } from "../open-project.ts";
import { projectFolder, serveHint } from "../project-folder.ts";
import { leftOutLines } from "./import.ts";

const formatNames = Object.keys(problemFormats).join(", ");

async function runCheck(call: CommandCall): Promise<number> {
  const { environment } = call;
  const root = projectFolder(call.arguments[0]);
  const named = call.text("format");
  if (call.flag("json") && named !== undefined && named !== "json")
    throw new UsageError(`--json and --format ${named} cannot be combined`);
  const name = call.flag("json") ? "json" : (named ?? "text");
  const format = problemFormats[name]!;
  const folder = openContentFolder(root);
  const { ContentSync } = await import("../../server/content-sync/sync.ts");
  await using project = await openForCommand(root, { memory: true, environment, announce: console.error });
  await project.idle();
  await refuseEarlierFormat(folder, project.model);
  const { problems, warnings, applied, waitsFor } = await new ContentSync(project, folder, { writes: false }).run();
  if (waitsFor !== undefined) throw new UsageError(`the files are not read now: ${waitsFor}`);
  const isValid = name === "text" && problems.length === 0;
  const valid = isValid
    ? [
        `${applied} ${applied === 1 ? "file is" : "files are"} valid`,
        "galley content apply brings them into the database, as galley serve does",
      ]
    : [];
  const from = environment.GITHUB_WORKSPACE ?? process.cwd();
  call.result({ problems, warnings }, [...format({ problems, warnings }, { folder, from }), ...valid]);
  return problems.length === 0 ? 0 : 1;
}

async function runApply(call: CommandCall): Promise<number> {
  const { environment } = call;
  const root = projectFolder(call.arguments[0]);
  const folder = openContentFolder(root);
  const { lockContent } = await import("../../server/content-sync/lock.ts");
  await using project = await openForCommand(root, { memory: false, environment, announce: console.error });
  await project.idle();
  await refuseEarlierFormat(folder, project.model);
  using lock = lockContent(root);
  return await apply(call, project, folder, lock !== undefined);
}

/** `writes`: false while a server writes the files. */
async function apply(call: CommandCall, project: Project, folder: ContentFolder, writes: boolean): Promise<number> {
  const { ContentSync } = await import("../../server/content-sync/sync.ts");
  const sync = new ContentSync(project, folder, { writes, deletesMany: call.flag("yes") });
  const { problems, warnings, applied, deleted, written, conflicts, unwritten, waitsFor } = await sync.run();
  if (waitsFor !== undefined) throw new UsageError(`the files are not read now: ${waitsFor}`);
  const found = { problems: [...problems, ...unwritten], warnings: [...warnings, ...conflicts] };
  const files = writes ? `${written} written` : "written by the server that runs";
  call.result({ applied, deleted, written: writes ? written : null, problems, unwritten, warnings, conflicts }, [
    ...problemLines(found),
    `database: ${applied} changed, ${deleted} removed; files: ${files}`,
    ...(writes ? [serveHint(project.root)] : []),
  ]);
  return problems.length + unwritten.length === 0 ? 0 : 1;
}

export const contentCheck: Command = {
  name: "content check",
  summary: "Validate all files of content/, for CI; exits with 1 and all problems at once",
  usage: "[project]",
  options: {
    format: {
      type: "string",
      value: "name",
      summary: `How to print problems: ${formatNames}; text by default`,
      choices: Object.keys(problemFormats),
    },
    json,
  },
  run: runCheck,
};

export const contentApply: Command = {
  name: "content apply",
  summary: "Bring changed files of content/ into the database, and its changes into files, once",
  usage: "[project]",
  options: {
    yes: { type: "boolean", summary: "Delete documents of removed files, also more than a third of a type" },
    json,
  },
  run: runApply,
};

export const contentMigrate: Command = {
  name: "content migrate",
  summary: "Convert content/ of an earlier version to one file for each document",
  usage: "[project]",
  options: { json },
  run: async ({ arguments: [folder], environment, print, result }) => {
    const root = projectFolder(folder);
    const { migrateFolder } = await import("../../server/content-sync/migrate-folder.ts");
    const { loadContent } = await import("../../server/load-content.ts");
    const { isEmpty } = await import("../../transfer/content/empty.ts");
    await using project = await openForCommand(root, { memory: false, environment, announce: print });
    await project.idle();
    // what the database has is newer than the files
    if (isEmpty(project.context)) await loadContent(project, { announce: print });
    const migrated = await migrateFolder(project);
    const { documents, media, leftOut } = migrated ?? { documents: 0, media: 0, leftOut: [] };
    const line = migrated
      ? `converted ${documents} documents and ${media} media files; each has a file of its own now`
      : "content/ is not of an earlier version: nothing was changed";
    return result({ documents, files: media, leftOut }, [line, ...leftOutLines(leftOut), serveHint(root)]);
  },
};
