/** Counts loaded rows against the budget. A row that several parents share is loaded once, but counts for each of them. */
import type { Budget } from "../../lib/budget.ts";
import { type LoadedRow, type RowMapper, selectionOf } from "./select.ts";
import type { Query } from "./tree.ts";

/** Maps the rows of a query to objects, with their size in the response. */
export function rowLoader(query: Query): RowMapper {
  const { mapRow } = selectionOf(query.schema, query.fields);
  const values = valuesOf(query);
  const repeats = query.weight?.repeats ?? 1;
  return (row, offset) => {
    const loaded = mapRow(row, offset);
    loaded.values = values;
    loaded.characters *= repeats;
    return loaded;
  };
}

/** The number of values per row in the response. */
export const valuesOf = ({ fields, populate, weight }: Query): number =>
  weight?.values ?? fields.length + populate.length + 2;

/** Takes the rows of the page from the budget. Throws a ValidationError beyond it. */
export function chargeRows(budget: Budget, rows: Iterable<LoadedRow>): void {
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
 * Calls `attach` for each parent, and takes its children from the budget as often as the parent is returned, and
 * `times` that: the attribute may have several keys. Throws a
 * ValidationError beyond the budget.
 */
export function attachChildren(
  budget: Budget,
  parents: readonly LoadedRow[],
  children: ReadonlyMap<number, readonly LoadedRow[]>,
  times: number,
  attach: (parent: LoadedRow, children: readonly LoadedRow[]) => void,
): void {
  let values = 0;
  let characters = 0;
  for (const parent of parents) {
    const ownChildren = children.get(parent.document.id as number) ?? NONE;
    const copies = times * parent.copies;
    for (const child of ownChildren) {
      child.copies += copies;
      values += copies * child.values;
      characters += copies * child.characters;
    }
    attach(parent, ownChildren);
  }
  budget.take("values", values);
  budget.take("characters", characters);
}
