/** `hooks`, `providerFactory` and `async` of `@strapi/utils`: lists of functions that are called in one way or another. */

type Step = (...values: readonly never[]) => unknown;

/** One function of several; each gets what the one before it returned. */
const pipe =
  (...steps: readonly Step[]) =>
  async (...values: readonly unknown[]): Promise<unknown> => {
    let given = values;
    for (const each of steps) given = [await (each as (...values: readonly unknown[]) => unknown)(...given)];
    return given[0];
  };

export interface MapOptions {
  /** How many items are worked on at a time; all. */
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
  async (work: (sum: R, item: T, index: number) => Promise<R>, initial: R): Promise<R> => {
    let sum = initial;
    for (const [index, item] of items.entries()) sum = await work(sum, await item, index);
    return sum;
  };

/** `map` takes its arguments together or one after the other. */
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

const inOrder: Call = async (handlers, value) => {
  for (const handler of handlers) await handler(value);
};

/** The first result that is one. */
const untilResult: Call = async (handlers, value) => {
  for (const handler of handlers) {
    const result = await handler(value);
    if (result !== undefined) return result;
  }
  return undefined;
};

const unfinished: Call = () => {
  throw new Error("Method not implemented");
};

export const hooks = {
  internals: { createHook: createHook(unfinished) },
  createAsyncSeriesHook: createHook(inOrder),
  createAsyncSeriesWaterfallHook: createHook((handlers, value) => pipe(...handlers)(value)),
  createAsyncParallelHook: createHook((handlers, value) => Promise.all(handlers.map((handler) => handler(value)))),
  createAsyncBailHook: createHook(untilResult),
};

/** A register of things by key, with hooks. */
export function providerFactory({ throwOnDuplicates = true }: { readonly throwOnDuplicates?: boolean } = {}) {
  const items = new Map<string, unknown>();
  const own = {
    willRegister: hooks.createAsyncSeriesHook(),
    didRegister: hooks.createAsyncParallelHook(),
    willDelete: hooks.createAsyncParallelHook(),
    didDelete: hooks.createAsyncParallelHook(),
  };
  const provider = {
    hooks: own,
    register: async (key: string, value: unknown) => {
      if (throwOnDuplicates && items.has(key)) throw new Error(`Duplicated item key: ${key}`);
      await own.willRegister.call({ key, value });
      items.set(key, value);
      await own.didRegister.call({ key, value });
      return provider;
    },
    delete: async (key: string) => {
      const value = items.get(key);
      if (!items.has(key)) return provider;
      await own.willDelete.call({ key, value });
      items.delete(key);
      await own.didDelete.call({ key, value });
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
