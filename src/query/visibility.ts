/** What of a type a caller may look at: the rules that every check of a query or of data uses. */
import type { Attribute, Schema } from "../schema/model.ts";
import type { CanRead } from "./tree.ts";

/** Whether the caller may look through an attribute: relations need the right to find their target. */
export function isReadable(schema: Schema, attribute: Attribute, canRead: CanRead): boolean {
  if (attribute.kind !== "relation" || !attribute.target) return true;
  if (attribute.virtual === "creator" && schema.modelType === "contentType" && schema.populateCreatorFields)
    return true;
  return canRead(attribute.target, schema.uid);
}

/** Whether nobody may see, compare, or sort by an attribute. */
export const isSecret = (attribute: Attribute): boolean =>
  attribute.private || (attribute.kind === "scalar" && attribute.type.secret === true);

/** Whether an attribute must not take part in a caller's query. */
export const isHidden = (schema: Schema, attribute: Attribute, canRead: CanRead): boolean =>
  isSecret(attribute) || !isReadable(schema, attribute, canRead);
