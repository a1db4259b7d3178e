/** The attributes that tools of a content-type show and write: as in Strapi's permissions, without polymorphic relations. */
import type { Attribute, ContentType } from "../../../engine/schema/model.ts";

const isPolymorphic = (attribute: Attribute): boolean =>
  attribute.kind === "relation" && attribute.relation.startsWith("morph");

export const fieldsOf = ({ attributes }: ContentType): readonly Attribute[] =>
  [...attributes.values()].filter((attribute) => !attribute.system && !isPolymorphic(attribute));
