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

export class DatabaseError extends Error {
  override name = "DatabaseError";
  readonly details: object;

  constructor(message = "A database error occurred", details: object = {}) {
    super(message);
    this.details = details;
  }
}

class NotNullError extends DatabaseError {
  override name = "NotNullError";

  constructor({ column = "" }: { readonly column?: string } = {}) {
    super(`Not null constraint violation${column && ` on column ${column}`}.`, { column });
  }
}

const formatError = (name: string, format: string) =>
  class extends DatabaseError {
    override name = name;

    constructor(message = format) {
      super(message);
    }
  };

/** `errors` of `@strapi/database`. */
export const errors = {
  DatabaseError,
  NotNullError,
  InvalidTimeError: formatError("InvalidTimeFormat", "Invalid time format, expected HH:mm:ss.SSS"),
  InvalidDateError: formatError("InvalidDateFormat", "Invalid date format, expected YYYY-MM-DD"),
  InvalidDateTimeError: formatError("InvalidDatetimeFormat", "Invalid relation format"),
  InvalidRelationError: formatError("InvalidRelationFormat", "Invalid relation format"),
};
