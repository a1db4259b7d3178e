/** `galley content migrate`: converts content/ of an earlier version. */
import { json } from "../arguments.ts";
import type { Command } from "../command.ts";
import { openForCommand } from "../open-project.ts";
import { projectFolder, serveHint } from "../project-folder.ts";
import { leftOutLines } from "./import.ts";

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
