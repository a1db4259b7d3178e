/** Errors of the database and the disk, as messages for the command line and for clients. */
import { findErrorCode } from "../../lib/error-code.ts";
import { ApiError, forbidden, ProjectError } from "../../lib/errors.ts";

function lockedBy(holder: unknown = "another process"): string {
  return `is locked by ${holder}; end that, and try again`;
}

const DAMAGED = /^SQLITE_(NOTADB|CORRUPT)/;

const READ_ONLY = "cannot be written, since the disk is read-only: mount it for writing";
const RIGHTS = "cannot be read or written: give this user the right to";

/** Messages by the prefix of an error code of SQLite or the operating system. */
const reasons: readonly (readonly [code: RegExp, reason: string])[] = [
  [DAMAGED, "is damaged, or not a SQLite database; restore a copy, or move it away to start with none"],
  [/^(SQLITE_BUSY|SQLITE_LOCKED)/, lockedBy()],
  [/^(SQLITE_FULL|SQLITE_IOERR_SHMSIZE|ENOSPC|EDQUOT|EFBIG)/, "cannot be written: the disk is full"],
  [/^(SQLITE_READONLY|EACCES|EPERM)/, RIGHTS],
  [/^EROFS/, READ_ONLY],
  [/^ENOTDIR/, "cannot be opened or created: a part of its path is a file"],
  [/^EEXIST/, "cannot be opened or created: there is a file in its place"],
  [/^EISDIR/, "cannot be opened or created: it is a folder"],
  [/^SQLITE_CANTOPEN/, "cannot be opened: give this user the right to read and write it, and its folder"],
  [/^ENAMETOOLONG/, "cannot be opened or created: its path is too long; move the project to a shorter one"],
  [/^(SQLITE_IOERR|EIO)/, "cannot be read or written: the disk reports an error"],
  [
    /^SQLITE_CONSTRAINT_FOREIGNKEY/,
    "has a table beside those of the content whose foreign keys refer to rows that would be deleted: delete its rows first, or give the keys ON DELETE CASCADE or SET NULL",
  ],
  [/^SQLITE_/, "cannot be used"],
];

/** SQLite takes 512 bytes, with what it adds to the name of a database. */
const MAX_PATH = 500;

export const isBusy = (error: unknown): boolean => /^SQLITE_(BUSY|LOCKED)/.test(findErrorCode(error));

/** Whether a file is damaged, or not a database. */
export const isDamaged = (error: unknown): boolean => DAMAGED.test(findErrorCode(error));

/** For a request that has waited too long for the database's lock. `holder`: the process that holds it. */
export const databaseBusy = (holder?: string): ApiError =>
  new ApiError("ServiceUnavailableError", "The database is busy, please try again later.", {}, { cause: holder });

/** The messages that clients see when the disk is full, by error code of the operating system or SQLite. */
const fullDisks: Readonly<Record<string, string>> = {
  ENOSPC: "There is no space left on the disk",
  EDQUOT: "The disk quota is used up",
  EFBIG: "The file is larger than the system allows",
  SQLITE_FULL: "There is no space left on the disk",
  // a file size limit, or a full disk on systems that do not report it as such
  SQLITE_IOERR_WRITE: "The database cannot grow on the disk",
  SQLITE_IOERR_TRUNCATE: "The database cannot grow on the disk",
  SQLITE_IOERR_SHMSIZE: "The database cannot grow on the disk",
};

/** The error for a full disk, which is also logged; undefined for other errors. */
export function diskFull(error: unknown): ApiError | undefined {
  // anything may be thrown
  if (!(error instanceof Error)) return undefined;
  const code = findErrorCode(error);
  if (!Object.hasOwn(fullDisks, code)) return undefined;
  const { path, message } = error as Error & { readonly path?: string };
  console.error(`galley: a write was refused: ${code}${path ? ` at ${path}` : `: ${message}`}`);
  return new ApiError("InsufficientStorageError", fullDisks[code]!);
}

/** For writes to a read-only server, whose content is published from elsewhere. */
export const readOnly = (): ApiError => forbidden("This server is read-only");

/** For a request that began before the tables changed. */
export const tablesChanged = (): ApiError =>
  new ApiError("ServiceUnavailableError", "The content-types have changed, please try again.");

/** Whether a statement failed because the tables have changed. */
export const isOutdated = (error: unknown): boolean =>
  findErrorCode(error) === "SQLITE_ERROR" &&
  /^(no such (table|column|index)|table .* has no column)/.test((error as Error).message);

/**
 * Converts errors of SQLite and the file system to a ProjectError; returns other errors unchanged. `isDatabase`: it can be in memory
 * instead.
 */
export function asProjectError(error: unknown, file: string, isDatabase = false): unknown {
  if (error instanceof ApiError && error.kind === "ServiceUnavailableError")
    return new ProjectError(file, undefined, lockedBy(error.cause));
  const code = findErrorCode(error);
  const isTooLong = code.startsWith("SQLITE_CANTOPEN") && Buffer.byteLength(file) > MAX_PATH;
  const reason = reasons.find(([codes]) => codes.test(isTooLong ? "ENAMETOOLONG" : code))?.[1];
  if (reason === undefined) return error;
  const advice = isDatabase && (reason === RIGHTS || reason === READ_ONLY) ? ", or serve it with --memory" : "";
  // the system names the file that it is about
  const { path = file } = error as { readonly path?: string };
  const problem = new ProjectError(path, undefined, `${reason}${advice} (${(error as Error).message})`);
  problem.cause = error;
  return problem;
}
