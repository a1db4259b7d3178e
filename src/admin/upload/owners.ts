/** Finds the content-type rows that own component rows, through any number of nested components. */
import { type ComponentOrZoneAttribute, holdsComponents, linkKind } from "../../engine/documents/component-rows.ts";
import type { DocumentsContext } from "../../engine/documents/context.ts";
import type { Component, ContentType, Schema } from "../../engine/schema/model.ts";

/** A row of a content-type, and its attribute that contains the component. */
export interface Owner {
  readonly type: ContentType;
  readonly row: number;
  readonly attribute: string;
}

interface Holder {
  readonly schema: Schema;
  readonly attribute: ComponentOrZoneAttribute;
}

/** Limits the depth, so that damaged data cannot cause an endless loop. */
const MAX_DEPTH = 32;

/** The attributes that may contain entries of a component. A zone may contain some that it no longer lists. */
function listHolders({ model }: DocumentsContext, component: Component): Holder[] {
  return [...model.types.values(), ...model.components.values()].flatMap((schema) =>
    [...schema.attributes.values()]
      .filter(holdsComponents)
      .filter((attribute) => attribute.kind === "zone" || attribute.component === component.uid)
      .map((attribute) => ({ schema, attribute })),
  );
}

/** `rows` have `attribute`. One statement per attribute that may hold the component, and per level. */
export function findOwners(
  context: DocumentsContext,
  schema: Schema,
  rows: readonly number[],
  attribute: string,
  depth = 0,
): Owner[] {
  if (rows.length === 0 || depth > MAX_DEPTH) return [];
  if (schema.modelType === "contentType") return rows.map((row) => ({ type: schema, row, attribute }));
  const { storage } = context;
  return listHolders(context, schema).flatMap((holder) => {
    const sql = `SELECT DISTINCT owner FROM galley_links
      WHERE field = ? AND kind = ? AND target IN (SELECT value FROM json_each(?))`;
    const params = [
      storage.number(holder.attribute.link.field),
      linkKind(context, holder.attribute, schema),
      JSON.stringify(rows),
    ];
    const owners = storage.all(sql, params).map(([owner]) => owner as number);
    return findOwners(context, holder.schema, owners, holder.attribute.name, depth + 1);
  });
}
