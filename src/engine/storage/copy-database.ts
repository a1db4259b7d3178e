import { openReadOnly } from "./open-read-only.ts";
import { asProjectError } from "./problems.ts";

/** Copies a database into a new file as it is at one moment, also while other processes use it. Throws a ProjectError. */
export function copyDatabase(from: string, to: string): void {
  using database = openReadOnly(from);
  try {
    database.query("VACUUM INTO ?").run(to);
  } catch (error) {
    throw asProjectError(error, to);
  }
}
