/** Strapi's `/mcp`: for admin tokens, with the tools of the content manager, of the media library, and of the project's own code. */
import type { HttpContext } from "../../api/http-route.ts";
import { readBody } from "../../api/rest/body.ts";
import type { CommonHeaders } from "../../api/rest/respond.ts";
import { ApiError } from "../../lib/errors.ts";
import { once } from "../../lib/once.ts";
import { adminServices } from "../project/admin-services.ts";
import { isDeveloped } from "../project/is-developed.ts";
import type { Project } from "../project/project.ts";
import { contentTools } from "./content/tools.ts";
import { answer, type ToolSet } from "./endpoint.ts";
import { refuse } from "./json-rpc.ts";
import { logTool } from "./log-tool.ts";
import { mediaTools } from "./media/tools.ts";
import { ownAdditions, ownTools } from "./own-tools.ts";
import { type LazyTool, lazyTool, type McpTool } from "./tool.ts";

/** The token of `Authorization: Bearer`; undefined for other credentials. */
export function bearerToken({ headers }: Request): string | undefined {
  const [scheme, token, ...rest] = (headers.get("authorization") ?? "").split(/\s+/);
  return scheme?.toLowerCase() === "bearer" && rest.length === 0 ? token : undefined;
}

/** Whether a request has a valid admin token. */
export function isAdmin(request: Request, { access: { tokens } }: Project): boolean {
  const token = bearerToken(request);
  try {
    return token !== undefined && tokens.isAdmin(token);
  } catch (error) {
    // an expired one
    if (error instanceof ApiError) return false;
    throw error;
  }
}

const built = (tool: McpTool): LazyTool => lazyTool(tool.name, () => tool);

/** The first of several tools of a name counts: own code registers its tools before the content manager. */
const distinct = (tools: readonly LazyTool[]): LazyTool[] =>
  [...new Map(tools.toReversed().map((tool) => [tool.name, tool])).values()].toReversed();

export interface StrapiToolSet extends ToolSet {
  /** Names of the tools of content-types. */
  readonly typeTools: ReadonlySet<string>;
}

export function strapiTools(project: Project): StrapiToolSet {
  const services = adminServices(project);
  const isDeveloping = isDeveloped(project);
  const own = ownTools(project, isDeveloping);
  const ofTypes = contentTools(services.context, services.schema);
  return {
    typeTools: new Set(ofTypes.map(({ name }) => name)).difference(new Set(own.map(({ name }) => name))),
    tools: distinct([
      ...(isDeveloping ? [built(logTool(project))] : []),
      ...mediaTools(services).map(built),
      ...own,
      ...ofTypes,
    ]),
    additions: ownAdditions(project, isDeveloping),
    timeoutMs: project.settings.server.mcp.timeoutMs,
    showsDefects: isDeveloping,
  };
}

export function createStrapiEndpoint(project: Project, headers: CommonHeaders) {
  const tools = once(() => strapiTools(project));
  return async ({ request }: HttpContext): Promise<Response> => {
    const preflight = headers.preflight(request);
    if (preflight) return preflight;
    const responseHeaders = headers.of(request);
    const { body: settings } = project.settings.http;
    const body = settings.methods.includes(request.method) ? await readBody(request, settings) : undefined;
    if (request.method !== "POST") {
      responseHeaders.set("Allow", "POST");
      return refuse("method", responseHeaders);
    }
    if (!isAdmin(request, project)) return refuse("unauthenticated", responseHeaders);
    return answer(request, body, tools(), responseHeaders);
  };
}
