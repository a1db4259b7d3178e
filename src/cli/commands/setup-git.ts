/** `galley content setup-git`: makes git merge the files of `content/` by fields, in this clone. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { git } from "../../lib/git.ts";
import { EXTENSIONS } from "../../transfer/content/file-kinds.ts";
import { CONTENT_FOLDER } from "../../transfer/content/file-paths.ts";
import { json } from "../arguments.ts";
import type { Command, CommandCall } from "../command.ts";
import { OWN_COMMAND } from "../own-command.ts";
import { projectFolder } from "../project-folder.ts";

const ATTRIBUTES = ".gitattributes";
/** The files beside media are YAML; media themselves are left to git, as the README of the format. */
const LINES = [
  ...EXTENSIONS.map((extension) => `${CONTENT_FOLDER}/**/*${extension} merge=galley`),
  `${CONTENT_FOLDER}/README* !merge`,
  ...EXTENSIONS.filter((extension) => extension !== ".yaml").map(
    (extension) => `${CONTENT_FOLDER}/media/**/*${extension} !merge`,
  ),
];

/** For the shell with which git starts the driver. */
const shellQuoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** Whether lines were missing. */
function addAttributes(root: string): boolean {
  const file = join(root, ATTRIBUTES);
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  const known = new Set(text.split(/\r?\n/).map((line) => line.trim()));
  const missing = LINES.filter((line) => !known.has(line));
  if (missing.length === 0) return false;
  const start = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  writeFileSync(file, `${start}${missing.join("\n")}\n`);
  return true;
}

async function runSetup({ arguments: [folder], result }: CommandCall): Promise<number> {
  const root = projectFolder(folder);
  const repository = (await git(root, ["rev-parse", "--show-toplevel"])).toString().trim();
  const driver = `${OWN_COMMAND.map(shellQuoted).join(" ")} merge-driver %O %A %B %P`;
  await git(root, ["config", "merge.galley.name", "fields of content files"]);
  await git(root, ["config", "merge.galley.driver", driver]);
  const attributes = join(root, ATTRIBUTES);
  const isWritten = addAttributes(root);
  return result({ repository, attributes, isWritten }, [
    `registered the merge driver in ${repository}; other clones need galley content setup-git, too`,
    isWritten ? `wrote ${attributes}, to be committed` : `${ATTRIBUTES} has its lines already`,
  ]);
}

export const setupGit: Command = {
  name: "content setup-git",
  summary: "Let git merge content files by fields, so that changes of different fields never conflict",
  usage: "[project]",
  options: { json },
  run: runSetup,
};
