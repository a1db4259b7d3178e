/** Runs git without blocking this process. */
import { existsSync } from "node:fs";
import { ProjectError } from "./errors.ts";

const TIMEOUT_MS = 60_000;
/** What git sets for its hooks, relative to the root of the hook's working tree: that of a folder may be another. */
const HOOK_VARIABLES = ["GIT_DIR", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_PREFIX"];

/** The reason is git's, or that it is not installed or did not end in time. */
export class GitError extends ProjectError {
  constructor(command: string, reason: string) {
    super(command, undefined, reason);
  }
}

export const hasGit = (): boolean => Bun.which("git") !== null;

export interface GitResult {
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

function gitEnvironment(): NodeJS.ProcessEnv {
  // messages are compared; a question that refreshes the index would lock it, for which a synchronisation waits
  const env: NodeJS.ProcessEnv = { ...process.env, LC_ALL: "C", GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0" };
  // whoever names the working tree means this repository
  if (!("GIT_WORK_TREE" in env)) for (const name of HOOK_VARIABLES) delete env[name];
  return env;
}

/** Rejects with a GitError if git did not run to its end. */
export async function runGit(folder: string, args: readonly string[], input = ""): Promise<GitResult> {
  if (!hasGit()) throw new GitError("git", "it is not installed, or not in PATH");
  if (!existsSync(folder)) throw new GitError(folder, "is missing");
  const child = Bun.spawn(["git", "--literal-pathspecs", ...args], {
    cwd: folder,
    stdin: Buffer.from(input),
    stdout: "pipe",
    stderr: "pipe",
    timeout: TIMEOUT_MS,
    killSignal: "SIGKILL",
    env: gitEnvironment(),
  });
  const [bytes, message, exitCode] = await Promise.all([
    new Response(child.stdout).arrayBuffer(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (child.signalCode !== null)
    throw new GitError(`git ${args[0]}`, `it did not end within ${TIMEOUT_MS / 1000} seconds`);
  return { exitCode, stdout: Buffer.from(bytes), stderr: message.trim() };
}

/** Rejects with a GitError if it fails. */
export async function git(folder: string, args: readonly string[], input?: string): Promise<Buffer> {
  const { exitCode, stdout, stderr } = await runGit(folder, args, input);
  if (/not a git repository/.test(stderr))
    throw new GitError(folder, "is not a git repository, nor in one: git init makes one");
  if (exitCode !== 0) throw new GitError(`git ${args[0]}`, stderr.replace(/^(?:fatal|error): /, ""));
  return stdout;
}

/** Parts of an output of `-z`. */
export const splitList = (output: Buffer): string[] =>
  output
    .toString()
    .split("\0")
    .filter((entry) => entry !== "");

const MISSING = / (?:missing|ambiguous)\n$/;

/** The contents of objects, by their names; undefined for those that are missing. Rejects with a GitError. */
export async function readObjects(folder: string, names: readonly string[]): Promise<(Buffer | undefined)[]> {
  if (names.length === 0) return [];
  const output = await git(folder, ["cat-file", "--batch"], names.map((name) => `${name}\n`).join(""));
  let start = 0;
  return names.map(() => {
    const end = output.indexOf("\n", start) + 1;
    const header = output.toString("utf8", start, end);
    start = end;
    if (MISSING.test(header)) return undefined;
    const size = Number(header.trim().split(" ").at(-1));
    start += size + 1;
    return output.subarray(end, end + size);
  });
}
