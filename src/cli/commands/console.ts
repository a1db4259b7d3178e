/** `galley console`: a prompt with the `strapi` and the documents of a project. */
import { join } from "node:path";
import { type Command, type CommandCall, UsageError } from "../command.ts";
import { projectFolder } from "../project-folder.ts";

async function runConsole(call: CommandCall): Promise<number> {
  const root = projectFolder(call.arguments[0]);
  if (!process.stdin.isTTY) throw new UsageError("the prompt needs a terminal; galley script <file> runs a file");
  // the project's own code may use relative paths
  process.chdir(root);
  const { serveConsole } = await import("../../server/console-server.ts");
  const { dataFolder } = await import("../../server/project/project-source.ts");
  await serveConsole(root, call.environment, join(dataFolder(root), "console-history"));
  return 0;
}

export const consoleCommand: Command = {
  name: "console",
  summary: "Open a prompt with the strapi and the documents of a project, which completes names with Tab",
  usage: "[project]",
  run: runConsole,
};
