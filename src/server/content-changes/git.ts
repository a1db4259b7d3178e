/** Runs git without blocking this process. */

const TIMEOUT_MS = 10_000;

/** The message is git's, or says that it did not end in time. */
export class GitError extends Error {}

export const hasGit = (): boolean => Bun.which("git") !== null;

/** Rejects with a GitError. */
export async function git(folder: string, args: readonly string[], input = ""): Promise<Buffer> {
  const child = Bun.spawn(["git", "--literal-pathspecs", ...args], {
    cwd: folder,
    stdin: Buffer.from(input),
    stdout: "pipe",
    stderr: "pipe",
    timeout: TIMEOUT_MS,
    killSignal: "SIGKILL",
    // a question that refreshes the index would lock it, for which a synchronisation waits
    env: { ...process.env, LC_ALL: "C", GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0" },
  });
  const [bytes, message, exitCode] = await Promise.all([
    new Response(child.stdout).arrayBuffer(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (child.signalCode !== null) throw new GitError(`git ${args[0]} did not end within ${TIMEOUT_MS / 1000} seconds`);
  if (exitCode !== 0) throw new GitError(`git ${args[0]}: ${message.trim().replace(/^(?:fatal|error): /, "")}`);
  return Buffer.from(bytes);
}
