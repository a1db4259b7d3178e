/** What a caller may link to: types that they may find, however the data names them. */
import { isRecord } from "../query/key-check.ts";
import type { CanRead } from "../query/tree.ts";
import { isReadable } from "../query/visibility.ts";
import type { Attribute, RelationAttribute, Schema } from "../schema/model.ts";

/** Whether the entries of a relation name their types themselves. */
export const isMorph = (attribute: Attribute): attribute is RelationAttribute =>
  attribute.kind === "relation" && attribute.target === undefined;

const OPERATIONS = ["connect", "set", "disconnect"];

/** Whether the value of a relation to several types has lists of entries alone, each of a type that the caller may find. */
function isMorphLinkable(schema: Schema, value: unknown, canRead: CanRead): boolean {
  // these write nothing
  if (value === true) return true;
  const canName = (uid: unknown): boolean => typeof uid === "string" && canRead(uid, schema.uid);
  // whether a neighbour is there shows in the answer
  const canPlace = (position: unknown): boolean =>
    !isRecord(position) || typeof position.__type !== "string" || canName(position.__type);
  const isEntry = (entry: unknown): boolean => isRecord(entry) && canName(entry.__type) && canPlace(entry.position);
  const isEntries = (list: unknown): boolean => Array.isArray(list) && list.every(isEntry);
  if (!isRecord(value)) return isEntries(value);
  const given = OPERATIONS.filter((name) => name in value);
  if (given.length === 0) return "options" in value || value.count === true;
  return given.every((name) => !value[name] || isEntries(value[name]));
}

/** Whether a caller may give an attribute this value: it must not lead to types that they may not find. */
export const isLinkable = (schema: Schema, attribute: Attribute, value: unknown, canRead: CanRead): boolean =>
  isMorph(attribute) ? isMorphLinkable(schema, value, canRead) : isReadable(schema, attribute, canRead);
