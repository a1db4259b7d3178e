/**
 * Finds the existing table for each table of a new layout, so that a content-type or component keeps its rows when its table
 * or its folder is renamed.
 */
import type { Layout, Table } from "./layout.ts";

/** An own property. Keys of layouts are names of attributes, which may be called "constructor". */
export const getOwn = <T>(record: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined;

const kindOf = ({ uid, modelType }: Table): string => `${modelType} ${uid}`;

/** Tables with equal shapes may be the same table under two names. */
const formatShape = ({ modelType, columns }: Table): string => {
  const types = Object.entries(columns).map(([name, { type }]) => `${name}:${type}`);
  return types.length === 0 ? "" : JSON.stringify([modelType, types.sort()]);
};

/** Whether a table has all columns of another one, of any type. */
const hasColumns = (table: Table | undefined, needed: Table): boolean =>
  table !== undefined && Object.keys(needed.columns).every((name) => Object.hasOwn(table.columns, name));

class Matcher {
  readonly sources = new Map<string, string>();
  readonly #taken = new Set<string>();

  match(name: string, source: string | undefined): void {
    if (source === undefined || this.sources.has(name) || this.#taken.has(source)) return;
    this.sources.set(name, source);
    this.#taken.add(source);
  }

  readonly isOpen = (name: string): boolean => !this.sources.has(name);
  readonly isFree = (source: string): boolean => !this.#taken.has(source);
}

/**
 * The existing table for each table of `next`, by name; a table without an entry is new. `history` has all tables of the
 * database, including the current ones. Tried in this order:
 * 1. the current table of the same type (`collectionName` has changed, or nothing has),
 * 2. the current table of that name whose own type is gone (the type's folder was renamed), unless the type left a table
 *    that has its columns, which the current one has not (an earlier state of the project is restored),
 * 3. a table that an earlier layout left, of the same type,
 * 4. a current table with the same columns whose type is gone, where there is one candidate on either side,
 * 5. a table whose type is gone, and which was of this type before,
 * 6. a table that an earlier layout left, of the same name and kind.
 */
export function tableSources(current: Layout, history: Layout, next: Layout): ReadonlyMap<string, string> {
  const matcher = new Matcher();
  const names = Object.keys(next);
  const byType = new Map(Object.entries(current).map(([name, table]) => [kindOf(table), name]));
  for (const name of names) matcher.match(name, byType.get(kindOf(next[name]!)));

  const left = Object.keys(history).filter((name) => !Object.hasOwn(current, name));
  // of several the one with the same name, or else the last one
  const leftByType = new Map(left.map((name) => [kindOf(history[name]!), name]));
  const leftTable = (name: string): string | undefined =>
    left.find((other) => other === name && kindOf(history[other]!) === kindOf(next[name]!)) ??
    leftByType.get(kindOf(next[name]!));

  const sameName = (layout: Layout, name: string): string | undefined =>
    getOwn(layout, name)?.modelType === next[name]!.modelType ? name : undefined;
  for (const name of names) {
    const named = sameName(current, name);
    const ownLeft = leftTable(name);
    const isRestored =
      ownLeft !== undefined &&
      hasColumns(history[ownLeft], next[name]!) &&
      !hasColumns(getOwn(current, name), next[name]!);
    matcher.match(name, isRestored ? ownLeft : named);
  }
  for (const name of names) matcher.match(name, leftTable(name));

  const gone = Map.groupBy(Object.keys(current).filter(matcher.isFree), (name) => formatShape(current[name]!));
  const added = Map.groupBy(names.filter(matcher.isOpen), (name) => formatShape(next[name]!));
  for (const [shape, [name, ...others]] of added) {
    const candidates = gone.get(shape) ?? [];
    if (shape !== "" && others.length === 0 && candidates.length === 1) matcher.match(name!, candidates[0]);
  }

  for (const name of names.filter(matcher.isOpen)) {
    const { uid, modelType } = next[name]!;
    const wasOfType = (other: string): boolean =>
      history[other]!.modelType === modelType && history[other]!.earlierUids?.includes(uid) === true;
    matcher.match(name, Object.keys(history).filter(matcher.isFree).find(wasOfType));
  }
  for (const name of names) matcher.match(name, sameName(history, name));
  return matcher.sources;
}
