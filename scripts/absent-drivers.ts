/** Packages that bundled ones name and never load: knex's dialect for SQLite would, and ours takes the place of its driver. */
export const absentDrivers: readonly string[] = ["sqlite3"];
