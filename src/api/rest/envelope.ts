/** Response envelopes: `data` and `meta` of documents and pages, and errors. */

import { paginationMeta } from "../../engine/query/pagination.ts";
import { ApiError, type ErrorName } from "../../lib/errors.ts";
import type { ContentResult } from "../actions.ts";

export interface ErrorBody {
  readonly data: null;
  readonly error: {
    readonly status: number;
    readonly name: string;
    readonly message: string;
    readonly details?: Readonly<Record<string, unknown>>;
  };
}

/** The messages of refusals about rights that the project's code has thrown: Strapi does not show its words. */
const hiddenMessages: Readonly<Partial<Record<ErrorName, string>>> = {
  UnauthorizedError: "Unauthorized",
  ForbiddenError: "Forbidden",
};

/** Other errors than ApiErrors are returned without detail. */
export function errorBody(error: unknown): ErrorBody {
  const apiError = error instanceof ApiError ? error : new ApiError("InternalServerError", "Internal Server Error");
  const { httpStatus: status, name, details } = apiError;
  const message = hiddenMessages[apiError.kind];
  if (message !== undefined && apiError.cause !== undefined)
    return { data: null, error: { status, name, message, details: {} } };
  return { data: null, error: { status, name, message: apiError.message, ...(details ? { details } : {}) } };
}

/** Undefined for a missing document, and for empty results. */
export function contentBody(result: ContentResult): { data: unknown; meta: unknown } | undefined {
  if (result.kind === "page") {
    const { documents, pagination, total } = result.page;
    return { data: documents, meta: { pagination: paginationMeta(pagination, total) } };
  }
  if (result.kind === "nothing" || result.document === null) return undefined;
  return { data: result.document, meta: {} };
}
