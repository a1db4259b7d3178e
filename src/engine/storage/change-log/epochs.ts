/**
 * Each start of a server begins an epoch of the change log. A restored copy of a database counts on from an earlier sequence: sequences
 * that were given out before are then beyond the end of their epoch, or of one that the copy does not know.
 */
import type { Storage } from "../storage.ts";

/** Older ones are forgotten, as if the log was. */
const KEPT_EPOCHS = 1_000;

const LAST = "(SELECT coalesce(max(sequence), 0) FROM galley_changes)";

/** Begins an epoch. Expects the tables of an enabled log. */
export function setEpoch(storage: Storage): void {
  storage.run(`INSERT INTO galley_change_epochs (id, sequence) VALUES (lower(hex(randomblob(16))), ${LAST})`);
  storage.run("DELETE FROM galley_change_epochs WHERE number <= (SELECT max(number) FROM galley_change_epochs) - ?", [
    KEPT_EPOCHS,
  ]);
}

/** The id of the current epoch: 16 bytes in hexadecimal digits. */
export const currentEpoch = (storage: Storage): string =>
  storage.first("SELECT id FROM galley_change_epochs ORDER BY number DESC LIMIT 1")![0] as string;

/** Whether a sequence that was given out in an epoch is a state of this database. */
export function isOfEpoch(storage: Storage, id: string, sequence: number): boolean {
  const sql = `SELECT coalesce((SELECT min(n.sequence) FROM galley_change_epochs n WHERE n.number > e.number), ${LAST})
    FROM galley_change_epochs e WHERE id = ?`;
  const end = storage.first(sql, [id]);
  return end !== undefined && sequence <= (end[0] as number);
}
