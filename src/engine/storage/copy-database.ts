import { openReadOnly } from "./open-read-only.ts";

/** Copies a database into a new file as it is at one moment, also while other processes use it. */
export function copyDatabase(from: string, to: string): void {
  using database = openReadOnly(from);
  database.query("VACUUM INTO ?").run(to);
}
