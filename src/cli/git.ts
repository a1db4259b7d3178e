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
