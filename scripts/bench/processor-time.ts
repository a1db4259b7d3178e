/** The processor time of servers, which does not depend on what else the machine does. Linux only. */
import { readdirSync, readFileSync } from "node:fs";

/** Undefined for processes and threads that ended in the meantime. */
function unlessEnded<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (["ENOENT", "ESRCH"].includes((error as { code?: string }).code ?? "")) return undefined;
    throw error;
  }
}

const readProc = (path: string): string | undefined => unlessEnded(() => readFileSync(`/proc/${path}`, "utf8"));

/** A process and those that it started. */
export function processTree(pid: number): number[] {
  const tree = [pid];
  const parents = readdirSync("/proc").flatMap((name) => {
    const stat = /^\d+$/.test(name) ? readProc(`${name}/stat`) : undefined;
    // the name, in brackets, may have spaces of its own
    return stat === undefined ? [] : [[Number(name), Number(stat.replace(/^.*\) /, "").split(" ")[1])] as const];
  });
  // those that are found are looked for as parents, too
  for (const parent of tree) for (const [child, of] of parents) if (of === parent) tree.push(child);
  return tree;
}

/** The processor time of each thread, in nanoseconds. */
export type ThreadTimes = ReadonlyMap<string, number>;

function addThreads(pid: number, times: Map<string, number>): void {
  for (const thread of unlessEnded(() => readdirSync(`/proc/${pid}/task`)) ?? []) {
    const text = readProc(`${pid}/task/${thread}/schedstat`);
    if (text !== undefined) times.set(`${pid}/${thread}`, Number(text.split(" ")[0]));
  }
}

export function threadTimes(pids: readonly number[]): ThreadTimes {
  const times = new Map<string, number>();
  for (const pid of pids) addThreads(pid, times);
  return times;
}

/** The processor time since `before`, in microseconds, without that of threads that have ended since. */
export function processorTimeSince(before: ThreadTimes, pids: readonly number[]): number {
  let nanoseconds = 0;
  for (const [thread, time] of threadTimes(pids)) nanoseconds += time - (before.get(thread) ?? 0);
  return nanoseconds / 1_000;
}

/** The processor time of a process since it began, in milliseconds. NaN where it cannot be known. */
export const processorTime = (pid: number): number =>
  process.platform === "linux" ? processorTimeSince(new Map(), processTree(pid)) / 1_000 : Number.NaN;
