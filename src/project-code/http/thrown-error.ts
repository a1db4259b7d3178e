/** Converts error responses of the server to the errors that the reference's actions throw. */
import { ApiError, type ErrorName, errorTable } from "../../errors.ts";
import { isRecord } from "../../query/key-check.ts";

/** Statuses of errors that the reference's actions throw. Authorization errors and unknown paths are responses there as well. */
const thrownStatuses: Readonly<Record<number, true>> = { 400: true, 404: true };

/** The error in a response body; undefined for other responses, and for missing documents. */
function thrownError(text: string): ApiError | undefined {
  const body: unknown = text.startsWith("{") ? JSON.parse(text) : undefined;
  const error = isRecord(body) && body.data === null ? body.error : undefined;
  if (!isRecord(error) || !Object.hasOwn(errorTable, String(error.name)) || error.message === "Not Found")
    return undefined;
  return new ApiError(
    error.name as ErrorName,
    String(error.message),
    isRecord(error.details) ? error.details : undefined,
  );
}

/** The error that the reference's action would throw, for middlewares around it; undefined for other responses. */
export async function errorThrownBy(response: Response): Promise<ApiError | undefined> {
  return response.status in thrownStatuses ? thrownError(await response.clone().text()) : undefined;
}
