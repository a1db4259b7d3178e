/** `galley merge-driver`: merges a content file for git, by fields. `galley content setup-git` registers it in this clone. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { git, runGit } from "../../lib/git.ts";
import { EXTENSIONS } from "../../transfer/content/file-kinds.ts";
import { CONTENT_FOLDER } from "../../transfer/content/file-paths.ts";
import type { FileForm } from "../../transfer/content/file-text.ts";
import { type Command, type CommandCall, json, UsageError } from "../command.ts";
import { OWN_COMMAND } from "../own-command.ts";
import { projectFolder } from "../project-folder.ts";

/** The exit code by which git knows that the file has conflicts. */
const CONFLICTS = 1;
/** With a larger one the registered command merges by lines. */
const FAILED = 2;

interface Versions {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

/** Undefined for files that are not UTF-8. */
function readText(file: string): string | undefined {
  const bytes = readFileSync(file);
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) ? text : undefined;
}

/** As git merges without a driver: the result replaces ours, with markers around the lines that both changed. */
async function mergeByLines({ base, ours, theirs }: Versions): Promise<number> {
  const labels = ["ours", "base", "theirs"].flatMap((label) => ["-L", label]);
  const { exitCode, stderr } = await runGit(process.cwd(), ["merge-file", ...labels, ours, base, theirs]);
  // 255: it cannot merge, as files that are not texts
  if (exitCode === 255) throw new UsageError(stderr);
  return exitCode === 0 ? 0 : CONFLICTS;
}

async function cleanMergeByLines({ base, ours, theirs }: Versions): Promise<string | undefined> {
  const { exitCode, stdout } = await runGit(process.cwd(), ["merge-file", "-p", "--quiet", ours, base, theirs]);
  return exitCode === 0 ? stdout.toString() : undefined;
}

async function mergeByFields(versions: Versions, form: FileForm): Promise<number | undefined> {
  const { mergeTexts } =
    require("../../transfer/content/merge-texts.ts") as typeof import("../../transfer/content/merge-texts.ts");
  const base = readText(versions.base);
  const ours = readText(versions.ours);
  const theirs = readText(versions.theirs);
  if (base === undefined || ours === undefined || theirs === undefined) return undefined;
  const byLines = await cleanMergeByLines(versions);
  const merged = mergeTexts({ base: base === "" ? undefined : base, ours, theirs, byLines }, form);
  if (!merged) return undefined;
  writeFileSync(versions.ours, merged.text);
  return merged.conflicts.length === 0 ? 0 : CONFLICTS;
}

async function runMergeDriver({ arguments: [base, ours, theirs, path] }: CommandCall): Promise<number> {
  if (base === undefined || ours === undefined || theirs === undefined || path === undefined)
    throw new UsageError("merge-driver is started by git: galley merge-driver %O %A %B %P");
  const { findKind, UNKNOWN_BODY } =
    require("../../transfer/content/file-kinds.ts") as typeof import("../../transfer/content/file-kinds.ts");
  const versions = { base: resolve(base), ours: resolve(ours), theirs: resolve(theirs) };
  const kind = /^readme\b/i.test(basename(path)) ? undefined : findKind(path);
  const form = kind && { kind, ...(kind === "markdown" ? { body: UNKNOWN_BODY } : {}) };
  try {
    return (form && (await mergeByFields(versions, form))) ?? (await mergeByLines(versions));
  } catch (error) {
    console.error(`galley: ${path}: ${(error as Error).message}`);
    return FAILED;
  }
}

export const mergeDriver: Command = {
  name: "merge-driver",
  summary: "Merge a content file by fields; started by git after galley content setup-git",
  usage: "<base> <ours> <theirs> <path>",
  run: runMergeDriver,
};

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
const shellQuoted = (word: string): string => `'${word.replaceAll("'", "'\\''").replaceAll("%", "%%")}'`;

/** Without Galley at its place, git would take a failed driver for a conflict, and leave our file without the changes of the other side. */
const DRIVER = `${OWN_COMMAND.map(shellQuoted).join(" ")} merge-driver %O %A %B %P || \
{ test $? -gt ${CONFLICTS} && git merge-file -L ours -L base -L theirs %A %O %B; }`;

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
  await git(root, ["config", "merge.galley.name", "fields of content files"]);
  await git(root, ["config", "merge.galley.driver", DRIVER]);
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
