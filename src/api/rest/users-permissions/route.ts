/** Rows of users-permissions. */
import type { Method } from "../../actions.ts";
import type { RestResult, RestRoute } from "../call.ts";

export type Handle = RestRoute["handle"];

export const route = (method: Method, path: string, action: string, handle: Handle): RestRoute => ({
  method,
  path,
  action: `plugin::users-permissions.${action}`,
  handle,
});

export const okResult: RestResult = { status: 200, body: { ok: true } };
