/**
 * The context of a project's own code: nothing is private, and passwords are read as their hashes. What clients may see is
 * taken out of answers later (`sanitize.ts`).
 */
import type { DocumentsContext } from "../../documents/context.ts";
import type { RowHooks } from "../../documents/own-code.ts";
import { rawModel } from "../../schema/raw-model.ts";
import type { AsyncTransactions } from "../../storage/async-transactions.ts";

/** The same database and settings without the caller's view; each row that is written passes the hooks. */
export function rawContext(
  context: DocumentsContext,
  transactions: AsyncTransactions,
  rowHooks: RowHooks,
): DocumentsContext {
  const { clock, ids, strictRelations, strictParams, defaultLocale } = context;
  return {
    get storage() {
      return transactions.storage;
    },
    // code hands on what clients search for
    model: rawModel(context.model, { searchesPrivate: false }),
    clock,
    ids,
    strictRelations,
    strictParams,
    defaultLocale,
    rowHooks,
  };
}
