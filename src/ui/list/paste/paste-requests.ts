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

/** A text with a delimiter that is not quoted moves the cells after it into the wrong columns. */
const hasMoreCells = (row: readonly string[], { header }: PastedTable): boolean =>
  row.slice(header.length).some((cell) => cell.trim() !== "");

const MORE_CELLS = "More cells than the first row has. Texts with commas, semicolons or tabs need quotes";

/** Rows in a request. */
export const BATCH = 100;

/**
 * `columns`: the attribute of each column; those without one are left out. `onPart` is called after each part, with the number of
 * rows that were sent.
 */
export async function sendRows(
  table: PastedTable,
  columns: readonly (string | undefined)[],
  options: PasteOptions,
  {
    onPart,
    signal,
  }: { readonly onPart?: (outcome: Outcome, sent: number) => void; readonly signal?: AbortSignal } = {},
): Promise<Outcome> {
  const used = columns.flatMap((name, at) => (name === undefined ? [] : [{ name, at }]));
  const positions = [...table.rows.keys()];
  const [misplaced, sent] = [true, false].map((isMisplaced) =>
    positions.filter((position) => hasMoreCells(table.rows[position]!, table) === isMisplaced),
  ) as [number[], number[]];
  let outcome: Outcome = {
    made: 0,
    refused: misplaced.map((row) => ({ row, problems: [{ message: MORE_CELLS }] })),
  };
  for (let from = 0; from < sent.length; from += BATCH) {
    const part = sent.slice(from, from + BATCH);
    const rows = part.map((position) => used.map(({ at }) => table.rows[position]![at] ?? ""));
    const body = { ...options, columns: used.map(({ name }) => name), rows };
    const { data } = await api.post<{ data: Outcome }>("/rows", body, signal ? { signal } : {});
    outcome = {
      made: outcome.made + data.made,
      refused: [...outcome.refused, ...data.refused.map(({ row, problems }) => ({ row: part[row]!, problems }))],
    };
    onPart?.(outcome, from + part.length);
  }
  return outcome;
}
