/** `galley merge-driver`: merges a content file for git, by fields. `galley content setup-git` registers it. */
import { readFileSync, writeFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { runGit } from "../../lib/git.ts";
import type { FileForm } from "../../transfer/content/file-text.ts";
import { type Command, type CommandCall, UsageError } from "../command.ts";

/** The exit code by which git knows that the file has conflicts. */
const CONFLICTS = 1;

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
  return (form && (await mergeByFields(versions, form))) ?? mergeByLines(versions);
}

export const mergeDriver: Command = {
  name: "merge-driver",
  summary: "Merge a content file by fields; started by git after galley content setup-git",
  usage: "<base> <ours> <theirs> <path>",
  run: runMergeDriver,
};
