/**
 * Finds the existing table that each table of a new layout continues. A content-type or component keeps its rows when
 * its table or its folder is renamed; see `tableSources` for the order in which candidates are tried.
 */
import type { Layout, Table } from "./layout.ts";

/** The value under a key of a plain object; never one that the object inherits. */
// keys of layouts are names of attributes, "constructor" among them
export const own = <T>(record: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined;

const kindOf = ({ uid, modelType }: Table): string => `${modelType} ${uid}`;

/** Tables with the same scalar columns may be one table under two names. */
const shapeOf = ({ modelType, columns }: Table): string => {
  const types = Object.entries(columns).map(([name, { type }]) => `${name}:${type}`);
  return types.length === 0 ? "" : JSON.stringify([modelType, types.sort()]);
};

/** Whether a table has every column that another one needs, of any type. */
const hasColumns = (table: Table | undefined, needed: Table): boolean =>
  table !== undefined && Object.keys(needed.columns).every((name) => Object.hasOwn(table.columns, name));

function groupBy(names: readonly string[], keyOf: (name: string) => string): Map<string, string[]> {
  return Map.groupBy(names, keyOf);
}

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
 * Table names of `next` with the table that each continues; a name that is missing is a new table. `history` has every
 * table of the database, also those of the current layout. Tried in this order:
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
  // of several the one that has the name, or else the one that was left last
  const leftByType = new Map(left.map((name) => [kindOf(history[name]!), name]));
  const leftTable = (name: string): string | undefined =>
    left.find((other) => other === name && kindOf(history[other]!) === kindOf(next[name]!)) ??
    leftByType.get(kindOf(next[name]!));

  const sameName = (layout: Layout, name: string): string | undefined =>
    own(layout, name)?.modelType === next[name]!.modelType ? name : undefined;
  for (const name of names) {
    const named = sameName(current, name);
    const ownLeft = leftTable(name);
    const isRestored =
      ownLeft !== undefined &&
      hasColumns(history[ownLeft]!, next[name]!) &&
      !hasColumns(own(current, name), next[name]!);
    matcher.match(name, isRestored ? ownLeft : named);
  }
  for (const name of names) matcher.match(name, leftTable(name));

  const gone = groupBy(Object.keys(current).filter(matcher.isFree), (name) => shapeOf(current[name]!));
  const added = groupBy(names.filter(matcher.isOpen), (name) => shapeOf(next[name]!));
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
