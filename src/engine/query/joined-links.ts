/** How many links the relations of a query's conditions and sort keys have: a statement may look at all of them. */
import { isUnlinked, type Schema } from "../schema/model.ts";
import { linkCount, tableSize } from "../storage/column-indexes.ts";
import type { Storage } from "../storage/storage.ts";
import type { Condition, JoinableAttribute, Query } from "./tree.ts";

/** Relations without links join tables. */
export const countLinks = (storage: Storage, { link: { field } }: JoinableAttribute, target: Schema): number =>
  field === "" ? tableSize(storage, target.table) : linkCount(storage, field);

interface Join {
  readonly attribute: JoinableAttribute;
  readonly target: Schema;
}

function listJoins(condition: Condition | undefined): readonly Join[] {
  switch (condition?.kind) {
    case "all":
    case "any":
      return condition.of.flatMap(listJoins);
    case "not":
      return listJoins(condition.of);
    case "related":
      return [condition, ...listJoins(condition.of)];
    default:
      return [];
  }
}

/** More links than this take up to 150 ms. */
const MANY_LINKS = 100_000;

/** Whether conditions and sort keys may look at many links. */
export function joinsManyLinks(storage: Storage, { where, sort }: Pick<Query, "where" | "sort">): boolean {
  let links = 0;
  for (const { attribute, target } of [...listJoins(where), ...sort.flatMap(({ path }) => path)]) {
    if (!isUnlinked(attribute)) links += countLinks(storage, attribute, target);
    if (links > MANY_LINKS) return true;
  }
  return false;
}
