/** Galley as a process of its own, for tests that kill it or watch its memory. */
import { readFileSync } from "node:fs";
import type { Subprocess } from "bun";
import { freePort } from "../../free-port.ts";
import { PROGRAM } from "../../program.ts";

export interface Running {
  readonly url: string;
  /** In megabytes, what the process holds now. */
  memory(): number;
  /** Processor time until now, in milliseconds: of the thread that answers requests, and of all threads. */
  processorTime(): { readonly mainThread: number; readonly all: number };
  kill(): Promise<void>;
}

/** Clock ticks of `/proc` are hundredths of a second on every Linux. */
const TICK_MS = 10;

/** User and system time of a process or a thread, in milliseconds. */
function readProcessorTime(folder: string): number {
  const text = readFileSync(`${folder}/stat`, "utf8");
  // the second field is a name in parentheses, which may contain spaces; user and system time are the 14th and 15th
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
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
  const serve = [...PROGRAM, "serve", root, "--port", String(port)];
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
    processorTime: () => ({
      mainThread: readProcessorTime(`/proc/${child.pid}/task/${child.pid}`),
      all: readProcessorTime(`/proc/${child.pid}`),
    }),
    kill: async () => {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}
