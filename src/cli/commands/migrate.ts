/** `galley migrate`: the child process in which `galley serve` changes tables after files have changed. */
import type { Command, CommandCall } from "../command.ts";
import { openForCommand } from "../open-project.ts";
import { projectFolder } from "../project-folder.ts";

async function runMigrate(call: CommandCall): Promise<number> {
  const root = projectFolder(call.arguments[0]);
  const project = await openForCommand(root, { memory: false, environment: call.environment });
  await project.close();
  call.print(JSON.stringify(project.changes));
  return 0;
}

export const migrate: Command = {
  name: "migrate",
  summary: "Change the tables of a project",
  usage: "[project]",
  hidden: true,
  run: runMigrate,
};
