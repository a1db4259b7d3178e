/** The events of a project without own code. */
import type { DocumentsContext } from "../documents/context.ts";
import { logError } from "../print-value.ts";
import { program } from "../query/check-query.ts";
import { readSelection } from "../query/parse.ts";
import { findRows } from "../query/run.ts";
import { quote } from "../storage/quote.ts";
import { EntryEvents, type EventTarget } from "./entry-events.ts";

export function createContentEvents({ storage, model }: DocumentsContext, hub: EventTarget): EntryEvents {
  return new EntryEvents({
    hub,
    model,
    // they are reported after the commit
    onCommit: () => false,
    read: async (type, id, populate) => {
      const query = readSelection(model, type, { populate }, program);
      return findRows({ storage, model, status: undefined }, query, { locales: undefined, ids: [Number(id)] })[0];
    },
    draftOf: async ({ table, localized }, { documentId, locale }) => {
      const inLocale = localized ? "AND locale IS ?" : "";
      const sql = `SELECT id FROM ${quote(table)} WHERE document_id = ? AND status = 'draft' ${inLocale}`;
      const row = storage.first(sql, [String(documentId), ...(localized ? [String(locale)] : [])]);
      return row && { id: row[0] };
    },
    onError: logError,
  });
}
