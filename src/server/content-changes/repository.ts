/** The git repository that contains a folder: which of its files differ from the last commit, and what they were then. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { GitError, git, hasGit } from "./git.ts";

/** Files of git that change with each commit, checkout and `git add`. */
const CHANGING = ["index", "HEAD", "logs/HEAD"];
const MISSING = / (?:missing|ambiguous)\n$/;

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

  /** Paths below the folder that may differ from the last commit, sorted. Rejects with a GitError. */
  async changedPaths(): Promise<string[]> {
    const args = ["status", "--porcelain", "-z", "--untracked-files=all", "--no-renames", "--", "."];
    const text = (await git(this.#folder, args)).toString();
    const paths = text.split("\0").flatMap((line) => (line === "" ? [] : [line.slice(3)]));
    return paths.map((path) => path.slice(this.#prefix.length)).sort();
  }

  /** The files of the last commit by path, without those that it does not have. Rejects with a GitError. */
  async committed(paths: readonly string[]): Promise<Map<string, Buffer>> {
    const found = new Map<string, Buffer>();
    const asked = paths.filter((path) => !path.includes("\n"));
    if (!this.#hasCommits || asked.length === 0) return found;
    const names = asked.map((path) => `HEAD:${this.#prefix}${path}\n`).join("");
    const output = await git(this.#folder, ["cat-file", "--batch"], names);
    let start = 0;
    for (const path of asked) {
      const end = output.indexOf("\n", start) + 1;
      const header = output.subarray(start, end).toString();
      if (MISSING.test(header)) {
        start = end;
        continue;
      }
      const size = Number(header.trim().split(" ").at(-1));
      found.set(path, output.subarray(end, end + size));
      start = end + size + 1;
    }
    return found;
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
