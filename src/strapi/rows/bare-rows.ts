/** Rows without their components, as queries of a project's code delete them. */

import { linkKind } from "../../engine/documents/component-rows.ts";
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { deleteLinks, deleteRows } from "../../engine/documents/delete-row.ts";
import { among } from "../../engine/documents/link-rows.ts";
import { allAttributes, findRemoved, type Linked } from "../../engine/documents/removed.ts";
import { holdsComponents } from "../../engine/schema/entries.ts";
import type { Schema } from "../../engine/schema/model.ts";

/** Deletes rows of one schema and the links from and to them. Their components remain, for other rows that may have them. */
export function deleteBareRows(context: DocumentsContext, schema: Schema, ids: readonly number[]): void {
  if (ids.length === 0) return;
  if (schema.modelType === "component") unlinkFromOwners(context, schema, ids);
  deleteLinks(context, schema, ids);
  deleteRows(context, schema, ids);
}

/** Removes rows of a component from the attributes that hold them. */
function unlinkFromOwners(context: DocumentsContext, schema: Schema, ids: readonly number[]): void {
  const [targets, param] = among(ids);
  for (const [field, kind] of listHolders(context, schema))
    context.storage.run(`DELETE FROM galley_links WHERE field = ? AND target ${targets} AND kind = ?`, [
      field,
      param,
      kind,
    ]);
}

/** The link fields of attributes that may hold rows of a component, with the kind of such links. */
export function listHolders(context: Linked, schema: Schema): [field: number, kind: number][] {
  const { storage } = context;
  return findRemoved(context).allSchemas.flatMap((owner) =>
    allAttributes(context, owner)
      .filter(holdsComponents)
      .flatMap((attribute): [number, number][] => {
        // a zone may still have entries of components that it no longer lists
        if (attribute.kind === "component" && attribute.component !== schema.uid) return [];
        return [[storage.number(attribute.link.field), linkKind(context, attribute, schema)]];
      }),
  );
}
