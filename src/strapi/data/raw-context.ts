/**
 * The context of a project's code: no attribute is private, and passwords are read as hashes. They are removed from responses
 * later (`documents/sanitize.ts`).
 */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { storedDocuments } from "../../engine/documents/document-service.ts";
import type { RowHooks } from "../../engine/documents/own-code.ts";
import { rawModel } from "../../engine/schema/raw-model.ts";
import type { AsyncTransactions } from "../../engine/storage/async-transactions.ts";

/** The same database and settings with a model without private attributes, and with hooks for each row that is written. */
export function rawContext(
  context: DocumentsContext,
  transactions: AsyncTransactions,
  rowHooks: RowHooks,
): DocumentsContext {
  const { clock, ids, strictRelations, strictParams, defaultLocale } = context;
  const raw: DocumentsContext = {
    get storage() {
      return transactions.storage;
    },
    // code passes on search terms of clients, which must not match private attributes
    model: rawModel(context.model, { searchesPrivate: false }),
    clock,
    ids,
    strictRelations,
    strictParams,
    defaultLocale,
    rowHooks,
    documents: (type, caller) => documents(type, caller),
  };
  const documents = storedDocuments(raw);
  return raw;
}
