/** One application: a project behind HTTP, as a function from request to response. */
import { Rest } from "../api/rest/handle.ts";
import { i18nRoutes } from "../api/rest/i18n.ts";
import { uploadRoutes } from "../api/rest/upload.ts";
import type { Project } from "./project.ts";

export interface App {
  /** Never throws. */
  readonly handle: (request: Request) => Promise<Response>;
}

export function createApp({ context, access, settings, media, files }: Project): App {
  const uploads = uploadRoutes({ context, media, pagination: settings.rest });
  const rest = new Rest({ context, access, settings, files }, [...i18nRoutes(context), ...uploads]);
  return { handle: (request) => rest.handle(request) };
}
