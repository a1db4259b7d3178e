/** Which attributes a caller may read: the rules for all checks of queries and data. */
import type { Attribute, Schema } from "../schema/model.ts";
import type { CanRead } from "./tree.ts";

/** Whether the caller may follow an attribute: relations need permission to find their target. */
export function isReadable(schema: Schema, attribute: Attribute, canRead: CanRead): boolean {
  if (attribute.kind !== "relation" || !attribute.target) return true;
  if (attribute.virtual === "creator" && schema.modelType === "contentType" && schema.populateCreatorFields)
    return true;
  return canRead(attribute.target, schema.uid);
}

/** Whether no caller may read an attribute, filter or sort by it. */
export const isSecret = (attribute: Attribute): boolean =>
  attribute.private || (attribute.kind === "scalar" && attribute.type.isSecret === true);

/** Whether an attribute must not appear in a caller's query. */
export const isHidden = (schema: Schema, attribute: Attribute, canRead: CanRead): boolean =>
  isSecret(attribute) || !isReadable(schema, attribute, canRead);
