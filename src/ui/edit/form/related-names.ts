/** The types and names of linked documents. */
import { type Attribute, findType } from "../../model.ts";
import type { RelatedDocument } from "./values.ts";

/** The uid of a relation's target; undefined for polymorphic relations. */
export const findTarget = ({ target }: Attribute): string | undefined =>
  typeof target === "string" && findType(target) ? target : undefined;

/** The uid of a linked document's type. */
export const typeOfItem = (attribute: Attribute, { __type }: RelatedDocument): string =>
  __type ?? findTarget(attribute) ?? "";

export function relatedName(attribute: Attribute, item: RelatedDocument): string {
  const mainField = findType(typeOfItem(attribute, item))?.mainField ?? "documentId";
  return String(item[mainField] ?? item.documentId);
}
