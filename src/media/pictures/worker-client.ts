/** Processes pictures in workers, which are started on demand and terminated after a while without work. */
import { ApiError } from "../../errors.ts";
import type { RasterName } from "./picture.ts";
import type { JobName, Jobs, Reply, Request } from "./worker.ts";

const IDLE_MS = 5000;
const JOB_MS = 30_000;

/** An executable starts with the worker's code when it runs as a worker. */
const entry = (): string => (Bun.isStandaloneExecutable ? Bun.main : new URL("./worker.ts", import.meta.url).href);

/** The rejection of work that took too long. */
export class PictureTimeoutError extends Error {}

/** One worker, which does one job at a time. */
class PictureWorker {
  readonly #worker = new Worker(entry());
  #idle: ReturnType<typeof setTimeout> | undefined;

  run(request: Request, within: number): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    clearTimeout(this.#idle);
    this.#worker.ref();
    const fail = (error: Error): void => {
      this.#worker.terminate();
      reject(error);
    };
    const late = setTimeout(
      () => fail(new PictureTimeoutError(`${request.name} took longer than ${within} ms`)),
      within,
    );
    this.#worker.onerror = ({ message }) => fail(new Error(message));
    this.#worker.onmessage = ({ data }: MessageEvent<Reply>) => {
      if ("output" in data) resolve(data.output);
      else reject("refusal" in data ? new ApiError("ApplicationError", data.refusal) : new Error(data.error));
      this.#release();
    };
    this.#worker.postMessage(request);
    return promise.finally(() => clearTimeout(late));
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

const idleWorkers: PictureWorker[] = [];

/**
 * Runs a job on the content of a file. Throws the worker's errors, and PictureTimeoutError after `within` milliseconds, when the
 * worker is terminated.
 */
export async function inWorker<N extends JobName>(
  name: N,
  raster: RasterName,
  path: string,
  input: Jobs[N]["input"],
  within = JOB_MS,
): Promise<Jobs[N]["output"]> {
  const worker = idleWorkers.pop() ?? new PictureWorker();
  return (await worker.run({ name, raster, path, input } satisfies Request<N>, within)) as Jobs[N]["output"];
}
