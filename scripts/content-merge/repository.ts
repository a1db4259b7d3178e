/** A git repository in a temporary folder with content files and two branches, whose merges are looked at. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PROGRAM } from "../../test/program.ts";

const ENVIRONMENT = {
  PATH: process.env.PATH,
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_SYSTEM: "/dev/null",
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@example.com",
};

/** By path. */
export type Files = ReadonlyMap<string, string | Buffer>;

export interface Merge {
  readonly isClean: boolean;
  /** Paths with conflicts. */
  readonly conflicts: ReadonlySet<string>;
  readonly output: string;
}

export class Repository {
  readonly folder = mkdtempSync(join(tmpdir(), "galley-git-"));

  constructor() {
    this.git("init", "-q", "-b", "main");
  }

  #run(command: readonly string[]) {
    const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { cwd: this.folder, env: ENVIRONMENT });
    return { exitCode, output: stdout.toString() + stderr.toString() };
  }

  git(...args: readonly string[]): string {
    const { exitCode, output } = this.#run(["git", ...args]);
    if (exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${output}`);
    return output;
  }

  galley(...args: readonly string[]): string {
    const { exitCode, output } = this.#run([...PROGRAM, ...args]);
    if (exitCode !== 0) throw new Error(`galley ${args.join(" ")}: ${output}`);
    return output;
  }

  /** Registers the merge driver. */
  setUp(): void {
    mkdirSync(join(this.folder, "src/api"), { recursive: true });
    this.galley("content", "setup-git", ".");
  }

  removeGit(): void {
    rmSync(join(this.folder, ".git"), { recursive: true });
  }

  readBytes(path: string): Buffer {
    return readFileSync(join(this.folder, path));
  }

  read(path: string): string {
    return this.readBytes(path).toString();
  }

  commit(files: Files): void {
    for (const [path, text] of files) {
      mkdirSync(dirname(join(this.folder, path)), { recursive: true });
      writeFileSync(join(this.folder, path), text);
    }
    this.git("add", "-A");
    this.git("commit", "-q", "--allow-empty", "-m", "change");
  }

  /** Merges what two branches made of files. The work tree has the result. */
  merge(base: Files, ours: Files, theirs: Files): Merge {
    this.commit(base);
    this.git("checkout", "-q", "-b", "theirs");
    this.commit(theirs);
    this.git("checkout", "-q", "main");
    this.commit(ours);
    const { exitCode, output } = this.#run(["git", "merge", "-q", "--no-edit", "theirs"]);
    const conflicts = this.git("diff", "--name-only", "--diff-filter=U").split("\n");
    return { isClean: exitCode === 0, conflicts: new Set(conflicts.filter((path) => path !== "")), output };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
