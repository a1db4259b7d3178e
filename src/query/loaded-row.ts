/** Rows on their way into an answer: how much each adds to it, and how often, since rows that others share are loaded once. */
import type { Budget } from "../budget.ts";
import type { Row } from "../storage/storage.ts";
import { type Document, selectionOf } from "./select.ts";
import type { Query } from "./tree.ts";

export interface LoadedRow {
  readonly document: Document;
  /** What one copy of it adds to the answer, without what is populated of it. */
  readonly values: number;
  readonly characters: number;
  /** How often it is answered. */
  copies: number;
}

/** Makes rows of what a query reads; `at` is where its selection begins in the row. */
export function rowLoader(query: Query): (row: Row, at: number) => LoadedRow {
  const { shape, charactersOf } = selectionOf(query.schema, query.fields);
  const values = valuesOf(query);
  const repeats = query.weight?.repeats ?? 1;
  return (row, at) => ({ document: shape(row, at), values, characters: repeats * charactersOf(row, at), copies: 0 });
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

/** Counts children into the answer, as often as their parents are in it. Throws a ValidationError beyond the budget. */
export function answerBelow(
  budget: Budget,
  parents: readonly LoadedRow[],
  children: ReadonlyMap<number, readonly LoadedRow[]>,
): void {
  let values = 0;
  let characters = 0;
  for (const { document, copies } of parents) {
    for (const child of children.get(document.id as number) ?? []) {
      child.copies += copies;
      values += copies * child.values;
      characters += copies * child.characters;
    }
  }
  budget.take("values", values);
  budget.take("characters", characters);
}
