/** Whether a caller may set a link: only to types that they may find. */
import { isRecord } from "../../lib/is-record.ts";
import { isReadable } from "../query/check-query.ts";
import type { CanRead } from "../query/tree.ts";
import type { Attribute, RelationAttribute, Schema } from "../schema/model.ts";

/** Whether a relation has targets of several types, which its entries name. */
export const isPolymorphicRelation = (attribute: Attribute): attribute is RelationAttribute =>
  attribute.kind === "relation" && attribute.target === undefined;

const OPERATIONS = ["connect", "set", "disconnect"];

/** Whether the value of a relation to several types is well-formed, and the caller may find all types that it names. */
function isPolymorphicLinkable(schema: Schema, value: unknown, canRead: CanRead): boolean {
  // writes nothing
  if (value === true) return true;
  const canName = (uid: unknown): boolean => typeof uid === "string" && canRead(uid, schema.uid);
  // the response shows whether a neighbour exists
  const canPlace = (position: unknown): boolean =>
    !isRecord(position) || typeof position.__type !== "string" || canName(position.__type);
  const isEntry = (entry: unknown): boolean => isRecord(entry) && canName(entry.__type) && canPlace(entry.position);
  const isEntries = (list: unknown): boolean => Array.isArray(list) && list.every(isEntry);
  if (!isRecord(value)) return isEntries(value);
  const operations = OPERATIONS.filter((name) => name in value);
  if (operations.length === 0) return "options" in value || value.count === true;
  return operations.every((name) => !value[name] || isEntries(value[name]));
}

/** Whether a caller may set an attribute to a value: it must not link to types that they may not find. */
export const isLinkable = (schema: Schema, attribute: Attribute, value: unknown, canRead: CanRead): boolean =>
  isPolymorphicRelation(attribute)
    ? isPolymorphicLinkable(schema, value, canRead)
    : isReadable(schema, attribute, canRead);
