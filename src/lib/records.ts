/** Functions of lodash, which takes longer to load than most starts may. */

type Values<T> = Readonly<Record<string, T>>;

export const mapValues = <T, R>(record: Values<T>, map: (value: T, key: string) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));

export const pickBy = <T>(record: Values<T>, isPicked: (value: T, key: string) => unknown): Record<string, T> =>
  Object.fromEntries(Object.entries(record).filter(([key, value]) => isPicked(value, key)));

/** The values of some names, in their order, as far as there are any. */
export const pick = <T>(record: Values<T>, names: readonly string[]): Record<string, T> =>
  Object.fromEntries(names.flatMap((name) => (record[name] === undefined ? [] : [[name, record[name]]])));
