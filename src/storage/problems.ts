/** What is wrong with a database file, in words for the person at the command line. */
import { ApiError, ProjectError } from "../errors.ts";

/** By the beginning of the code of an error of SQLite or of the system. */
const reasons: readonly (readonly [code: RegExp, reason: string])[] = [
  [/^SQLITE_(NOTADB|CORRUPT)/, "is damaged, or no SQLite database; restore a copy, or move it away to start with none"],
  [/^(SQLITE_BUSY|SQLITE_LOCKED)/, "is locked by another process; end that, and try again"],
  [/^(SQLITE_FULL|ENOSPC|EDQUOT|EFBIG)/, "cannot be written: the disk is full"],
  [/^(SQLITE_READONLY|EROFS|EACCES|EPERM)/, "cannot be written: give this user the right to, or use --memory"],
  [/^(SQLITE_CANTOPEN|ENOTDIR|EEXIST|EISDIR|ENAMETOOLONG)/, "cannot be opened or created"],
  [/^(SQLITE_IOERR|EIO)/, "cannot be read or written: the disk reports an error"],
  [/^SQLITE_/, "cannot be used"],
];

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? "");

export const isBusy = (error: unknown): boolean => /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error));

/** The refusal of a request that cannot wait for the lock of the database any longer. */
export const databaseBusy = (): ApiError =>
  new ApiError("ServiceUnavailableError", "The database is busy, please try again later.");

/** What clients see of a disk that takes no more, by the codes of the system and of SQLite. */
const fullDisks: Readonly<Record<string, string>> = {
  ENOSPC: "There is no space left on the disk",
  EDQUOT: "The disk quota is used up",
  EFBIG: "The file is larger than the system allows",
  SQLITE_FULL: "There is no space left on the disk",
  // a limit of the file's size, or a full disk where the system says no more than that
  SQLITE_IOERR_WRITE: "The database cannot grow on the disk",
  SQLITE_IOERR_TRUNCATE: "The database cannot grow on the disk",
  SQLITE_IOERR_SHMSIZE: "The database cannot grow on the disk",
};

/** The refusal of a request that the disk has no room for, which is logged in a line; undefined for other errors. */
export function diskFull(error: unknown): ApiError | undefined {
  // a project's own code may throw anything
  if (!(error instanceof Error)) return undefined;
  const code = codeOf(error);
  if (!Object.hasOwn(fullDisks, code)) return undefined;
  const { path, message } = error as Error & { readonly path?: string };
  console.error(`galley: a write was refused: ${code}${path ? ` at ${path}` : `: ${message}`}`);
  return new ApiError("InsufficientStorageError", fullDisks[code]!);
}

/** The refusal of a write where content is published from elsewhere. */
export const readOnly = (): ApiError => new ApiError("ForbiddenError", "This server is read-only");

/** The refusal of a request that was begun with other tables than there are now. */
export const tablesChanged = (): ApiError =>
  new ApiError("ServiceUnavailableError", "The content-types have changed, please try again.");

/** What a statement fails with that was made for other tables. */
export const isOutdated = (error: unknown): boolean =>
  codeOf(error) === "SQLITE_ERROR" &&
  /^(no such (table|column|index)|table .* has no column)/.test((error as Error).message);

/** A ProjectError for errors of SQLite and of the file system; everything else as it is. */
export function asProjectError(error: unknown, file: string): unknown {
  if (error instanceof ApiError && error.kind === "ServiceUnavailableError")
    return new ProjectError(file, undefined, reasons[1]![1]);
  const code = codeOf(error);
  const reason = reasons.find(([codes]) => codes.test(code))?.[1];
  if (reason === undefined) return error;
  const problem = new ProjectError(file, undefined, `${reason} (${(error as Error).message})`);
  problem.cause = error;
  return problem;
}
