/** Strapi's `/mcp`: for admin tokens, with the tools of the content manager, of the media library, and of the project's own code. */
import { z } from "zod";
import type { AdminServices } from "../../admin/services.ts";
import type { HttpContext } from "../../api/http-route.ts";
import { readBody } from "../../api/rest/body.ts";
import type { CommonHeaders } from "../../api/rest/respond.ts";
import { ApiError } from "../../lib/errors.ts";
import { once } from "../../lib/once.ts";
import { adminServices, isDeveloped } from "../project/admin-services.ts";
import type { Project } from "../project/project.ts";
import { contentTools } from "./content/tools.ts";
import { answer } from "./endpoint.ts";
import { refuse } from "./json-rpc.ts";
import { assetTools } from "./media/assets.ts";
import { folderTools, listFoldersTool } from "./media/folders.ts";
import { ownAdditions, ownTools } from "./own-tools.ts";
import { type LazyTool, lazyTool, type McpTool } from "./tool.ts";

const READING = 2;

/** The tools of the media library, in Strapi's order. */
function mediaTools(services: AdminServices): McpTool[] {
  const assets = assetTools(services);
  return [...assets.slice(0, READING), listFoldersTool(services), ...assets.slice(READING), ...folderTools(services)];
}

const MAX_LENGTH = 10 * 1024;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they could forge lines of the log
const UNPRINTABLE = /\x1B\[[0-9;]*[A-Za-z]|[\x00-\x1F\x7F-\x9F]/g;

const input = z.object({
  message: z.string(),
  level: z.enum(["info", "http", "warn", "error", "log"]).default("info"),
});
const output = z.object({ status: z.string(), message: z.string(), level: z.string(), timestamp: z.string() });

/** The tool `log`, in development: writes a line to the server's log. */
const logTool = ({ announce }: Project): McpTool => ({
  name: "log",
  title: "Strapi Log",
  description: "Writes a message to the server's log",
  input,
  output,
  run: (args) => {
    const { message, level } = args as z.infer<typeof input>;
    const cut = message.length > MAX_LENGTH ? `${message.slice(0, MAX_LENGTH)}...[truncated]` : message;
    const line = cut.replace(UNPRINTABLE, "").trim();
    announce?.(`${level === "log" ? "info" : level}: [MCP] ${line}`);
    return { status: "logged", message: line, level, timestamp: new Date().toISOString() };
  },
});

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

/** `typeTools`: names of the tools of content-types. */
export function strapiTools(project: Project) {
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
    if (request.method !== "POST") return refuse("method", responseHeaders);
    if (!isAdmin(request, project)) return refuse("unauthenticated", responseHeaders);
    return answer(request, body, tools(), responseHeaders);
  };
}
