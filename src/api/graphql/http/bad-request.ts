/** A request that is refused before there is an operation. */
import { GraphQLError } from "graphql";

export interface RefusalOptions {
  /** 400 unless stated. */
  readonly status?: number;
  /** Methods that would have been accepted. */
  readonly allow?: string;
  readonly code?: string;
}

/** The status and headers travel with the error, in the way that Yoga and other servers understand. */
export function badRequest(message: string, options: RefusalOptions = {}): GraphQLError {
  const { status = 400, allow, code = "BAD_REQUEST" } = options;
  const headers: Record<string, string> = allow === undefined ? {} : { Allow: allow };
  return new GraphQLError(message, { extensions: { code, http: { status, headers } } });
}
