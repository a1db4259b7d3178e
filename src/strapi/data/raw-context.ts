/**
 * The context of a project's code: no attribute is private, and passwords are read as hashes. They are removed from responses
 * later (`documents/sanitize.ts`).
 */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { storedDocuments } from "../../engine/documents/document-service.ts";
import { drive } from "../../engine/documents/steps.ts";
import { rawModel } from "../../engine/schema/raw-model.ts";
import type { AsyncTransactions } from "../../engine/storage/async-transactions.ts";
import { HookedStore } from "../rows/hooked-store.ts";
import type { RawContext, RowHooks } from "../rows/row-hooks.ts";

/** The same database and settings with a model without private attributes, and with hooks for each row that is written. */
export function rawContext(context: DocumentsContext, transactions: AsyncTransactions, rowHooks: RowHooks): RawContext {
  const { clock, ids, strictRelations, strictParams, defaultLocale } = context;
  const raw: RawContext = {
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
    rows: {
      of: (type) => new HookedStore(raw, type),
      run: (work) => rowHooks.transaction(() => drive(work())),
    },
    documents: (type, caller) => documents(type, caller),
  };
  const documents = storedDocuments(raw);
  return raw;
}
