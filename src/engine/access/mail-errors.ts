/** Errors of mails as clients see them. */
import { ApiError } from "../../lib/errors.ts";

/** As in Strapi, an error of the provider with the status code 400 has its message. `what`: was to be sent. */
export function sendError(error: unknown, what = "email"): unknown {
  if (error instanceof ApiError || !(error instanceof Error)) return error;
  if ((error as { statusCode?: unknown }).statusCode === 400) return new ApiError("ApplicationError", error.message);
  return new Error(`Couldn't send ${what}: ${error.message}.`, { cause: error });
}
