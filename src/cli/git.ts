/** Runs git, if it is installed. */
import { UsageError } from "./arguments.ts";

export interface GitResult {
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Throws a UsageError if git is not installed. */
export function runGit(folder: string, args: readonly string[], input?: string): GitResult {
  const git = Bun.which("git");
  if (git === null) throw new UsageError("git is not installed, or not in PATH");
  const { exitCode, stdout, stderr } = Bun.spawnSync([git, ...args], {
    cwd: folder,
    stdin: input === undefined ? "ignore" : Buffer.from(input),
    // messages are compared and shown
    env: { ...process.env, LC_ALL: "C" },
  });
  return { exitCode, stdout, stderr: stderr.toString().trim() };
}

/** Throws a UsageError with git's message if it fails. */
export function gitOutput(folder: string, args: readonly string[], input?: string): Buffer {
  const { exitCode, stdout, stderr } = runGit(folder, args, input);
  if (exitCode !== 0) throw new UsageError(`git ${args[0]}: ${stderr.replace(/^fatal: /, "")}`);
  return stdout;
}

export interface Uncommitted {
  /** Below the folder. */
  readonly file: string;
  readonly change: "added" | "changed" | "removed" | "renamed" | "conflict";
}

const CHANGES: readonly [pattern: RegExp, change: Uncommitted["change"]][] = [
  [/^(?:DD|AU|UD|UA|DU|AA|UU)/, "conflict"],
  [/^(?:\?\?|A.| A)/, "added"],
  [/^(?:R.|.R|C.|.C)/, "renamed"],
  [/^(?:D.|.D)/, "removed"],
];

/** Files below a folder that differ from the last commit. Undefined if there is no git, or the folder is in no repository. */
export function uncommittedFiles(folder: string): Uncommitted[] | undefined {
  if (Bun.which("git") === null) return undefined;
  const prefix = runGit(folder, ["rev-parse", "--show-prefix"]);
  if (prefix.exitCode !== 0) return undefined;
  const start = prefix.stdout.toString().trimEnd().length;
  // without optional locks, for those who use git at the same time
  const args = ["--no-optional-locks", "status", "--porcelain=v1", "-z", "--untracked-files=all", "--", "."];
  const entries = gitOutput(folder, args)
    .toString()
    .split("\0")
    .filter((entry) => entry !== "");
  const files: Uncommitted[] = [];
  for (let index = 0; index < entries.length; index++) {
    const entry = entries[index]!;
    const change = CHANGES.find(([pattern]) => pattern.test(entry))?.[1] ?? "changed";
    files.push({ file: entry.slice(3 + start), change });
    // the earlier name follows
    if (change === "renamed") index++;
  }
  return files;
}
