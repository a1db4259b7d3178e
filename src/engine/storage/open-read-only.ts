import { Database } from "bun:sqlite";
import { asProjectError } from "./problems.ts";

/** Opens a database that another process may be writing. Throws a ProjectError if this user cannot read it. */
export function openReadOnly(file: string): Database {
  try {
    const database = new Database(file, { readonly: true });
    // SQLite reads the file with the first statement only
    database.run("PRAGMA schema_version");
    return database;
  } catch (error) {
    throw asProjectError(error, file);
  }
}
