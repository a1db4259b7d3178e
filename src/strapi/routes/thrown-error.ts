/** Converts error responses of the server to what Strapi's actions do. */
import { ApiError, type ErrorName, errorTable } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";

/** Statuses of errors that Strapi's actions throw. Authorization errors and unknown paths are responses there as well. */
const thrownStatuses: Readonly<Record<number, true>> = { 400: true, 404: true };

/** What a failed action does in Strapi. */
interface Failure {
  /** The error that it throws. */
  readonly error?: ApiError;
  /** Nothing responds: the path or document is missing. */
  readonly isMissing?: boolean;
}

function failureIn(text: string): Failure | undefined {
  const body: unknown = text.startsWith("{") ? JSON.parse(text) : undefined;
  const error = isRecord(body) && body.data === null ? body.error : undefined;
  if (!isRecord(error) || !Object.hasOwn(errorTable, String(error.name))) return undefined;
  if (error.message === "Not Found") return { isMissing: true };
  const details = isRecord(error.details) ? error.details : undefined;
  return { error: new ApiError(error.name as ErrorName, String(error.message), details) };
}

/** For middlewares around an action of the server; undefined for a response. */
export async function readFailure(response: Response): Promise<Failure | undefined> {
  return response.status in thrownStatuses ? failureIn(await response.clone().text()) : undefined;
}
