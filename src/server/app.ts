/** One application: a project behind HTTP, as a function from request to response. */
import { Rest } from "../api/rest/handle.ts";
import { i18nRoutes } from "../api/rest/i18n.ts";
import type { Project } from "./project.ts";

export interface App {
  /** Never throws. */
  readonly handle: (request: Request) => Promise<Response>;
}

export function createApp({ context, access, settings }: Project): App {
  const rest = new Rest({ context, access, settings }, i18nRoutes(context));
  return { handle: (request) => rest.handle(request) };
}
