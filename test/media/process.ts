/** Galley as a process of its own, for tests that kill it or watch its memory. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { freePort } from "../free-port.ts";

const MAIN = join(import.meta.dir, "../../src/main.ts");

export interface Running {
  readonly url: string;
  /** In megabytes, what the process holds now. */
  memory(): number;
  kill(): Promise<void>;
}

async function isUp(url: string, child: Subprocess): Promise<void> {
  for (let wait = 0; wait < 1000 && child.exitCode === null; wait++) {
    try {
      return void (await (await fetch(`${url}/_health`)).arrayBuffer());
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      await Bun.sleep(10);
    }
  }
  throw new Error("The server did not come up");
}

const children = new Set<Subprocess>();

/** Kills what a failed test has left running. */
export async function killServers(): Promise<void> {
  for (const child of children) child.kill("SIGKILL");
  await Promise.all([...children].map(({ exited }) => exited));
  children.clear();
}

/** `setup`: a command of the shell that the server starts in, such as a limit. */
export async function startServer(root: string, setup?: string): Promise<Running> {
  const port = freePort();
  const serve = [process.execPath, MAIN, "serve", root, "--port", String(port)];
  const child = Bun.spawn(setup ? ["sh", "-c", `${setup} && exec "$@"`, "sh", ...serve] : serve, {
    stdout: "ignore",
    stderr: "inherit",
  });
  children.add(child);
  const url = `http://127.0.0.1:${port}`;
  await isUp(url, child);
  return {
    url,
    memory: () => {
      const [, size = "0"] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8")) ?? [];
      return Number(size) / 1000;
    },
    kill: async () => {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}
