/** Hands work to workers, which are started when they are needed and ended when nothing has come for a while. */
import type { JobName, Jobs, Reply, Request } from "./worker.ts";

const IDLE_MS = 5000;
const JOB_MS = 120_000;

/** The one executable begins with the worker's part when it is a worker. */
const entry = (): string => (Bun.isStandaloneExecutable ? Bun.main : new URL("./worker.ts", import.meta.url).href);

/** What rejects work that took too long. */
export class GivenUp extends Error {}

/** One worker, which does one job at a time. */
class PictureWorker {
  readonly #worker = new Worker(entry());
  #idle: ReturnType<typeof setTimeout> | undefined;

  do(request: Request, within: number): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    clearTimeout(this.#idle);
    this.#worker.ref();
    const fail = (error: Error): void => {
      this.#worker.terminate();
      reject(error);
    };
    const late = setTimeout(() => fail(new GivenUp(`${request.name} took longer than ${within} ms`)), within);
    this.#worker.onerror = ({ message }) => fail(new Error(message));
    this.#worker.onmessage = ({ data }: MessageEvent<Reply>) => {
      if ("error" in data) reject(new Error(data.error));
      else resolve(data.output);
      this.#rest();
    };
    this.#worker.postMessage(request);
    return promise.finally(() => clearTimeout(late));
  }

  /** Waits for more work, which keeps no process alive. */
  #rest(): void {
    this.#worker.unref();
    free.push(this);
    this.#idle = setTimeout(() => {
      free.splice(free.indexOf(this), 1);
      this.#worker.terminate();
    }, IDLE_MS);
    this.#idle.unref();
  }
}

/** Those with nothing to do. There are never more workers than pictures are read at a time. */
const free: PictureWorker[] = [];

/**
 * Does a job on the content of a file. Throws an Error with the worker's message; what takes longer than `within`
 * milliseconds is given up with GivenUp, and its worker with it.
 */
export async function inWorker<N extends JobName>(
  name: N,
  path: string,
  input: Jobs[N]["input"],
  within = JOB_MS,
): Promise<Jobs[N]["output"]> {
  const worker = free.pop() ?? new PictureWorker();
  return (await worker.do({ name, path, input } satisfies Request<N>, within)) as Jobs[N]["output"];
}
