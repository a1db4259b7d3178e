/**
 * Writes are generators that yield wherever a `RowStore` may be asynchronous. With the one of `plain-rows.ts` nothing is yielded,
 * and a write runs synchronously inside one transaction.
 */

/** Called by whoever runs the write, which is resumed with its result. */
export type Step = () => unknown;
export type Work<T> = Generator<Step, T, unknown>;

/** Yields a step, and returns its result. */
export function* step<T>(run: () => T | Promise<T>): Work<T> {
  return (yield run) as T;
}

/** Work without steps. */
// biome-ignore lint/correctness/useYield: there is nothing to wait for
export function* immediately<T>(run: () => T): Work<T> {
  return run();
}

/** Runs works in turns, a step of each at a time, as Strapi's queries of several rows run at the same time. */
export function* together<T>(works: readonly Work<T>[]): Work<T[]> {
  if (works.length === 1) return [yield* works[0]!];
  const results: T[] = [];
  let running = works.map((work, index) => ({ work, index, result: undefined as unknown }));
  while (running.length > 0) {
    const unfinished: typeof running = [];
    for (const each of running) {
      const next = each.work.next(each.result);
      if (next.done) results[each.index] = next.value;
      else unfinished.push({ ...each, result: yield next.value });
    }
    running = unfinished;
  }
  return results;
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
