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

export class Repository {
  readonly #folder: string;
  readonly #gitFolder: string;
  /** Of the folder below the root of the repository; ends with "/" unless it is empty. */
  readonly #prefix: string;
  readonly #hasCommits: boolean;

  private constructor(folder: string, gitFolder: string, prefix: string, hasCommits: boolean) {
    this.#folder = folder;
    this.#gitFolder = gitFolder;
    this.#prefix = prefix;
    this.#hasCommits = hasCommits;
  }

  /** Undefined if git is not installed, or the folder is in no repository. */
  static async find(folder: string): Promise<Repository | undefined> {
    if (!hasGit()) return undefined;
    try {
      const text = (await git(folder, ["rev-parse", "--absolute-git-dir", "--show-prefix"])).toString();
      const [gitFolder = "", prefix = ""] = text.split("\n");
      const head = await git(folder, ["rev-parse", "--verify", "--quiet", "HEAD"]).catch(() => undefined);
      return new Repository(folder, gitFolder, prefix, head !== undefined);
    } catch (error) {
      if (error instanceof GitError && /not a git repository|must be run in a work tree/.test(error.message))
        return undefined;
      throw error;
    }
  }

  get hasCommits(): boolean {
    return this.#hasCommits;
  }

  /** Differs after commits, checkouts, and changes of what is staged. */
  get version(): string {
    return CHANGING.map(
      (name) => statSync(join(this.#gitFolder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
    ).join();
  }

  /** Files below the folder that may differ from the last commit, sorted. Rejects with a GitError. */
  async uncommitted(): Promise<Uncommitted[]> {
    const args = ["status", "--porcelain", "-z", "--untracked-files=all", "--no-renames", "--", "."];
    return splitList(await git(this.#folder, args))
      .map((line) => ({
        file: line.slice(3 + this.#prefix.length),
        change: CHANGES.find(([pattern]) => pattern.test(line))?.[1] ?? ("changed" as const),
      }))
      .sort((a, b) => (a.file < b.file ? -1 : 1));
  }

  /** The files of the last commit by path, without those that it does not have. Rejects with a GitError. */
  async committed(paths: readonly string[]): Promise<Map<string, Buffer>> {
    const asked = this.#hasCommits ? paths.filter((path) => !path.includes("\n")) : [];
    const contents = await readObjects(
      this.#folder,
      asked.map((path) => `HEAD:${this.#prefix}${path}`),
    );
    return new Map(asked.flatMap((path, index) => (contents[index] ? [[path, contents[index]]] : [])));
  }

  /** A file of the last commit as a checkout would write it. Rejects with a GitError. */
  checkedOut(path: string): Promise<Buffer> {
    return git(this.#folder, ["cat-file", "--filters", `HEAD:${this.#prefix}${path}`]);
  }

  /** Makes what is staged of a file what the last commit has. Rejects with a GitError. */
  async unstage(path: string): Promise<void> {
    await git(this.#folder, ["reset", "--quiet", "HEAD", "--", path]);
  }
}
