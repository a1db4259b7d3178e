/** The files of a folder in commits of git. */
import { git, readObjects, splitList } from "../lib/git.ts";
import { findKind } from "../transfer/content/file-kinds.ts";
import { UsageError } from "./arguments.ts";

/** Hashes by path below the folder. */
type Tree = ReadonlyMap<string, string>;

/** Rejects with a GitError for an unknown reference, and with a UsageError for an option. */
async function readTree(folder: string, ref: string): Promise<Tree> {
  if (ref.startsWith("-")) throw new UsageError(`"${ref}" is not a reference of git`);
  const entries = splitList(await git(folder, ["ls-tree", "-r", "-z", ref])).map((entry) => {
    const [, type, hash, path] = /^\d+ (\w+) (\w+)\t([\s\S]*)$/.exec(entry)!;
    return { type, hash: hash!, path: path! };
  });
  return new Map(entries.filter(({ type }) => type === "blob").map(({ path, hash }) => [path, hash]));
}

/** Texts by path. */
async function readTexts(folder: string, tree: Tree, paths: readonly string[]): Promise<Map<string, string>> {
  const found = paths.filter((path) => tree.has(path));
  // the bytes of media are not compared
  const [wanted, others] = [true, false].map((isText) =>
    found.filter((path) => (findKind(path) !== undefined) === isText),
  ) as [string[], string[]];
  const contents = await readObjects(
    folder,
    wanted.map((path) => tree.get(path)!),
  );
  return new Map([
    ...others.map((path) => [path, ""] as const),
    ...wanted.map((path, index) => [path, contents[index]!.toString()] as const),
  ]);
}

export type Texts = ReadonlyMap<string, string>;

/** The files that differ between two commits, as each has them. Rejects with a GitError. */
export async function textsOfRefs(
  folder: string,
  before: string,
  after: string,
): Promise<[before: Texts, after: Texts]> {
  const [old, now] = [await readTree(folder, before), await readTree(folder, after)];
  const paths = [...new Set([...old.keys(), ...now.keys()])].filter((path) => old.get(path) !== now.get(path));
  return [await readTexts(folder, old, paths), await readTexts(folder, now, paths)];
}

/** The files of a commit that differ from the working files, and the paths of all that differ. Rejects with a GitError. */
export async function textsOfRef(
  folder: string,
  ref: string,
): Promise<{ readonly before: Texts; readonly paths: readonly string[] }> {
  const tree = await readTree(folder, ref);
  const options = ["--no-ext-diff", "--no-renames", "--name-only", "--relative", "-z"];
  const changed = await git(folder, ["diff", ...options, ref, "--", "."]);
  const untracked = await git(folder, ["ls-files", "--others", "--exclude-standard", "-z"]);
  const paths = [...new Set([...splitList(changed), ...splitList(untracked)])];
  return { before: await readTexts(folder, tree, paths), paths };
}
