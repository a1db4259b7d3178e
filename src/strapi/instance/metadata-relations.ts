/** Relations, components and media as in Strapi's database: with their join tables and columns. */

import type { ComponentOrZoneAttribute } from "../../engine/schema/entries.ts";
import type { Attribute, Model, RelationAttribute, Schema } from "../../engine/schema/model.ts";
import { snakeCase } from "../../engine/schema/names.ts";
import { linkNames, linkTableName, ownerColumn } from "../knex/link-names.ts";

type View = Readonly<Record<string, unknown>>;

const idColumn = (name: string, table?: string): object => ({
  name,
  referencedColumn: "id",
  ...(table === undefined ? {} : { referencedTable: table }),
});

const orderedBy = (order: string | undefined, inverseOrder: string | undefined): object => ({
  ...(order === undefined ? {} : { orderColumnName: order, orderBy: { [order]: "asc" } }),
  ...(inverseOrder === undefined ? {} : { inverseOrderColumnName: inverseOrder }),
});

/** The join table of a relation to one type, as seen from `schema`. Undefined if there is no owning side. */
function describeJoinTable(model: Model, schema: Schema, attribute: RelationAttribute): object | undefined {
  const target = attribute.target === undefined ? undefined : model.types.get(attribute.target);
  if (!target || attribute.virtual || attribute.link.polymorphic) return undefined;
  const isOwner = attribute.link.side === "owner";
  const owning = isOwner ? attribute : target.attributes.get(attribute.other ?? "");
  if (owning?.kind !== "relation") return undefined;
  const names = isOwner ? linkNames(schema, owning, target) : linkNames(target, owning, schema);
  const [own, other] = isOwner ? [names.owner, names.target] : [names.target, names.owner];
  const [order, inverseOrder] = isOwner ? [names.order, names.inverseOrder] : [names.inverseOrder, names.order];
  return {
    __internal__: true,
    name: names.table,
    joinColumn: idColumn(own, schema.table),
    inverseJoinColumn: idColumn(other, target.table),
    pivotColumns: [names.owner, names.target],
    ...orderedBy(order, inverseOrder),
  };
}

function polymorphic(schema: Schema, { name, relation }: RelationAttribute): object {
  if (relation === "morphToOne")
    return { owner: true, morphColumn: { typeColumn: { name: "target_type" }, idColumn: idColumn("target_id") } };
  if (relation !== "morphToMany") return {};
  const column = snakeCase(name);
  const owner = ownerColumn(schema);
  return {
    joinTable: {
      __internal__: true,
      name: linkTableName(schema, name, "mph"),
      joinColumn: idColumn(owner),
      morphColumn: { typeColumn: { name: `${column}_type` }, idColumn: idColumn(`${column}_id`) },
      orderBy: { order: "asc" },
      pivotColumns: [owner, `${column}_type`, `${column}_id`],
    },
  };
}

function describeRelation(model: Model, schema: Schema, attribute: RelationAttribute, view: View): View {
  if (attribute.virtual === "creator") {
    const joinColumn = idColumn(attribute.column ?? "", model.creator.table);
    return { ...view, useJoinTable: false, owner: true, joinColumn };
  }
  const joinTable = describeJoinTable(model, schema, attribute);
  return { ...view, ...(joinTable ? { joinTable } : polymorphic(schema, attribute)) };
}

/** Components and zones are rows of one table for each type. */
function describeComponents(schema: Schema, attribute: ComponentOrZoneAttribute): View {
  const isZone = attribute.kind === "zone";
  const ends = isZone
    ? {
        morphColumn: { idColumn: idColumn("cmp_id"), typeColumn: { name: "component_type" }, typeField: "__component" },
      }
    : { inverseJoinColumn: idColumn("cmp_id"), orderColumnName: "order" };
  return {
    type: "relation",
    relation: isZone ? "morphToMany" : attribute.many ? "oneToMany" : "oneToOne",
    ...(isZone ? {} : { target: attribute.component }),
    joinTable: {
      name: `${snakeCase(schema.table)}_cmps`,
      joinColumn: idColumn("entity_id"),
      ...ends,
      on: { field: attribute.name },
      orderBy: { order: "asc" },
      pivotColumns: ["entity_id", "cmp_id", "field", "component_type"],
    },
  };
}

/** `view`: the attribute as the schema has it. */
export function linkedAttribute(model: Model, schema: Schema, attribute: Attribute, view: View): View {
  if (attribute.kind === "relation") return describeRelation(model, schema, attribute, view);
  if (attribute.kind === "media") {
    const relation = attribute.many ? "morphMany" : "morphOne";
    return { type: "relation", relation, target: attribute.target, morphBy: "related" };
  }
  return attribute.kind === "scalar" ? view : describeComponents(schema, attribute);
}
