/** The types and names of linked documents. */
import { type Attribute, typeOf } from "../../model.ts";
import type { RelatedDocument } from "./values.ts";

/** The uid of a relation's target; undefined for polymorphic relations. */
export const targetOf = ({ target }: Attribute): string | undefined =>
  typeof target === "string" && typeOf(target) ? target : undefined;

/** The uid of a linked document's type. */
export const typeOfItem = (attribute: Attribute, { __type }: RelatedDocument): string =>
  __type ?? targetOf(attribute) ?? "";

export function nameOf(attribute: Attribute, item: RelatedDocument): string {
  const mainField = typeOf(typeOfItem(attribute, item))?.mainField ?? "documentId";
  return String(item[mainField] ?? item.documentId);
}
