/** Errors of the server as what Strapi's actions do. */
import { ApiError } from "../../lib/errors.ts";
import { originalOf } from "../packages/errors.ts";
import type { HttpTools } from "../runtime.ts";

/** What a failed action does in Strapi. */
interface Failure {
  /** The error that it throws. */
  readonly error?: unknown;
  /** Nothing responds: the path or document is missing. */
  readonly isMissing?: boolean;
}

/** Errors of the server itself that are responses in Strapi: of authorization, and of a missing file. */
const isResponse = ({ httpStatus, message }: ApiError): boolean =>
  httpStatus === 401 || httpStatus === 403 || message === "file.notFound";

const logged = new WeakSet<Error>();

/** Whether the server has logged the error when it responded. */
export const isLogged = (error: unknown): boolean => error instanceof Error && logged.has(error);

/** For code around an action of the server; undefined for a response. */
export function readFailure({ errorOf }: Pick<HttpTools, "errorOf">, response: Response): Failure | undefined {
  const error = errorOf(response);
  if (error === undefined) return undefined;
  if (!(error instanceof ApiError)) {
    if (error instanceof Error) logged.add(error);
    return { error };
  }
  const original = originalOf(error);
  if (original !== undefined) return { error: original };
  if (error.message === "Not Found") return { isMissing: true };
  return isResponse(error) ? undefined : { error };
}
