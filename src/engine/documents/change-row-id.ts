/** Changes the id of a row. */
import type { ContentType } from "../schema/model.ts";
import { quote } from "../storage/sql.ts";
import type { DocumentsContext } from "./context.ts";
import { fieldsTo } from "./delete-row.ts";
import { ownFields } from "./link-rows.ts";

/**
 * Returns the new id. Throws an Error if the row has links or components, which foreign keys protect in Strapi, and
 * SQLite's error if another row has the id.
 */
export function changeRowId(context: DocumentsContext, type: ContentType, from: number, to: number): number {
  if (from === to) return to;
  const { storage } = context;
  const linked = [
    ...ownFields(context, type).map((field) => storage.first(OWNED, [field, from])),
    ...fieldsTo(context, type).map(([field, kind]) => storage.first(TARGETED, [field, from, kind])),
  ];
  if (linked.some((row) => row !== undefined))
    throw new Error(`${type.uid}: the id of a row with links or components cannot be changed`);
  storage.run(`UPDATE ${quote(type.table)} SET id = ? WHERE id = ?`, [to, from]);
  return to;
}

const OWNED = "SELECT 1 FROM galley_links WHERE field = ? AND owner = ? LIMIT 1";
const TARGETED = "SELECT 1 FROM galley_links WHERE field = ? AND target = ? AND kind = ? LIMIT 1";
