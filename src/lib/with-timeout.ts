/** The result of `work`, or after `limitMs` that of `late`, which may throw. The work goes on. Rejects with its error if it fails in time. */
export async function withTimeout<T>(work: Promise<T>, limitMs: number, late: () => T): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, limitMs);
  try {
    return await Promise.race([work, promise.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
