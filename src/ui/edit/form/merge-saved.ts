/** Merges what was saved or loaded into a form, and keeps what the user has changed since. */
import { isJsonText, parseJsonText } from "../../editors/json/json-text.ts";
import type { Attribute } from "../../model.ts";
import { findFieldType } from "./field-types.ts";
import { makeNew } from "./make-new.ts";
import { currentValue, type Entries, type Group, type Leaf } from "./tree.ts";
import { type EntryValue, type RelationValue, savedRelation, toEntries, type Values } from "./values.ts";

export const isSame = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);

/**
 * Merges saved values into the form in place, so that the focus and open entries stay. Changes that the user made after
 * `sent` was read from the form stay; returns whether there are any. `isOwn`: the values were saved here, so that the loaded
 * related documents are still right.
 */
export function mergeSaved(group: Group, sent: Values, saved: Values, isOwn: boolean): boolean {
  let isChanged = false;
  for (const [name, node] of group.nodes) {
    const mergeNode = node.kind === "leaf" ? mergeValue : mergeEntries;
    isChanged = mergeNode(node as never, sent[name], saved[name], isOwn) || isChanged;
  }
  return isChanged;
}

/** The part of a value that only the user changes: the items of a relation may have been loaded meanwhile. */
const pickChanges = ({ attribute }: Leaf, value: unknown): unknown => {
  if (attribute.type !== "relation") return value;
  const { placed, removed } = value as RelationValue;
  return [placed, removed];
};

/** Whether two texts of a JSON field have the same value: the user's layout stays. */
function isSameJson(attribute: Attribute, saved: unknown, current: unknown): boolean {
  if (findFieldType(attribute) !== "json" || typeof saved !== "string" || typeof current !== "string") return false;
  return isJsonText(current) && isSame(parseJsonText(saved), parseJsonText(current));
}

function mergeValue(node: Leaf, sent: unknown, saved: unknown, isOwn: boolean): boolean {
  const { attribute, load } = node;
  const current = currentValue(node);
  if (!isSame(pickChanges(node, current), pickChanges(node, sent))) return true;
  const keepsItems = isOwn && attribute.type === "relation";
  const next = keepsItems ? savedRelation(current as RelationValue, saved as RelationValue) : saved;
  if (!isSame(next, current) && !isSameJson(attribute, next, current)) load(next);
  return false;
}

/** Entries get ids when they are saved. If the user added, moved or removed entries since then, the list is left as it is. */
function mergeEntries({ entries, load }: Entries, sent: unknown, saved: unknown, isOwn: boolean): boolean {
  const groups = entries.peek();
  const [before, after] = [toEntries(sent), toEntries(saved)];
  const matchesGroups = (list: readonly EntryValue[]): boolean =>
    list.length === groups.length && groups.every(({ component }, index) => component === list[index]!.component);
  const isMoved = groups.some(({ entryId }, index) => entryId !== before[index]?.id);
  if (!matchesGroups(before) || isMoved) return true;
  if (!matchesGroups(after)) {
    load(after);
    return false;
  }
  let isChanged = false;
  groups.forEach((entry, index) => {
    entry.entryId = after[index]!.id;
    isChanged = mergeSaved(entry, before[index]!.values, after[index]!.values, isOwn) || isChanged;
  });
  return isChanged;
}

/** Entries that the stored version no longer has become new ones: the server refuses their ids. */
export function forgetRemovedEntries({ nodes }: Group, stored: Values): void {
  for (const [name, node] of nodes) {
    if (node.kind === "leaf") continue;
    const storedEntries = toEntries(stored[name]);
    for (const entry of node.entries.peek()) {
      const found = storedEntries.find(({ id, component }) => id === entry.entryId && component === entry.component);
      if (found) forgetRemovedEntries(entry, found.values);
      else if (entry.entryId !== undefined) {
        entry.entryId = undefined;
        makeNew(entry);
      }
    }
  }
}
