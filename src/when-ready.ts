/** What may have to be waited for. */
export type MaybePromise<T> = T | Promise<T>;

/** Goes on with a value: at once if it is there, since a promise costs as much as a look into a cache. */
export const whenReady = <T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> =>
  value instanceof Promise ? value.then(next) : next(value);
