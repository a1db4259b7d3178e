/** Hands work to the worker, which is started when it is first needed and ended when nothing has come for a while. */
import type { JobName, Jobs, Reply, Request } from "./worker.ts";

const IDLE_MS = 5000;
/** Work that takes longer is given up, and the worker with it. */
const JOB_MS = 120_000;

let worker: Worker | undefined;
let idle: ReturnType<typeof setTimeout> | undefined;
let counter = 0;

interface Job {
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly timeout: ReturnType<typeof setTimeout>;
}
const waiting = new Map<number, Job>();

/** The one executable begins with the worker's part when it is a worker. */
const entry = (): string => (Bun.isStandaloneExecutable ? Bun.main : new URL("./worker.ts", import.meta.url).href);

function start(): Worker {
  const started = new Worker(entry());
  started.unref();
  started.onmessage = ({ data }: MessageEvent<Reply>) => {
    const job = waiting.get(data.id);
    waiting.delete(data.id);
    clearTimeout(job?.timeout);
    if (waiting.size === 0) {
      started.unref();
      idle = setTimeout(stop, IDLE_MS);
      idle.unref();
    }
    if ("error" in data) job?.reject(new Error(data.error));
    else job?.resolve(data.output);
  };
  started.onerror = (event) => giveUp(event.message);
  return started;
}

function giveUp(reason: string): void {
  stop();
  for (const { reject, timeout } of waiting.values()) {
    clearTimeout(timeout);
    reject(new Error(reason));
  }
  waiting.clear();
}

function stop(): void {
  worker?.terminate();
  worker = undefined;
}

/** Does a job on the content of a file. Throws an Error with the worker's message. */
export function inWorker<N extends JobName>(
  name: N,
  path: string,
  input: Jobs[N]["input"],
): Promise<Jobs[N]["output"]> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  clearTimeout(idle);
  worker ??= start();
  worker.ref();
  const id = ++counter;
  waiting.set(id, { resolve, reject, timeout: setTimeout(giveUp, JOB_MS, `${name} took longer than ${JOB_MS} ms`) });
  worker.postMessage({ id, name, path, input } satisfies Request<N>);
  return promise as Promise<Jobs[N]["output"]>;
}
