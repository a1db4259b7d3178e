/** An executable of another commit, to compare with. */
import { rmSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");

async function run(command: readonly string[], cwd: string): Promise<void> {
  const child = Bun.spawn([...command], { cwd, stdout: "pipe", stderr: "pipe" });
  const [out, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")}:\n${out}${errors}`);
}

/** Builds it in a work tree of its own, which is removed. Returns the path of the executable. */
export async function compileCommit(commit: string, scratch: string): Promise<string> {
  const tree = join(scratch, "tree");
  const outfile = join(scratch, "galley-against");
  await run(["git", "worktree", "add", "--detach", tree, commit], ROOT);
  try {
    await run([process.execPath, "install", "--frozen-lockfile"], tree);
    await run([process.execPath, "scripts/build.ts", "--outfile", outfile], tree);
  } finally {
    rmSync(tree, { recursive: true, force: true });
    await run(["git", "worktree", "prune"], ROOT);
  }
  return outfile;
}
