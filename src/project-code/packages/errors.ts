/** `errors` of `@strapi/utils`, and conversions between errors of code and of the server. */
import { ApiError, type ErrorName } from "../../errors.ts";
import { isRecord } from "../../query/key-check.ts";
import { HttpError } from "../http/http-error.ts";
import { httpErrorKind, isStatus } from "../http/statuses.ts";

type Details = unknown;

/** An ApiError is an instance of the class with its name. */
const isNamed = (value: unknown, name: string): boolean => value instanceof ApiError && value.name === name;

export class ApplicationError extends Error {
  /** `class.name` cannot be used, since the executable is minified. */
  static readonly kind: string = "ApplicationError";
  declare details: Details;

  /** As in the reference, name, message and details are in the error's JSON. */
  constructor(message = "An application error occurred", details: Details = {}) {
    super(message);
    // an error's own message is not enumerable
    Reflect.deleteProperty(this, "message");
    this.name = "ApplicationError";
    this.message = message;
    this.details = details;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: subclasses have another kind
    const { prototype, kind } = this;
    if (Object.prototype.isPrototypeOf.call(prototype, Object(value))) return true;
    return kind === "ApplicationError" ? value instanceof ApiError : isNamed(value, kind);
  }
}

const errorClass = (name: string, defaultMessage: string, Base: typeof ApplicationError = ApplicationError) =>
  ({
    [name]: class extends Base {
      static override readonly kind = name;

      constructor(message: string = defaultMessage, details: Details = {}) {
        super(message, details);
        this.name = name;
      }
    },
  })[name] as typeof ApplicationError;

export const ValidationError = errorClass("ValidationError", "An application error occurred");
export const PaginationError = errorClass("PaginationError", "Invalid pagination");
export const NotFoundError = errorClass("NotFoundError", "Entity not found");
export const ForbiddenError = errorClass("ForbiddenError", "Forbidden access");
export const UnauthorizedError = errorClass("UnauthorizedError", "Unauthorized");
export const RateLimitError = errorClass("RateLimitError", "Too many requests, please try again later.");
export const PayloadTooLargeError = errorClass("PayloadTooLargeError", "Entity too large");
export const PolicyError = errorClass("PolicyError", "Policy Failed", ForbiddenError);
export const NotImplementedError = errorClass("NotImplementedError", "This feature is not implemented yet");

interface YupProblem {
  readonly path?: string;
  readonly message: string;
  readonly name?: string;
  readonly value?: unknown;
  readonly inner?: readonly YupProblem[];
}

/** `[0].name` at the root of a list has no empty first step. */
const pathOf = (path: string | undefined): string[] =>
  path
    ? path
        .replace(/^\[(\d+)\]/, "$1")
        .replace(/\[(\d+)\]/g, ".$1")
        .split(".")
    : [];

const problemOf = ({ path, message, name, value }: YupProblem) => ({ path: pathOf(path), message, name, value });

/** Splits a yup error into its problems. */
export const formatYupErrors = (error: YupProblem) => ({
  errors: error.inner && error.inner.length > 0 ? error.inner.map(problemOf) : [problemOf(error)],
  message: error.message,
});

export class YupValidationError extends ValidationError {
  constructor(error: YupProblem, message?: string) {
    const { errors, message: first } = formatYupErrors(error);
    super(message ?? first, { errors });
  }
}

/** Statuses by class, including subclasses. */
const statuses: readonly (readonly [typeof ApplicationError, number])[] = [
  [UnauthorizedError, 401],
  [ForbiddenError, 403],
  [NotFoundError, 404],
  [PayloadTooLargeError, 413],
  [RateLimitError, 429],
  [NotImplementedError, 501],
];

const isCodeError = (value: unknown): value is ApplicationError =>
  Object.prototype.isPrototypeOf.call(ApplicationError.prototype, Object(value));

export interface HttpProblem {
  readonly status: number;
  readonly name: string;
  readonly message: string;
  readonly details?: unknown;
}

/** The visible part of an error; undefined for an unexpected error, whose message must not be sent. */
export function problemOfError(error: unknown): HttpProblem | undefined {
  if (error instanceof ApiError) {
    const { httpStatus: status, name, message, details } = error;
    return status >= 500 && !error.details ? undefined : { status, name, message, ...(details ? { details } : {}) };
  }
  if (isCodeError(error)) {
    const { name, message, details } = error;
    // as in the reference, such a message is an unexpected error itself
    if (typeof message === "number" || isRecord(message)) return undefined;
    const status = statuses.find(([kind]) => error instanceof kind)?.[1] ?? 400;
    return { status, name, message, details };
  }
  if (!(error instanceof Error)) return undefined;
  const { status, statusCode, details } = error as Error & Partial<Record<string, unknown>>;
  const statusProperty = status || statusCode;
  const code = isStatus(statusProperty) ? statusProperty : 500;
  // as in the reference, `expose` has no effect
  if (code >= 500) return undefined;
  return { status: code, name: error.name, message: error.message, ...(details === undefined ? {} : { details }) };
}

/** The response to an error that is not shown: only its status, if it has one. Other values that are thrown have none. */
export function hiddenProblem(error: unknown): HttpProblem {
  const { status: ownStatus, statusCode } = error instanceof Error ? (error as Partial<HttpError>) : {};
  const status = error instanceof ApiError ? error.httpStatus : ownStatus || statusCode;
  const kind = isStatus(status) && status >= 400 ? httpErrorKind(status) : undefined;
  const { name, message, status: code } = kind ?? httpErrorKind(500)!;
  return { status: code, name, message };
}

/** REST hides the messages of ForbiddenError and UnauthorizedError, but shows those of policies. */
function kindOf(error: unknown): ErrorName {
  if (error instanceof UnauthorizedError) return "UnauthorizedError";
  return error instanceof ForbiddenError && !(error instanceof PolicyError) ? "ForbiddenError" : "ApplicationError";
}

/** Converts an error to an ApiError, for callers that handle no other kind. */
export function asApiError(error: unknown): unknown {
  if (error instanceof ApiError) return error;
  const problem = problemOfError(error);
  if (!problem) return error;
  const { status, name, message, details } = problem;
  const overrides = { status, name, cause: error, ...(details === undefined ? { hasDetails: false } : {}) };
  return new ApiError(kindOf(error), message, isRecord(details) ? details : {}, overrides);
}

/** Removes the name of the request parameter, since code passed the value. */
export function withoutSource(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.details?.source !== "query") return error;
  const { source: _, param: __, ...details } = error.details;
  return new ApiError(error.kind, error.message, details);
}

/** For `instanceof` checks of errors of `ctx.throw`. As in the reference, it cannot be constructed. */
class AbstractHttpError extends Error {
  constructor() {
    super();
    throw new TypeError("cannot construct abstract class");
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof HttpError;
  }
}

export const errors = {
  HttpError: AbstractHttpError,
  ApplicationError,
  ValidationError,
  YupValidationError,
  PaginationError,
  NotFoundError,
  ForbiddenError,
  UnauthorizedError,
  RateLimitError,
  PayloadTooLargeError,
  PolicyError,
  NotImplementedError,
};
