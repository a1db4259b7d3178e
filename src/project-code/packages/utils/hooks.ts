/** `hooks`, `providerFactory` and `async` of `@strapi/utils`. */

type Step = (...values: readonly never[]) => unknown;

/** Composes functions: each is called with the result of the previous one. */
const pipe =
  (...steps: readonly Step[]) =>
  async (...values: readonly unknown[]): Promise<unknown> => {
    let args = values;
    for (const each of steps) args = [await (each as (...values: readonly unknown[]) => unknown)(...args)];
    return args[0];
  };

export interface MapOptions {
  /** Number of items that are processed concurrently. Default: all. */
  readonly concurrency?: number;
}

async function mapItems<T, R>(
  items: Iterable<T>,
  work: (item: T, index: number) => R | Promise<R>,
  { concurrency = Number.POSITIVE_INFINITY }: MapOptions = {},
): Promise<R[]> {
  const list = [...items];
  const results: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < list.length; index = next++) {
      results[index] = await work((await list[index]) as T, index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, list.length) }, worker));
  return results;
}

const reduce =
  <T, R>(items: readonly T[]) =>
  async (work: (accumulator: R, item: T, index: number) => Promise<R>, initial: R): Promise<R> => {
    let accumulator = initial;
    for (const [index, item] of items.entries()) accumulator = await work(accumulator, await item, index);
    return accumulator;
  };

/** `map` is curried. */
export const asyncUtils = {
  pipe,
  map: (items: Iterable<unknown>, work?: Parameters<typeof mapItems>[1], options?: MapOptions) =>
    work ? mapItems(items, work, options) : (later: Parameters<typeof mapItems>[1]) => mapItems(items, later),
  reduce,
};

type Handler = (value: unknown) => unknown;
type Call = (handlers: readonly Handler[], value: unknown) => Promise<unknown>;

const createHook = (call: Call) => () => {
  let handlers: readonly Handler[] = [];
  const hook = {
    getHandlers: () => handlers,
    register: (handler: Handler) => {
      handlers = [...handlers, handler];
      return hook;
    },
    delete: (handler: Handler) => {
      handlers = handlers.filter((each) => each !== handler);
      return hook;
    },
    call: (value?: unknown) => call(handlers, value),
  };
  return hook;
};

const inSeries: Call = async (handlers, value) => {
  for (const handler of handlers) await handler(value);
};

/** Resolves with the first result that is not undefined. */
const bail: Call = async (handlers, value) => {
  for (const handler of handlers) {
    const result = await handler(value);
    if (result !== undefined) return result;
  }
  return undefined;
};

const notImplemented: Call = () => {
  throw new Error("Method not implemented");
};

export const hooks = {
  internals: { createHook: createHook(notImplemented) },
  createAsyncSeriesHook: createHook(inSeries),
  createAsyncSeriesWaterfallHook: createHook((handlers, value) => pipe(...handlers)(value)),
  createAsyncParallelHook: createHook((handlers, value) => Promise.all(handlers.map((handler) => handler(value)))),
  createAsyncBailHook: createHook(bail),
};

/** A registry of values by key, with hooks. */
export function providerFactory({ throwOnDuplicates = true }: { readonly throwOnDuplicates?: boolean } = {}) {
  const items = new Map<string, unknown>();
  const providerHooks = {
    willRegister: hooks.createAsyncSeriesHook(),
    didRegister: hooks.createAsyncParallelHook(),
    willDelete: hooks.createAsyncParallelHook(),
    didDelete: hooks.createAsyncParallelHook(),
  };
  const provider = {
    hooks: providerHooks,
    register: async (key: string, value: unknown) => {
      if (throwOnDuplicates && items.has(key)) throw new Error(`Duplicated item key: ${key}`);
      await providerHooks.willRegister.call({ key, value });
      items.set(key, value);
      await providerHooks.didRegister.call({ key, value });
      return provider;
    },
    delete: async (key: string) => {
      const value = items.get(key);
      if (!items.has(key)) return provider;
      await providerHooks.willDelete.call({ key, value });
      items.delete(key);
      await providerHooks.didDelete.call({ key, value });
      return provider;
    },
    get: (key: string) => items.get(key),
    values: () => [...items.values()],
    keys: () => [...items.keys()],
    has: (key: string) => items.has(key),
    size: () => items.size,
    clear: async () => {
      for (const key of [...items.keys()]) await provider.delete(key);
      return provider;
    },
  };
  return provider;
}
