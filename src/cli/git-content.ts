/** The files of a folder in commits of git. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { ensurePrivateFolder } from "../engine/storage/private-file.ts";
import { withTemporaryFolder } from "../engine/storage/temporary-folder.ts";
import { GitError, git, readObjects, splitList } from "../lib/git.ts";
import { dataFolder } from "../server/project/project-source.ts";
import { findKind } from "../transfer/content/file-kinds.ts";
import { UsageError } from "./command.ts";

/** Hashes by path below the folder. */
type Tree = ReadonlyMap<string, string>;

/** Clones for CI have the last commit of one branch only, and new repositories have none. */
function explainUnknown(ref: string, error: GitError): Error {
  if (!error.message.includes("Not a valid object name")) return error;
  if (ref === "HEAD") return new UsageError("there is no commit yet: git commit makes the one to compare with");
  return new UsageError(
    `git has no commit "${ref}" here; git fetch gets those of the remote, of a shallow clone with --unshallow`,
  );
}

/** Without symbolic links. Rejects with a UsageError for an unknown reference, and for an option. */
async function readTree(folder: string, ref: string): Promise<Tree> {
  if (ref.startsWith("-")) throw new UsageError(`"${ref}" is not a reference of git`);
  const list = await git(folder, ["ls-tree", "-r", "-z", ref]).catch((error) => {
    throw error instanceof GitError ? explainUnknown(ref, error) : error;
  });
  return new Map(
    splitList(list).flatMap((entry) => {
      const [, hash, path] = /^100\d+ blob (\w+)\t([\s\S]*)$/.exec(entry) ?? [];
      return path === undefined ? [] : [[path, hash!] as const];
    }),
  );
}

/** Files that are read at once. */
const BATCH = 50;

/**
 * Calls `use` with a folder that has the files of a commit whose paths begin as `needed` says. It is in `.galley`, where own code finds the
 * project's packages.
 */
export async function withFilesOf<T>(
  { root, ref, needed }: { readonly root: string; readonly ref: string; readonly needed: RegExp },
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const files = [...(await readTree(root, ref))].filter(([path]) => needed.test(path));
  ensurePrivateFolder(dataFolder(root));
  return withTemporaryFolder(join(dataFolder(root), `commit-${crypto.randomUUID()}`), async (folder) => {
    for (let at = 0; at < files.length; at += BATCH) {
      const batch = files.slice(at, at + BATCH);
      const contents = await readObjects(
        root,
        batch.map(([, hash]) => hash),
      );
      for (const [index, [path]] of batch.entries()) {
        const file = join(folder, path);
        if (!file.startsWith(`${folder}${sep}`))
          throw new UsageError(`${ref} has a file outside of the project: ${path}`);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, contents[index]!);
      }
    }
    return use(folder);
  });
}

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
