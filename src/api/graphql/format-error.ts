/** Errors in Strapi's shape and codes. */
import { GraphQLError } from "graphql";
import { AttributeOperatorError } from "../../engine/query/filters.ts";
import { snakeCase } from "../../engine/schema/names.ts";
import { ApiError } from "../../lib/errors.ts";
import { excerpt } from "../../lib/print-value.ts";
import { logError } from "../../lib/printable.ts";

export interface FormattedError {
  readonly message: string;
  readonly locations?: GraphQLError["locations"];
  readonly path?: GraphQLError["path"];
  readonly extensions: Readonly<Record<string, unknown>>;
}

export type ErrorCode =
  | "GRAPHQL_PARSE_FAILED"
  | "GRAPHQL_VALIDATION_FAILED"
  | "OPERATION_RESOLUTION_FAILURE"
  | "BAD_REQUEST"
  | "BAD_USER_INPUT"
  | "INTERNAL_SERVER_ERROR";

const codes: Readonly<Record<string, string>> = {
  ForbiddenError: "FORBIDDEN",
  UnauthorizedError: "FORBIDDEN",
  PolicyError: "FORBIDDEN",
  ValidationError: "BAD_USER_INPUT",
};

const toErrorCode = (name: string): string => codes[name] ?? `STRAPI_${snakeCase(name).toUpperCase()}`;

/** An internal error. It is logged where it is caught, and returned without its message. */
export class UnexpectedError extends Error {
  constructor(cause: unknown) {
    super("Internal Server Error", { cause });
  }
}

/**
 * An error of an extension, or of what intercepts a read or write. As in Strapi, clients see the message of a plain `Error`, but not of
 * others, such as errors of the database.
 */
export function visibleError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof GraphQLError || Object.keys(error).length > 0) return error;
  logError(error);
  return new GraphQLError(error.message, { originalError: error });
}

/** Shortens a path: aliases of clients have any length. */
const boundPath = (path: NonNullable<GraphQLError["path"]>): NonNullable<GraphQLError["path"]> =>
  path.map((key) => (typeof key === "string" ? excerpt(key) : key));

/** A refused field: with its path, but without a location in the operation's text. */
const refusal = ({ name, message, details }: ApiError, path: NonNullable<GraphQLError["path"]>): FormattedError => ({
  message,
  path: boundPath(path),
  extensions: { code: toErrorCode(name), error: { name, message, ...(details ? { details } : {}) } },
});

/** `code`: for errors without one. */
export function formatError(error: GraphQLError, code: ErrorCode): FormattedError {
  const { originalError, message, locations, path } = error;
  // without a path, the operation's text or a variable is wrong, and the message has the location
  if (path && originalError instanceof ApiError && !(originalError instanceof AttributeOperatorError))
    return refusal(originalError, path);
  if (originalError instanceof UnexpectedError) {
    return { message: originalError.message, extensions: { code: "INTERNAL_SERVER_ERROR" } };
  }
  const { http: _, code: codeOfError, ...extensions } = error.extensions;
  return {
    message: excerpt(message),
    ...(locations ? { locations } : {}),
    ...(path ? { path: boundPath(path) } : {}),
    extensions: { ...extensions, code: codeOfError ?? code },
  };
}

/** The maximum length of all errors of a refused operation, and of the input that errors of an executed one repeat. */
const MAX_REFUSED = 4_000;
const MAX_REPEATED = 16_000;
const MAX_ERRORS = 100;
/** The number of errors that are kept of a longer list. */
const FIRST_ERRORS = 10;
const SHORT_MESSAGE = 100;
/** The maximum length of messages in total, beyond short ones: long messages mostly repeat a client's input. */
const MAX_LONG = 1_000;

const repeatedLength = ({ message, path, extensions }: FormattedError): number =>
  message.length + JSON.stringify([path, extensions.error]).length;

/** The first errors with shortened messages, and an error with their number. */
function firstErrors(errors: readonly FormattedError[]): readonly FormattedError[] {
  const first = errors.slice(0, FIRST_ERRORS).map(({ message, ...rest }) => {
    return { message: excerpt(message, SHORT_MESSAGE), ...rest };
  });
  if (errors.length <= FIRST_ERRORS) return first;
  const message = `Too many errors: ${errors.length - FIRST_ERRORS} more are not reported`;
  return [...first, { message, extensions: { code: errors[0]?.extensions.code } }];
}

/** Limits the total size of the errors of a refused operation. */
export function boundRefusals(errors: readonly FormattedError[]): readonly FormattedError[] {
  let excess = 0;
  for (const { message } of errors) excess += Math.max(0, message.length - SHORT_MESSAGE);
  return excess > MAX_LONG || JSON.stringify(errors).length > MAX_REFUSED ? firstErrors(errors) : errors;
}

/** Limits the errors of fields. Every row of a page may have the same one. */
export function boundErrors(errors: readonly FormattedError[]): readonly FormattedError[] {
  if (errors.length > MAX_ERRORS) return firstErrors(errors);
  let remaining = MAX_REPEATED;
  for (const error of errors) remaining -= repeatedLength(error);
  return remaining < 0 ? firstErrors(errors) : errors;
}
