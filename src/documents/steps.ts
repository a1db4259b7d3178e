/**
 * Writes as generators. A write yields at each point where a project's own code may wait for something; without such code
 * nothing is yielded, and the write is run to its end at once, inside one synchronous transaction.
 */

/** Something to be done before the write goes on; the write is resumed with its result. */
export type Step = () => unknown;
export type Work<T> = Generator<Step, T, unknown>;

/** Waits for the result of one step. */
export function* step<T>(run: () => T | Promise<T>): Work<T> {
  return (yield run) as T;
}

/** Runs a write to its end. Throws when a step is asynchronous. */
export function finish<T>(work: Work<T>): T {
  let next = work.next();
  while (!next.done) {
    const result = next.value();
    if (result instanceof Promise) throw new Error("A synchronous write cannot wait for asynchronous code");
    next = work.next(result);
  }
  return next.value;
}

/** Runs a write to its end and waits for its steps; an error of a step is thrown inside the write. */
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
