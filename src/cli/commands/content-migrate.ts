/** `galley content migrate`: converts content/ of an earlier version. */
import type { Command } from "../command.ts";
import { openForCommand } from "../open-project.ts";
import { projectFolder } from "../project-folder.ts";
import { firstLines } from "./import.ts";

export const contentMigrate: Command = {
  name: "content migrate",
  summary: "Convert content/ of an earlier version to one file for each document",
  usage: "[project]",
  maxArguments: 1,
  options: {},
  run: async ({ arguments: [folder], environment, print }) => {
    const root = projectFolder(folder);
    const { migrateFolder } = await import("../../server/content-sync/migrate-folder.ts");
    const { loadContent } = await import("../../server/load-content.ts");
    const { isEmpty } = await import("../../transfer/content/empty.ts");
    const project = await openForCommand(root, { memory: false, environment, announce: print });
    try {
      await project.idle();
      // what the database has is newer than the files
      if (isEmpty(project.context)) await loadContent(project, { announce: print });
      const result = await migrateFolder(project);
      if (!result) {
        print("content/ is not of an earlier version: nothing was changed");
        return 0;
      }
      const { documents, media, leftOut } = result;
      print(`converted ${documents} documents and ${media} media files; each has a file of its own now`);
      for (const line of firstLines(leftOut)) print(`left out: ${line}`);
      return 0;
    } finally {
      await project.close();
    }
  },
};
