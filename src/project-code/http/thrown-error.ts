/** Errors that the reference throws where the server has answered them by itself. */
import { ApiError, type ErrorName, errorTable } from "../../errors.ts";
import { isRecord } from "../../query/key-check.ts";

/** The statuses of errors that the reference's actions throw; refusals about rights and unknown paths are answers. */
const thrown: Readonly<Record<number, true>> = { 400: true, 404: true };

/** The error that the server has answered instead of throwing it; undefined for other answers, and where nothing is found. */
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

/** Code around the server's own actions sees what the reference's would throw; undefined for other answers. */
export async function errorThrownBy(response: Response): Promise<ApiError | undefined> {
  return response.status in thrown ? thrownError(await response.clone().text()) : undefined;
}
