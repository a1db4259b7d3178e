/** The error table: every refusal that a client can see, by kind. Envelopes are written in `api/`, never here. */
import { boundDetails, excerpt } from "./print-value.ts";

interface ErrorKind {
  /** The name that clients see; the kind itself unless stated. */
  readonly name?: string;
  readonly status: number;
  /** False where the reference leaves `details` out of the envelope. */
  readonly details?: false;
}

export const errorTable = {
  ValidationError: { status: 400 },
  ApplicationError: { status: 400 },
  PaginationError: { status: 400 },
  UnauthorizedError: { status: 401 },
  ForbiddenError: { status: 403 },
  /** A route that is not for this type. */
  PolicyError: { status: 403 },
  NotFoundError: { status: 404 },
  /** The version that a write is based on is no longer the newest. */
  PreconditionFailedError: { status: 412 },
  PayloadTooLargeError: { status: 413 },
  RateLimitError: { status: 429 },
  /** Errors raised while a body or a URL is read: without details. */
  SyntaxError: { status: 400, details: false },
  BadRequestError: { status: 400, details: false },
  BodyTooLargeError: { name: "PayloadTooLargeError", status: 413, details: false },
  ForbiddenPathError: { name: "ForbiddenError", status: 403, details: false },
  /** A request that lacks something, told with details. */
  MissingInputError: { name: "BadRequestError", status: 400 },
  UnsupportedEncodingError: { name: "Error", status: 415, details: false },
  /** A dynamic zone entry whose id belongs to another document. */
  ForeignEntryError: { name: "Error", status: 400, details: false },
  InternalServerError: { status: 500, details: false },
  /** The database is locked for longer than a request waits. */
  ServiceUnavailableError: { status: 503 },
  /** A full disk. */
  InsufficientStorageError: { status: 507, details: false },
} as const satisfies Record<string, ErrorKind>;

export type ErrorName = keyof typeof errorTable;

/**
 * A refusal from the error table. Thrown anywhere, formatted once per protocol. What it repeats of a request is bounded here,
 * so that no place that throws has to see to it.
 */
export class ApiError extends Error {
  readonly kind: ErrorName;
  readonly status: number;
  /** Absent in the envelope when undefined. */
  readonly details: Readonly<Record<string, unknown>> | undefined;

  /** `own`: name and status of an error that a project's own code has thrown. */
  constructor(
    kind: ErrorName,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
    own: { readonly name?: string; readonly status?: number; readonly cause?: unknown } = {},
  ) {
    super(excerpt(message), own.cause === undefined ? undefined : { cause: own.cause });
    const row: ErrorKind = errorTable[kind];
    this.kind = kind;
    this.name = own.name ?? row.name ?? kind;
    this.status = own.status ?? row.status;
    this.details = row.details === false ? undefined : boundDetails(details);
  }
}

export const validationError = (message: string, details?: Readonly<Record<string, unknown>>): ApiError =>
  new ApiError("ValidationError", message, details);

export const notFound = (message = "Not Found"): ApiError => new ApiError("NotFoundError", message);

export interface InvalidKey {
  readonly key: string;
  /** The attribute path that the reference reports: null at the top, absent for `id` and `documentId` in a body. */
  readonly path?: string | null;
}

/** The one shape of "Invalid key", for bodies and queries; `source` and `param` are left out where the reference does. */
export function invalidKeyError({ key, path }: InvalidKey, where: Readonly<Record<string, string>> = {}): ApiError {
  const message = path && path !== key ? `Invalid key ${key} at ${path}` : `Invalid key ${key}`;
  return validationError(message, path === undefined ? { key, ...where } : { key, path, ...where });
}

/** One broken rule of one value. `path` is written as in messages: `parts[1].name`. */
export interface Problem {
  readonly path: string;
  readonly message: string;
  /** Left out of the envelope when undefined. */
  readonly value?: unknown;
}

/** Every problem of a request in one error: the message itself for one, a count for several. */
export function problemsError(problems: readonly Problem[], kind: ErrorName = "ValidationError"): ApiError {
  const errors = problems.map(({ path, message, value }) => ({
    path: path === "" ? [] : path.replace(/\[(\d+)\]/g, ".$1").split("."),
    message,
    name: "ValidationError",
    ...(value === undefined ? {} : { value }),
  }));
  const message = errors.length === 1 ? errors[0]!.message : `${errors.length} errors occurred`;
  return new ApiError(kind, message, { errors });
}

/** Something in a project's files that a person should look at. */
export interface ProjectProblem {
  readonly file: string;
  readonly key?: string | undefined;
  readonly reason: string;
}

export const problemText = ({ file, key, reason }: ProjectProblem): string =>
  key ? `${file}: ${key}: ${reason}` : `${file}: ${reason}`;

/** A project that cannot be served: for the person at the command line, with the files and the keys to look at. */
export class ProjectError extends Error {
  override readonly name = "ProjectError";
  readonly problems: readonly ProjectProblem[];

  constructor(file: string, key: string | undefined, reason: string);
  constructor(problems: readonly ProjectProblem[]);
  constructor(first: string | readonly ProjectProblem[], key?: string, reason = "") {
    const problems = typeof first === "string" ? [{ file: first, key, reason }] : first;
    super(problems.map(problemText).join("\n"));
    this.problems = problems;
  }
}

/** Gathers what is wrong with a project's files, so that all of it is reported at once, and each problem once. */
export class ProjectReport {
  readonly #errors = new Map<string, ProjectProblem>();
  readonly #warnings = new Map<string, ProjectProblem>();

  /** The project cannot be served with this. */
  refuse(file: string, key: string | undefined, reason: string): void {
    const problem = { file, key, reason };
    this.#errors.set(problemText(problem), problem);
  }

  /** The project is served, but not as its files say. */
  warn(file: string, key: string | undefined, reason: string): void {
    const problem = { file, key, reason };
    this.#warnings.set(problemText(problem), problem);
  }

  /** Runs one of several checks; a ProjectError that it throws does not keep the others from running. */
  attempt<T>(check: () => T): T | undefined {
    try {
      return check();
    } catch (error) {
      if (!(error instanceof ProjectError)) throw error;
      for (const { file, key, reason } of error.problems) this.refuse(file, key, reason);
      return undefined;
    }
  }

  get isRefused(): boolean {
    return this.#errors.size > 0;
  }

  get warnings(): readonly ProjectProblem[] {
    return [...this.#warnings.values()];
  }

  /** Throws a ProjectError with every problem that refuses the project. */
  finish(): void {
    if (this.isRefused) throw new ProjectError([...this.#errors.values()]);
  }
}
