/** The version of the tables' format, which the file of the database carries. */
import type { Database } from "bun:sqlite";
import { ProjectError } from "../../lib/errors.ts";

/** To be raised when an older Galley could not read or write the tables. */
export const FORMAT = 2;

/** The format of the Galley that changed the tables last. */
export const readFormat = (db: Database): number => db.query("PRAGMA user_version").values()[0]![0] as number;

export const SET_FORMAT = `PRAGMA user_version = ${FORMAT}`;

/** Throws a ProjectError. */
export function ensureKnownFormat(db: Database, file: string): void {
  const format = readFormat(db);
  if (format > FORMAT) throw new ProjectError(file, undefined, "was written by a newer Galley; use that one");
  if (format > 0 && format < FORMAT)
    throw new ProjectError(
      file,
      undefined,
      "was written before the first release: move it away, and import an archive that the Galley which wrote it exports",
    );
  if (format === 0 && db.query("SELECT 1 FROM sqlite_master WHERE name = 'strapi_migrations'").get())
    throw new ProjectError(
      file,
      undefined,
      "is a database of Strapi: move it away; galley import takes what strapi export writes of it",
    );
}
