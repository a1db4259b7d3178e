/** Processes images in workers, which are started on demand and terminated after a while without work. */
import { ApiError } from "../../../lib/errors.ts";
import type { RasterName } from "./image.ts";
import type { JobName, Jobs, Reply, Request } from "./worker.ts";

const IDLE_MS = 5000;
const JOB_MS = 30_000;

/** In an executable, the entry point runs the worker's code in workers. */
const workerUrl = (): string => (Bun.isStandaloneExecutable ? Bun.main : new URL("./worker.ts", import.meta.url).href);

/** A job that took too long. */
export class ImageTimeoutError extends Error {}

/** One worker, which runs one job at a time. */
class ImageWorker {
  readonly #worker = new Worker(workerUrl());
  #idle: ReturnType<typeof setTimeout> | undefined;

  run(request: Request, timeoutMs: number): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    clearTimeout(this.#idle);
    this.#worker.ref();
    const fail = (error: Error): void => {
      this.#worker.terminate();
      reject(error);
    };
    const timeout = setTimeout(
      () => fail(new ImageTimeoutError(`${request.name} took longer than ${timeoutMs} ms`)),
      timeoutMs,
    );
    this.#worker.onerror = ({ message }) => fail(new Error(message));
    this.#worker.onmessage = ({ data }: MessageEvent<Reply>) => {
      if ("output" in data) resolve(data.output);
      else reject("refusal" in data ? new ApiError("ApplicationError", data.refusal) : new Error(data.error));
      this.#release();
    };
    this.#worker.postMessage(request);
    return promise.finally(() => clearTimeout(timeout));
  }

  /** Waits for more work without keeping the process alive. */
  #release(): void {
    this.#worker.unref();
    idleWorkers.push(this);
    this.#idle = setTimeout(() => {
      idleWorkers.splice(idleWorkers.indexOf(this), 1);
      this.#worker.terminate();
    }, IDLE_MS);
    this.#idle.unref();
  }
}

const idleWorkers: ImageWorker[] = [];

/**
 * Runs a job on a file. Rejects with the job's error, or with ImageTimeoutError after `timeoutMs`; the worker is terminated
 * then.
 */
export async function runInWorker<N extends JobName>(
  name: N,
  raster: RasterName,
  path: string,
  input: Jobs[N]["input"],
  timeoutMs = JOB_MS,
): Promise<Jobs[N]["output"]> {
  const worker = idleWorkers.pop() ?? new ImageWorker();
  return (await worker.run({ name, raster, path, input } satisfies Request<N>, timeoutMs)) as Jobs[N]["output"];
}
