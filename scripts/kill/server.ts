/** `galley serve` as a process that is killed. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The command line of Galley before its arguments. */
export const FROM_SOURCE: readonly string[] = [process.execPath, join(import.meta.dir, "../../src/main.ts")];
/** Milliseconds. */
const PATIENCE = 60_000;

export interface KillableServer {
  readonly url: string;
  /** Kills the process and every worker of it; resolves when all have ended. */
  readonly kill: () => Promise<void>;
  /** What it has said on its error stream. */
  readonly errors: () => string;
}

function listChildren(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  } catch {
    // another system, or it has ended
    return [];
  }
}

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

/** `program` is the command line before its arguments. Throws with what the server said when it does not start. */
export async function startServer(
  root: string,
  workers: number,
  program: readonly string[] = FROM_SOURCE,
  patience = PATIENCE,
): Promise<KillableServer> {
  const child = Bun.spawn([...program, "serve", root, "--port", "0", "--workers", String(workers)], {
    stdout: "pipe",
    stderr: "pipe",
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" },
  });
  let errors = "";
  void (async () => {
    for await (const chunk of child.stderr) errors += new TextDecoder().decode(chunk);
  })();
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  void (async () => {
    let out = "";
    for await (const chunk of child.stdout) {
      if (out === "done") continue;
      out += new TextDecoder().decode(chunk);
      const [, port] = /Galley serves .* at http:\/\/localhost:(\d+)/.exec(out) ?? [];
      if (port === undefined) continue;
      out = "done";
      resolve(`http://127.0.0.1:${port}`);
    }
    reject(new Error(`The server has ended: ${errors}`));
  })();
  const late = setTimeout(() => reject(new Error(`The server does not start: ${errors}`)), patience);
  const kill = async (): Promise<void> => {
    const pids = listChildren(child.pid);
    child.kill("SIGKILL");
    for (const pid of pids) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // it has ended by itself
      }
    }
    await child.exited;
    while (pids.some(isAlive)) await Bun.sleep(5);
  };
  try {
    return { url: await promise, kill, errors: () => errors };
  } catch (error) {
    await kill();
    throw error;
  } finally {
    clearTimeout(late);
  }
}
