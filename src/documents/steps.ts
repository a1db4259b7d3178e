/**
 * Writes are generators that yield wherever the project's code may be asynchronous. Without such code nothing is yielded, and
 * a write runs synchronously inside one transaction.
 */

/** Called by whoever runs the write, which is resumed with its result. */
export type Step = () => unknown;
export type Work<T> = Generator<Step, T, unknown>;

/** Yields a step, and returns its result. */
export function* step<T>(run: () => T | Promise<T>): Work<T> {
  return (yield run) as T;
}

/** Runs a write synchronously. Throws if a step is asynchronous. */
export function finish<T>(work: Work<T>): T {
  let next = work.next();
  while (!next.done) {
    const result = next.value();
    if (result instanceof Promise) throw new Error("A synchronous write cannot wait for asynchronous code");
    next = work.next(result);
  }
  return next.value;
}

/** Runs a write asynchronously; the error of a step is thrown inside the write. */
export async function drive<T>(work: Work<T>): Promise<T> {
  let next = work.next();
  while (!next.done) {
    let result: unknown;
    try {
      result = await next.value();
    } catch (error) {
      next = work.throw(error);
      continue;
    }
    next = work.next(result);
  }
  return next.value;
}
