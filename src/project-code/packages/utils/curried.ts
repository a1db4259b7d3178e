type Callable = (...args: never[]) => unknown;

/** Curries a function: it takes its arguments together or in parts. */
export function curried(fn: Callable): (...args: readonly unknown[]) => unknown {
  const collect =
    (previous: readonly unknown[]) =>
    (...args: readonly unknown[]): unknown => {
      const all = [...previous, ...args];
      return all.length >= fn.length ? fn(...(all as never[])) : collect(all);
    };
  return collect([]);
}
