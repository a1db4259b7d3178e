/** Whether a database has never held content. Every start asks it, so that loading is not a part of this file. */
import type { DocumentsContext } from "../documents/context.ts";
import { FILE } from "../schema/builtin/index.ts";
import { apiTypes, contentType } from "../schema/model.ts";
import { quote } from "../storage/quote.ts";

/** The key in `galley_meta` that is there once content files were loaded. */
export const CONTENT_LOADED = "content_files";

/** A database that never held content: of the project's own types, or media other than `ownFiles`. */
export function isEmpty({ storage, model }: DocumentsContext, ownFiles: readonly number[] = []): boolean {
  if (storage.meta(CONTENT_LOADED) !== undefined) return false;
  const isUsed = (table: string, except: readonly number[]): boolean =>
    storage.first(`SELECT 1 FROM ${quote(table)} WHERE id NOT IN (SELECT value FROM json_each(?)) LIMIT 1`, [
      JSON.stringify(except),
    ]) !== undefined;
  return !isUsed(contentType(model, FILE).table, ownFiles) && !apiTypes(model).some(({ table }) => isUsed(table, []));
}
