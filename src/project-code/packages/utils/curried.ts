type Work = (...values: never[]) => unknown;

/** Takes its arguments together or in parts. */
export function curried(work: Work): (...given: readonly unknown[]) => unknown {
  const take =
    (before: readonly unknown[]) =>
    (...given: readonly unknown[]): unknown => {
      const values = [...before, ...given];
      return values.length >= work.length ? work(...(values as never[])) : take(values);
    };
  return take([]);
}
