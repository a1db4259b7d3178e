/** Turns the form of a document that was deleted into that of a new one. */
import { currentValue, type Group } from "./tree.ts";
import type { RelationValue } from "./values.ts";

/** Links to the loaded documents, all of which are to be made. */
function newLinks({ items = [] }: RelationValue): RelationValue {
  const placed = items.map(({ documentId }) => documentId);
  return { count: 0, items: items.map((item) => ({ ...item, isAdded: true })), placed, removed: [] };
}

export function makeNew({ nodes }: Group): void {
  for (const node of nodes.values()) {
    if (node.kind === "leaf") {
      if (node.attribute.type === "relation") node.load(newLinks(currentValue(node) as RelationValue));
      continue;
    }
    for (const entry of node.entries.peek()) {
      entry.entryId = undefined;
      makeNew(entry);
    }
  }
}
