/** `galley upgrade --check`: shows what serving a project with this version would change in its database. */
import { version } from "../../../package.json" with { type: "json" };
import { FORMAT, readFormat } from "../../engine/storage/format.ts";
import { openReadOnly } from "../../engine/storage/open-read-only.ts";
import { isThere } from "../../lib/is-there.ts";
import { databaseFile } from "../../server/project/project-source.ts";
import { type Command, type CommandCall, json, UsageError } from "../command.ts";
import { openCopy } from "../open-copy.ts";
import { projectFolder, serveHint } from "../project-folder.ts";

/** Undefined: there is no database yet. */
function storedFormat(file: string): number | undefined {
  if (!isThere(file)) return undefined;
  using database = openReadOnly(file);
  return readFormat(database);
}

async function runUpgrade(call: CommandCall): Promise<number> {
  if (!call.flag("check"))
    throw new UsageError("install the new version (npm install galley-cms@latest), then galley upgrade --check");
  const root = projectFolder(call.arguments[0]);
  const format = storedFormat(databaseFile(root));
  const project = await openCopy(root, call.environment);
  const changes = format === undefined ? [] : project.changes;
  await project.close();
  const lines = changes.map(({ table, text }) => `schema: ${table} ${text}`);
  if (format === undefined) lines.push("There is no database yet.");
  else if (changes.length === 0) lines.push(`Galley ${version} changes nothing in the database.`);
  lines.push(serveHint(root));
  return call.result({ version, format: { stored: format ?? null, written: FORMAT }, changes }, lines);
}

export const upgrade: Command = {
  name: "upgrade",
  summary: "Show what serving a project with this version would change, before it is done",
  usage: "[project]",
  options: {
    check: { type: "boolean", summary: "Change nothing" },
    json,
  },
  run: runUpgrade,
};
