/** Errors as Strapi's database throws them, with the names and codes that code checks. */

export class SqliteError extends Error {
  readonly code: string;

  constructor(message: string, code = "SQLITE_ERROR") {
    super(message);
    this.name = "SqliteError";
    this.code = code;
  }
}

/** `alias`: the table in Strapi's query. */
export const noSuchColumn = (name: string, alias = "t0"): SqliteError =>
  new SqliteError(`no such column: ${alias}.${name}`);

/** Of an invalid date, time, or position of a relation. */
export class DatabaseError extends Error {
  readonly details = {};

  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}
