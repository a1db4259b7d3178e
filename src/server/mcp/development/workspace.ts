/** What the tools of development use: the open project, and the routes of the admin page, called in this process. */
import type { AdminCall, AdminRoute, JsonObject } from "../../../admin/call.ts";
import type { AdminServices } from "../../../admin/services.ts";
import { ApiError } from "../../../lib/errors.ts";
import type { Project } from "../../project/project.ts";
import type { AgentSessions } from "./sessions.ts";

interface Options {
  readonly body?: JsonObject;
  readonly query?: JsonObject;
}

export type Ask = (method: AdminRoute["method"], path: string, options?: Options) => Promise<JsonObject>;

export interface Workspace {
  readonly project: Project;
  readonly services: AdminServices;
  /** The `data` of a route's response. Rejects with an ApiError for a refusal. */
  readonly ask: Ask;
  readonly sessions: AgentSessions;
}

/** The parameters of a path; undefined if it is another one. */
function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const names = pattern.split("/");
  const parts = path.split("/");
  if (names.length !== parts.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    if (name.startsWith(":")) params[name.slice(1)] = parts[index]!;
    else if (name !== parts[index]) return undefined;
  }
  return params;
}

export function createAsk(routes: readonly AdminRoute[]): Ask {
  return async (method, path, { body = {}, query = {} } = {}) => {
    for (const route of routes) {
      const params = route.method === method ? matchPath(route.path, path) : undefined;
      if (!params) continue;
      const call: AdminCall = {
        request: new Request(`http://localhost${path}`, { method }),
        params,
        query: () => query,
        body: async () => body,
        rawBody: async () => body,
      };
      return readResult(await route.handle(call));
    }
    throw new Error(`There is no route ${method} ${path}`);
  };
}

function readResult({ status, body }: { readonly status: number; readonly body?: unknown }): JsonObject {
  const { data, error } = (body ?? {}) as { data?: JsonObject; error?: { message?: string } | string };
  if (status < 400) return data ?? {};
  const message = typeof error === "string" ? error : error?.message;
  throw new ApiError("ApplicationError", message ?? `The request is refused with ${status}`);
}
