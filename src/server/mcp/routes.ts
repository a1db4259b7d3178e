/** `/mcp`, where `config/server` enables it. What serves it is loaded with the first request. */
import type { HttpRoute } from "../../api/http-route.ts";
import { type CommonHeaders, respond } from "../../api/rest/respond.ts";
import { once } from "../../lib/once.ts";
import type { Project } from "../project/project.ts";

const PATH = "/mcp";

export function mcpRoutes(project: Project, headers: CommonHeaders): HttpRoute[] {
  if (!project.settings.server.mcp.enabled) return [];
  const endpoint = once(() => {
    const { createStrapiEndpoint } = require("./strapi-endpoint.ts") as typeof import("./strapi-endpoint.ts");
    return createStrapiEndpoint(project, headers);
  });
  return [{ method: "ALL", path: PATH, handle: (context) => endpoint()(context) }];
}

/** What clients look for before they authenticate. Without JSON they would fail. */
const DISCOVERIES: ReadonlySet<string> = new Set([
  "GET /.well-known/oauth-authorization-server",
  "GET /.well-known/openid-configuration",
  "POST /register",
]);

const NO_OAUTH = { error: "not_found", error_description: "OAuth is not supported" };

/** Replaces the response to a discovery that the project does not answer. */
export const answerDiscovery = (
  request: Request,
  path: string,
  response: Response,
  headers: CommonHeaders,
): Response =>
  (response.status === 404 || response.status === 405) && DISCOVERIES.has(`${request.method} ${path}`)
    ? respond({ status: 404, body: NO_OAUTH }, headers.of(request))
    : response;
