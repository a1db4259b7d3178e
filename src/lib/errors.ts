/** The error table: all errors that clients can see, by kind. `api/` writes the envelopes. */
import { boundDetails, excerpt } from "./print-value.ts";
import { printableLines } from "./printable.ts";
import { withoutSecrets } from "./redact.ts";

interface ErrorKind {
  /** The name that clients see; default: the kind. */
  readonly name?: string;
  readonly status: number;
  /** False if Strapi's envelope has no `details`. */
  readonly details?: false;
  /** The error has the property `status`, as those of packages that read bodies have. */
  readonly hasStatus?: true;
}

export const errorTable = {
  ValidationError: { status: 400 },
  ApplicationError: { status: 400 },
  PaginationError: { status: 400 },
  UnauthorizedError: { status: 401 },
  ForbiddenError: { status: 403 },
  /** A route that is not available for the type. */
  PolicyError: { status: 403 },
  NotFoundError: { status: 404 },
  /** A position in the change log that it no longer knows. */
  GoneError: { status: 410 },
  /** The version that a write is based on is no longer the newest. */
  PreconditionFailedError: { status: 412 },
  PayloadTooLargeError: { status: 413 },
  RateLimitError: { status: 429 },
  /** Errors raised while a body or a URL is read: without details. */
  SyntaxError: { status: 400, details: false, hasStatus: true },
  BadRequestError: { status: 400, details: false, hasStatus: true },
  BodyTooLargeError: { name: "PayloadTooLargeError", status: 413, details: false, hasStatus: true },
  ForbiddenPathError: { name: "ForbiddenError", status: 403, details: false },
  /** A request with missing input, with details. */
  MissingInputError: { name: "BadRequestError", status: 400 },
  UnsupportedEncodingError: { name: "Error", status: 415, details: false, hasStatus: true },
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
 * An error of the table. Thrown anywhere, formatted once per protocol. Input that it repeats is shortened here, so that
 * throwing code need not do that.
 */
export class ApiError extends Error {
  readonly kind: ErrorName;
  readonly httpStatus: number;
  /** For callers of the library, and of errors about bodies: Strapi's others have none, and the project's code asks for it. */
  declare status?: number;
  /** Whose value cannot be stored. For files, whose lines it finds: Strapi's envelope does not have it. */
  declare attribute?: string;
  /** Undefined: omitted from the envelope. */
  readonly details: Readonly<Record<string, unknown>> | undefined;

  /** `overrides`: of an error that the project's code has thrown. */
  constructor(
    kind: ErrorName,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
    overrides: {
      readonly name?: string;
      readonly status?: number;
      readonly cause?: unknown;
      readonly hasDetails?: boolean;
    } = {},
  ) {
    super(excerpt(message), overrides.cause === undefined ? undefined : { cause: overrides.cause });
    const row: ErrorKind = errorTable[kind];
    this.kind = kind;
    this.name = overrides.name ?? row.name ?? kind;
    this.httpStatus = overrides.status ?? row.status;
    if (row.hasStatus) this.status = this.httpStatus;
    this.details = (overrides.hasDetails ?? row.details) === false ? undefined : boundDetails(details);
  }

  withStatus(): this {
    this.status = this.httpStatus;
    return this;
  }

  /** As Strapi's errors, which the project's code may send as values. */
  toJSON(): Readonly<Record<string, unknown>> {
    const { name, message, details = {} } = this;
    return { name, message, details };
  }
}

/** A value that a column cannot be compared with. */
export class OperandError extends ApiError {
  /** The message that the project's code gets: that of Strapi's database. */
  readonly columnMessage: string;

  constructor(message: string, columnMessage: string) {
    super("ValidationError", message);
    this.columnMessage = columnMessage;
  }
}

export const validationError = (message: string, details?: Readonly<Record<string, unknown>>): ApiError =>
  new ApiError("ValidationError", message, details);

export const applicationError = (message: string): ApiError => new ApiError("ApplicationError", message);

export const notFound = (message = "Not Found"): ApiError => new ApiError("NotFoundError", message);

export const forbidden = (message = "Forbidden"): ApiError => new ApiError("ForbiddenError", message);

export const invalidCredentials = (): ApiError => new ApiError("UnauthorizedError", "Missing or invalid credentials");

export const bodyTooLarge = (): ApiError => new ApiError("BodyTooLargeError", "request entity too large");

/** The client has gone away, or has sent less than it said. */
export const bodyCutShort = (): ApiError => new ApiError("BadRequestError", "The body ended before its end");

export interface InvalidKey {
  readonly key: string;
  /** The attribute path that Strapi reports: null at the top level, undefined for `id` and `documentId` in a body. */
  readonly path?: string | null;
}

/** "Invalid key" errors of bodies and queries; `source` and `param` are omitted where Strapi omits them. */
export function invalidKeyError({ key, path }: InvalidKey, where: Readonly<Record<string, string>> = {}): ApiError {
  const message = path && path !== key ? `Invalid key ${key} at ${path}` : `Invalid key ${key}`;
  return validationError(message, path === undefined ? { key, ...where } : { key, path, ...where });
}

/** A violated rule of a value. `path` has the format of messages: `parts[1].name`. */
export interface Problem {
  readonly path: string;
  readonly message: string;
  /** Undefined: omitted from the envelope. */
  readonly value?: unknown;
}

/** One error for all problems of a request, with the message of a single one, or their number. */
export function problemsError(problems: readonly Problem[]): ApiError {
  const errors = problems.map(({ path, message, value }) => ({
    path: path === "" ? [] : path.replace(/\[(\d+)\]/g, ".$1").split("."),
    message,
    name: "ValidationError",
    ...(value === undefined ? {} : { value }),
  }));
  const message = errors.length === 1 ? errors[0]!.message : `${errors.length} errors occurred`;
  return new ApiError("ValidationError", message, { errors });
}

/** A problem in a project's files. */
export interface ProjectProblem {
  readonly file: string;
  readonly key?: string | undefined;
  readonly reason: string;
}

export const problemText = ({ file, key, reason }: ProjectProblem): string =>
  printableLines(withoutSecrets(key ? `${file}: ${key}: ${reason}` : `${file}: ${reason}`));

/** A project that cannot be served, with the files and keys of all problems, for the command line. */
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

/** Collects the problems of a project's files, so that all are reported together, each once. */
export class ProjectReport {
  readonly #errors = new Map<string, ProjectProblem>();
  readonly #warnings = new Map<string, ProjectProblem>();

  /** A problem because of which the project cannot be served. */
  refuse(file: string, key: string | undefined, reason: string): void {
    const problem = { file, key, reason };
    this.#errors.set(problemText(problem), problem);
  }

  /** A problem with which the project is served in another way than its files say. */
  warn(file: string, key: string | undefined, reason: string): void {
    const problem = { file, key, reason };
    this.#warnings.set(problemText(problem), problem);
  }

  /** Runs a check, and collects its ProjectError. */
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

  /** The problems because of which the project cannot be served. */
  get refused(): readonly ProjectProblem[] {
    return [...this.#errors.values()];
  }

  get warnings(): readonly ProjectProblem[] {
    return [...this.#warnings.values()];
  }

  /** Throws a ProjectError with every problem that refuses the project. */
  finish(): void {
    if (this.isRefused) throw new ProjectError(this.refused);
  }
}

/** The message of anything that was thrown. */
export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));
