/** Checks whether a database is empty. Separate from loading, since every start does it. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { FILE } from "../../engine/schema/builtin/index.ts";
import { apiTypes, contentType } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";

/** Meta key: set once content files have been loaded. */
export const CONTENT_LOADED = "content_files";

/** Whether the database never held documents of the project's types, or media other than `ownFiles`. */
export function isEmpty({ storage, model }: DocumentsContext, ownFiles: readonly number[] = []): boolean {
  if (storage.meta(CONTENT_LOADED) !== undefined) return false;
  const isUsed = (table: string, except: readonly number[]): boolean =>
    storage.first(`SELECT 1 FROM ${quote(table)} WHERE id NOT IN (SELECT value FROM json_each(?)) LIMIT 1`, [
      JSON.stringify(except),
    ]) !== undefined;
  return !isUsed(contentType(model, FILE).table, ownFiles) && !apiTypes(model).some(({ table }) => isUsed(table, []));
}
