/** Errors in the reference's shape and codes. */
import { GraphQLError } from "graphql";
import { ApiError } from "../../errors.ts";
import { excerpt, logError } from "../../print-value.ts";
import { AttributeOperatorError } from "../../query/filters.ts";
import { words } from "../../schema/names.ts";

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
  ValidationError: "BAD_USER_INPUT",
};

const codeOf = (name: string): string => codes[name] ?? `STRAPI_${words(name).join("_").toUpperCase()}`;

/** An error that is not meant for clients. It is logged where it is caught, and answered without what it says. */
export class UnexpectedError extends Error {
  constructor(cause: unknown) {
    super("Internal Server Error", { cause });
  }
}

/**
 * An error of a project's own code. Clients see the message of a plain one, as in the reference, but not of one that has more to
 * say, such as those of the database.
 */
export function errorOfCode(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof GraphQLError || Object.keys(error).length > 0) return error;
  logError(error);
  return new GraphQLError(error.message, { originalError: error });
}

/** Names in a path are a client's own, of any length. */
const boundPath = (path: NonNullable<GraphQLError["path"]>): NonNullable<GraphQLError["path"]> =>
  path.map((key) => (typeof key === "string" ? excerpt(key) : key));

/** A refusal of Galley's own: where it happened is the path, not the text of the operation. */
const refusal = ({ name, message, details }: ApiError, path: NonNullable<GraphQLError["path"]>): FormattedError => ({
  message,
  path: boundPath(path),
  extensions: { code: codeOf(name), error: { name, message, ...(details ? { details } : {}) } },
});

/** `code` is that of errors which have none of their own. */
export function formatError(error: GraphQLError, code: ErrorCode): FormattedError {
  const { originalError, message, locations, path } = error;
  // without a path it is the operation's text or a variable that is wrong, and the message says where
  if (path && originalError instanceof ApiError && !(originalError instanceof AttributeOperatorError))
    return refusal(originalError, path);
  if (originalError instanceof UnexpectedError) {
    return { message: originalError.message, extensions: { code: "INTERNAL_SERVER_ERROR" } };
  }
  const { http: _, code: own, ...extensions } = error.extensions;
  return {
    message: excerpt(message),
    ...(locations ? { locations } : {}),
    ...(path ? { path: boundPath(path) } : {}),
    extensions: { ...extensions, code: own ?? code },
  };
}

/** Characters of the errors of an operation that is refused as a whole, and of all that one which has run repeats of its input. */
const MAX_REFUSED = 4_000;
const MAX_REPEATED = 16_000;
const MAX_ERRORS = 100;
/** What is left of longer lists. */
const FIRST_ERRORS = 10;
const SHORT_MESSAGE = 100;
/** Characters of messages beyond short ones, which are mostly a client's own. */
const MAX_LONG = 1_000;

const repeated = ({ message, path, extensions }: FormattedError): number =>
  message.length + JSON.stringify([path, extensions.error]).length;

/** The first errors with the beginnings of their messages, and one that says how many there were. */
function firstErrors(errors: readonly FormattedError[]): readonly FormattedError[] {
  const first = errors.slice(0, FIRST_ERRORS).map(({ message, ...rest }) => {
    return { message: excerpt(message, SHORT_MESSAGE), ...rest };
  });
  if (errors.length <= FIRST_ERRORS) return first;
  const message = `Too many errors: ${errors.length - FIRST_ERRORS} more are not reported`;
  return [...first, { message, extensions: { code: errors[0]?.extensions.code } }];
}

/** The errors of an operation that was refused as a whole; what they repeat of it is bounded for all of them together. */
export function boundRefusals(errors: readonly FormattedError[]): readonly FormattedError[] {
  let long = 0;
  for (const { message } of errors) long += Math.max(0, message.length - SHORT_MESSAGE);
  return long > MAX_LONG || JSON.stringify(errors).length > MAX_REFUSED ? firstErrors(errors) : errors;
}

/** The errors of fields. Every row of a page may have the same one. */
export function boundErrors(errors: readonly FormattedError[]): readonly FormattedError[] {
  if (errors.length > MAX_ERRORS) return firstErrors(errors);
  let left = MAX_REPEATED;
  for (const error of errors) left -= repeated(error);
  return left < 0 ? firstErrors(errors) : errors;
}
