/** Strapi's names of a relation's table and of its columns. */

import type { RelationAttribute, Schema } from "../../engine/schema/model.ts";
import { snakeCase } from "../../engine/schema/names.ts";

const toSingular = (schema: Schema): string =>
  snakeCase("singularName" in schema ? String(schema.singularName) : (schema.uid.split(".").at(-1) ?? ""));

export type LinkNames = Readonly<ReturnType<typeof linkNames>>;

/** `attribute`: of `schema`, which owns the links. */
export function linkNames(schema: Schema, attribute: RelationAttribute, target: Schema) {
  const source = toSingular(schema);
  const other = toSingular(target);
  const isSame = source === other;
  const isOrdered = /Many$/.test(attribute.relation);
  return {
    table: linkTableName(schema, attribute.name),
    owner: `${source}_id`,
    target: `${isSame ? `inv_${other}` : other}_id`,
    /** The position of a target in the owner's list, and of the owner in the target's; undefined for to-one sides. */
    order: isOrdered ? `${other}_ord` : undefined,
    inverseOrder:
      attribute.other !== undefined && /^many/.test(attribute.relation)
        ? `${isSame && isOrdered ? "inv_" : ""}${source}_ord`
        : undefined,
  };
}

/** `suffix`: `mph` for relations to several types. */
export const linkTableName = (schema: Schema, attribute: string, suffix: "lnk" | "mph" = "lnk"): string =>
  `${snakeCase(schema.table)}_${snakeCase(attribute)}_${suffix}`;

/** The column with the id of the row that owns links to several types. */
export const ownerColumn = (schema: Schema): string => `${toSingular(schema)}_id`;
