/** `galley script`: runs a script of a Strapi project, such as `scripts/seed.js`, on the project's content. */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { type Command, type CommandCall, UsageError } from "../command.ts";
import { projectFolder } from "../project-folder.ts";

async function runScript(call: CommandCall): Promise<undefined> {
  const [name, project] = call.arguments;
  if (name === undefined) throw new UsageError("which script? galley script <file> [project]");
  const file = resolve(name);
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new UsageError(`there is no file ${file}`);
  const root = projectFolder(project);
  // scripts and the project's own code may use relative paths
  process.chdir(root);
  process.argv = [process.argv[0]!, file, ...call.rest];
  const { serveScript } = require("../../server/script-server.ts") as typeof import("../../server/script-server.ts");
  await serveScript(root, file, call.environment);
  return undefined;
}

export const script: Command = {
  name: "script",
  summary: "Run a script that calls createStrapi() of @strapi/strapi, such as a seed",
  usage: "<file> [project] [-- <argument …>]",
  takesRest: true,
  endsOnErrors: true,
  run: runScript,
};
