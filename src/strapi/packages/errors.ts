/** Conversions between errors of code and of the server. */

import type { HttpError } from "http-errors";
import { ApiError, type ErrorName } from "../../lib/errors.ts";
import { isRecord, toRecord } from "../../lib/is-record.ts";
import { httpErrorKind, isStatus } from "../lib/statuses.ts";
import { isOfPackage, isStrapiError, type StrapiErrorName } from "./utils.ts";

/** Statuses by class, including subclasses. */
const statuses: readonly (readonly [StrapiErrorName, number])[] = [
  ["UnauthorizedError", 401],
  ["ForbiddenError", 403],
  ["NotFoundError", 404],
  ["PayloadTooLargeError", 413],
  ["RateLimitError", 429],
  ["NotImplementedError", 501],
];

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
  if (isOfPackage(error)) {
    const { name, message, details }: { name: string; message: unknown; details: unknown } = error;
    // as in Strapi, such a message is an unexpected error itself
    if (typeof message === "number" || isRecord(message)) return undefined;
    const status = statuses.find(([kind]) => isStrapiError(error, kind))?.[1] ?? 400;
    return { status, name, message: message as string, details };
  }
  if (!(error instanceof Error)) return undefined;
  const { status, statusCode, details } = error as Error & Partial<Record<string, unknown>>;
  const statusProperty = status || statusCode;
  const code = isStatus(statusProperty) ? statusProperty : 500;
  // as in Strapi, `expose` has no effect
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
function findErrorName(error: unknown): ErrorName {
  if (isStrapiError(error, "UnauthorizedError")) return "UnauthorizedError";
  const isHidden = isStrapiError(error, "ForbiddenError") && !isStrapiError(error, "PolicyError");
  return isHidden ? "ForbiddenError" : "ApplicationError";
}

const originals = new WeakMap<ApiError, unknown>();

/** The error that `asApiError` has converted. */
export const originalOf = (error: ApiError): unknown => originals.get(error);

/** Converts an error to an ApiError, for callers that handle no other kind. */
export function asApiError(error: unknown): unknown {
  if (error instanceof ApiError) return error;
  const problem = problemOfError(error);
  if (!problem) return error;
  const { status, name, message, details } = problem;
  const overrides = { status, name, cause: error, ...(details === undefined ? { hasDetails: false } : {}) };
  const converted = new ApiError(findErrorName(error), message, toRecord(details), overrides);
  originals.set(converted, error);
  return converted;
}

/** Removes the name of the request parameter, since code passed the value. */
export function withoutSource(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.details?.source !== "query") return error;
  const { source: _, param: __, ...details } = error.details;
  return new ApiError(error.kind, error.message, details);
}
