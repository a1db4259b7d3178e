/** The git repository that contains a folder: which of its files differ from the last commit, and what they were then. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { GitError, git, hasGit, readObjects, splitList } from "../../lib/git.ts";

/** Files of git that change with each commit, checkout and `git add`. */
const CHANGING = ["index", "HEAD", "logs/HEAD"];

export interface Uncommitted {
  /** Below the folder. */
  readonly file: string;
  readonly change: "added" | "changed" | "removed" | "conflict";
}

const CHANGES: readonly [pattern: RegExp, change: Uncommitted["change"]][] = [
  [/^(?:DD|AU|UD|UA|DU|AA|UU)/, "conflict"],
  [/^(?:\?\?|A.| A)/, "added"],
  [/^(?:D.|.D)/, "removed"],
];

export type Repository = NonNullable<Awaited<ReturnType<typeof findRepository>>>;

/** Undefined if git is not installed, or the folder is missing or in no repository. */
export async function findRepository(folder: string) {
  if (!hasGit()) return undefined;
  try {
    const text = (await git(folder, ["rev-parse", "--absolute-git-dir", "--show-prefix"])).toString();
    const [gitFolder = "", prefix = ""] = text.split("\n");
    const head = await git(folder, ["rev-parse", "--verify", "--quiet", "HEAD"]).catch(() => undefined);
    return openRepository(folder, gitFolder, prefix, head !== undefined);
  } catch (error) {
    if (error instanceof GitError && /not a git repository|must be run in a work tree|is missing$/.test(error.message))
      return undefined;
    throw error;
  }
}

/** `prefix`: of the folder below the root of the repository; ends with "/" unless it is empty. */
const openRepository = (folder: string, gitFolder: string, prefix: string, hasCommits: boolean) => ({
  hasCommits,
  /** Differs after commits, checkouts, and changes of what is staged. */
  get version(): string {
    return CHANGING.map((name) => statSync(join(gitFolder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0).join();
  },
  /** Files below the folder that may differ from the last commit, sorted. Rejects with a GitError. */
  async uncommitted(): Promise<Uncommitted[]> {
    const args = ["status", "--porcelain", "-z", "--untracked-files=all", "--no-renames", "--", "."];
    return splitList(await git(folder, args))
      .map((line) => ({
        file: line.slice(3 + prefix.length),
        change: CHANGES.find(([pattern]) => pattern.test(line))?.[1] ?? ("changed" as const),
      }))
      .sort((a, b) => (a.file < b.file ? -1 : 1));
  },
  /** The files of the last commit by path, without those that it does not have. Rejects with a GitError. */
  async committed(paths: readonly string[]): Promise<Map<string, Buffer>> {
    const asked = hasCommits ? paths.filter((path) => !path.includes("\n")) : [];
    const contents = await readObjects(
      folder,
      asked.map((path) => `HEAD:${prefix}${path}`),
    );
    return new Map(asked.flatMap((path, index) => (contents[index] ? [[path, contents[index]]] : [])));
  },
  /** A file of the last commit as a checkout would write it. Rejects with a GitError. */
  checkedOut: (path: string): Promise<Buffer> => git(folder, ["cat-file", "--filters", `HEAD:${prefix}${path}`]),
  /** Makes what is staged of a file what the last commit has. Rejects with a GitError. */
  async unstage(path: string): Promise<void> {
    await git(folder, ["reset", "--quiet", "HEAD", "--", path]);
  },
});
