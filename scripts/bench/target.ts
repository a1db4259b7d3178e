/** Servers that are measured: how each is started, asked whether it answers, weighed and stopped. */
import { join } from "node:path";
import { onServerCore } from "./cores.ts";
import { readMemory } from "./peak-memory.ts";
import { processorTime, processTree } from "./processor-time.ts";
import { TOKEN } from "./project.ts";

export interface Target {
  readonly name: string;
  /** The command that serves a project's folder on a port. */
  readonly command: (folder: string, port: number) => readonly string[];
  readonly environment?: (port: number) => Readonly<Record<string, string>>;
  /** How long its start may take, 2 minutes, and the pause between two attempts to reach it, none; in milliseconds. */
  readonly patienceMs?: number;
  readonly pollMs?: number;
}

export interface Up {
  readonly url: string;
  readonly pid: number;
  /** From the start of the process to its first answer, and the processor time of that. */
  readonly startMs: number;
  readonly startProcessorMs: number;
  /** Resident memory of the process and of those that it started. */
  readonly megabytes: () => number;
  readonly stop: () => Promise<void>;
}

export const executable = (file: string, name = "galley"): Target => ({
  name,
  command: (folder, port) => [file, "serve", folder, "--quiet", "--host", "127.0.0.1", "--port", String(port)],
});

export const floor: Target = {
  name: "floor",
  command: (folder, port) => [process.execPath, join(import.meta.dir, "floor/server.ts"), folder, String(port)],
};

/** `file`: `empty.ts`, compiled. */
export const empty = (file: string): Target => ({ name: "empty", command: (_folder, port) => [file, String(port)] });

const PATIENCE_MS = 120_000;
const STOP_MS = 10_000;
/** Small, and needs the whole way through a server. */
const FIRST = "/api/articles?pagination%5BpageSize%5D=1";

let lastPort = 15_299;

function freePort(): number {
  for (;;) {
    const port = ++lastPort;
    try {
      Bun.listen({ hostname: "127.0.0.1", port, socket: { data: () => {} } }).stop(true);
      return port;
    } catch (error) {
      if ((error as { code?: string }).code !== "EADDRINUSE") throw error;
    }
  }
}

const running = new Set<() => Promise<void>>();

/** Stops what an error has left running. */
export async function stopAll(): Promise<void> {
  for (const stop of running) await stop();
}

function readMegabytes(pid: number): number {
  if (process.platform !== "linux") {
    return Number(Bun.spawnSync(["ps", "-o", "rss=", "-p", String(pid)]).stdout.toString()) / 1024;
  }
  return processTree(pid).reduce((sum, each) => sum + (readMemory(each, "VmRSS") ?? 0), 0) / 2 ** 20;
}

/** Starts a server on a folder and waits for its first answer. Throws with what it printed when it does not come up. */
export async function start(target: Target, folder: string): Promise<Up> {
  const port = freePort();
  const url = `http://127.0.0.1:${port}`;
  const began = performance.now();
  const child = Bun.spawn(onServerCore(target.command(folder, port)), {
    cwd: folder,
    env: { ...process.env, NODE_ENV: "production", ...target.environment?.(port) },
    stdout: "ignore",
    stderr: "pipe",
  });
  const errors = new Response(child.stderr).text();
  const stop = async (): Promise<void> => {
    child.kill();
    const kill = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
    await child.exited;
    clearTimeout(kill);
    running.delete(stop);
  };
  running.add(stop);
  const fail = async (reason: string): Promise<never> => {
    await stop();
    throw new Error(`${target.name} ${reason}:\n${await errors}`);
  };
  const headers = { authorization: `Bearer ${TOKEN}` };
  for (;;) {
    const response = await fetch(url + FIRST, { headers }).catch(() => undefined);
    const startMs = performance.now() - began;
    const startProcessorMs = response?.ok ? processorTime(child.pid) : Number.NaN;
    await response?.arrayBuffer();
    const { pid } = child;
    if (response?.ok) return { url, pid, startMs, startProcessorMs, megabytes: () => readMegabytes(pid), stop };
    if (child.exitCode !== null) await fail("stopped");
    if (response && response.status < 500) await fail(`answered ${response.status}`);
    if (startMs > (target.patienceMs ?? PATIENCE_MS)) await fail("did not come up");
    // a refused connection costs a fraction of a millisecond, so nothing is waited for in between where the start is quick
    if (target.pollMs !== undefined) await Bun.sleep(target.pollMs);
  }
}
