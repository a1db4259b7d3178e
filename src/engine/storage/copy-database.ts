import { Database } from "bun:sqlite";

/** Copies a database into a new file as it is at one moment, also while other processes use it. */
export function copyDatabase(from: string, to: string): void {
  const database = new Database(from, { readonly: true });
  try {
    database.query("VACUUM INTO ?").run(to);
  } finally {
    database.close();
  }
}
