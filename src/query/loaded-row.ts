/** Rows on their way into an answer: how much each adds to it, and how often, since rows that others share are loaded once. */
import type { Budget } from "../budget.ts";
import { type LoadedRow, type RowShape, selectionOf } from "./select.ts";
import type { Query } from "./tree.ts";

/** Makes rows of what a query reads. */
export function rowLoader(query: Query): RowShape {
  const { shape } = selectionOf(query.schema, query.fields);
  const values = valuesOf(query);
  const repeats = query.weight?.repeats ?? 1;
  return (row, at) => {
    const loaded = shape(row, at);
    loaded.values = values;
    loaded.characters *= repeats;
    return loaded;
  };
}

/** How many values of each row are answered. */
export const valuesOf = ({ fields, populate, weight }: Query): number =>
  weight?.values ?? fields.length + populate.length + 2;

/** Counts rows into the answer, once each. Throws a ValidationError beyond the budget. */
export function answerOnce(budget: Budget, rows: Iterable<LoadedRow>): void {
  let values = 0;
  let characters = 0;
  for (const row of rows) {
    row.copies = 1;
    values += row.values;
    characters += row.characters;
  }
  budget.take("values", values);
  budget.take("characters", characters);
}

const NONE: readonly LoadedRow[] = [];

/**
 * Counts children into the answer, as often as their parents are in it, and hands them to `attach`. Throws a ValidationError
 * beyond the budget.
 */
export function answerBelow(
  budget: Budget,
  parents: readonly LoadedRow[],
  children: ReadonlyMap<number, readonly LoadedRow[]>,
  attach: (parent: LoadedRow, children: readonly LoadedRow[]) => void,
): void {
  let values = 0;
  let characters = 0;
  for (const parent of parents) {
    const found = children.get(parent.document.id as number) ?? NONE;
    for (const child of found) {
      child.copies += parent.copies;
      values += parent.copies * child.values;
      characters += parent.copies * child.characters;
    }
    attach(parent, found);
  }
  budget.take("values", values);
  budget.take("characters", characters);
}
