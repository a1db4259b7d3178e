/** A value, or a promise of it. */
export type MaybePromise<T> = T | Promise<T>;

/** Calls `next` synchronously for a value that is no promise: a promise costs as much as a cache lookup. */
export const whenReady = <T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> =>
  value instanceof Promise ? value.then(next) : next(value);
