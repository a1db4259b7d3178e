/** The files of a folder in commits of git. */
import { findKind } from "../transfer/content/file-kinds.ts";
import { UsageError } from "./arguments.ts";
import { gitOutput } from "./git.ts";

/** Hashes by path below the folder. */
type Tree = ReadonlyMap<string, string>;

const listOf = (output: Buffer): string[] =>
  output
    .toString()
    .split("\0")
    .filter((entry) => entry !== "");

/** Throws a UsageError for an unknown reference. */
function readTree(folder: string, ref: string): Tree {
  if (ref.startsWith("-")) throw new UsageError(`"${ref}" is not a reference of git`);
  const entries = listOf(gitOutput(folder, ["ls-tree", "-r", "-z", ref])).map((entry) => {
    const [, type, hash, path] = /^\d+ (\w+) (\w+)\t([\s\S]*)$/.exec(entry)!;
    return { type, hash: hash!, path: path! };
  });
  return new Map(entries.filter(({ type }) => type === "blob").map(({ path, hash }) => [path, hash]));
}

/** Texts by path. */
function readBlobs(folder: string, tree: Tree, paths: readonly string[]): Map<string, string> {
  const found = paths.filter((path) => tree.has(path));
  // the bytes of media are not compared
  const [wanted, others] = [true, false].map((isText) =>
    found.filter((path) => (findKind(path) !== undefined) === isText),
  );
  const texts = new Map(others!.map((path) => [path, ""]));
  if (wanted!.length === 0) return texts;
  const output = gitOutput(folder, ["cat-file", "--batch"], wanted!.map((path) => `${tree.get(path)}\n`).join(""));
  let start = 0;
  for (const path of wanted!) {
    const headerEnd = output.indexOf("\n", start);
    const size = Number(output.toString("latin1", start, headerEnd).split(" ")[2]);
    texts.set(path, output.toString("utf8", headerEnd + 1, headerEnd + 1 + size));
    // a line end follows
    start = headerEnd + size + 2;
  }
  return texts;
}

export type Texts = ReadonlyMap<string, string>;

/** The files that differ between two commits, as each has them. */
export function textsOfRefs(folder: string, before: string, after: string): [before: Texts, after: Texts] {
  const [old, now] = [readTree(folder, before), readTree(folder, after)];
  const paths = [...new Set([...old.keys(), ...now.keys()])].filter((path) => old.get(path) !== now.get(path));
  return [readBlobs(folder, old, paths), readBlobs(folder, now, paths)];
}

/** The files of a commit that differ from the working files, and the paths of all that differ. */
export function textsOfRef(folder: string, ref: string): { readonly before: Texts; readonly paths: readonly string[] } {
  const tree = readTree(folder, ref);
  const changed = gitOutput(folder, [
    "diff",
    "--no-ext-diff",
    "--no-renames",
    "--name-only",
    "--relative",
    "-z",
    ref,
    "--",
    ".",
  ]);
  const untracked = gitOutput(folder, ["ls-files", "--others", "--exclude-standard", "-z"]);
  const paths = [...new Set([...listOf(changed), ...listOf(untracked)])];
  return { before: readBlobs(folder, tree, paths), paths };
}
