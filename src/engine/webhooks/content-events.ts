/** The events of writes that nothing intercepts. They are read and sent after the response, a few at a time. */

import { logError } from "../../lib/printable.ts";
import type { DocumentsContext, WriteReports } from "../documents/context.ts";
import { program } from "../query/check-query.ts";
import { readSelection } from "../query/parse.ts";
import { findRows } from "../query/run.ts";
import { quote } from "../storage/sql.ts";
import { EntryEvents, type EventServices, type EventTarget } from "./entry-events.ts";

/** Events between which other requests are served. */
const BATCH = 16;

function createReads({ storage, model }: DocumentsContext): Pick<EventServices, "read" | "findDraft"> {
  return {
    read: async (type, id, populate) => {
      const query = readSelection(model, type, { populate }, program);
      return findRows({ storage, model, status: undefined }, query, { locales: undefined, ids: [Number(id)] })[0];
    },
    findDraft: async ({ table, localized }, { documentId, locale }) => {
      const inLocale = localized ? "AND locale IS ?" : "";
      const sql = `SELECT id FROM ${quote(table)} WHERE document_id = ? AND status = 'draft' ${inLocale}`;
      const row = storage.first(sql, [String(documentId), ...(localized ? [String(locale)] : [])]);
      return row && { id: row[0] };
    },
  };
}

export interface ContentEvents {
  readonly reports: WriteReports;
  /** Emits pending events, before the database is closed. */
  readonly flush: () => void;
}

export function createContentEvents(context: DocumentsContext, hub: EventTarget): ContentEvents {
  const pending: (() => unknown)[] = [];
  const run = (count: number): void => {
    for (const emit of pending.splice(0, count)) emit();
    if (pending.length > 0) setImmediate(run, BATCH);
  };
  const onCommit = (emit: () => unknown): boolean => {
    if (pending.push(emit) === 1) setImmediate(run, BATCH);
    return true;
  };
  const reports = new EntryEvents({
    hub,
    model: context.model,
    onCommit,
    ...createReads(context),
    onError: logError,
  });
  return { reports, flush: () => run(pending.length) };
}
