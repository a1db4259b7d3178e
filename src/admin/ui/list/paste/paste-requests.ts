/** Sends a table to the server in batches, for a trial or to create the documents. */
import { api } from "../../api/client.ts";
import type { PastedTable } from "./pasted-table.ts";

export interface RefusedRow {
  /** Its position in the table. */
  readonly row: number;
  readonly problems: readonly { readonly column?: string; readonly message: string }[];
}

export interface Outcome {
  readonly made: number;
  readonly refused: readonly RefusedRow[];
}

export interface PasteOptions {
  readonly uid: string;
  readonly locale: string | undefined;
  readonly publish: boolean;
  readonly isTrial: boolean;
}

/** Rows in a request. */
export const BATCH = 100;

/**
 * `columns`: the attribute of each column; those without one are left out. `onPart` is called after each part, with the number of
 * rows that were sent.
 */
export async function sendRows(
  { rows }: PastedTable,
  columns: readonly (string | undefined)[],
  options: PasteOptions,
  {
    onPart,
    signal,
  }: { readonly onPart?: (outcome: Outcome, sent: number) => void; readonly signal?: AbortSignal } = {},
): Promise<Outcome> {
  const used = columns.flatMap((name, at) => (name === undefined ? [] : [{ name, at }]));
  let outcome: Outcome = { made: 0, refused: [] };
  for (let from = 0; from < rows.length; from += BATCH) {
    const part = rows.slice(from, from + BATCH).map((row) => used.map(({ at }) => row[at] ?? ""));
    const body = { ...options, columns: used.map(({ name }) => name), rows: part };
    const { data } = await api.post<{ data: Outcome }>("/rows", body, signal ? { signal } : {});
    outcome = {
      made: outcome.made + data.made,
      refused: [...outcome.refused, ...data.refused.map(({ row, problems }) => ({ row: row + from, problems }))],
    };
    onPart?.(outcome, from + part.length);
  }
  return outcome;
}
