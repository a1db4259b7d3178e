/** What the tools of development use: the open project, and the routes of the admin page, called in this process. */
import type { AdminCall, AdminRoute, JsonObject } from "../../../admin/call.ts";
import type { AdminServices } from "../../../admin/services.ts";
import type { ContentType } from "../../../engine/schema/model.ts";
import { ApiError, notFound } from "../../../lib/errors.ts";
import type { Project } from "../../project/project.ts";
import type { AgentSessions } from "./sessions.ts";

interface Options {
  readonly body?: JsonObject;
  readonly query?: JsonObject;
  /** Of the path, which is that of the route. */
  readonly params?: AdminCall["params"];
}

export type Ask = (method: AdminRoute["method"], path: string, options?: Options) => Promise<JsonObject>;

export interface Workspace {
  readonly project: Project;
  readonly services: AdminServices;
  /** The `data` of a route's response. Rejects with an ApiError for a refusal. */
  readonly ask: Ask;
  readonly sessions: AgentSessions;
}

export function createAsk(routes: readonly AdminRoute[]): Ask {
  return async (method, path, { body = {}, query = {}, params = {} } = {}) => {
    const route = routes.find((other) => other.method === method && other.path === path);
    if (!route) throw new Error(`There is no route ${method} ${path}`);
    const call: AdminCall = {
      request: new Request(`http://localhost${path}`, { method }),
      params,
      query: () => query,
      body: async () => body,
      rawBody: async () => body,
    };
    return readResult(await route.handle(call));
  };
}

function readResult({ status, body }: { readonly status: number; readonly body?: unknown }): JsonObject {
  const { data, error } = (body ?? {}) as { data?: JsonObject; error?: { message?: string } | string };
  if (status < 400) return data ?? {};
  const message = typeof error === "string" ? error : error?.message;
  throw new ApiError("ApplicationError", message ?? `The request is refused with ${status}`);
}

/** Throws a NotFoundError that names what there is. */
export function findType({ model }: Project, name: string): ContentType {
  const type = model.types.get(name);
  if (type && !type.plugin) return type;
  const names = [...model.types.values()].filter(({ plugin }) => !plugin).map((item) => item.uid);
  throw notFound(`There is no content-type ${name}: the project has ${names.join(", ") || "none yet"}`);
}
