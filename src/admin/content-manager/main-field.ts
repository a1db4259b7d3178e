/** The attribute that names a document in lists and relations: the first string, as in Strapi, or `id`. */
import type { Schema } from "../../engine/schema/model.ts";

export function findMainField({ attributes }: Schema): string {
  for (const attribute of attributes.values())
    if (attribute.kind === "scalar" && !attribute.system && attribute.type.name === "string") return attribute.name;
  return "id";
}
