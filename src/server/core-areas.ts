/** The core routes of a project (everything but its own code's), grouped by area. */
import { distinctRoutes, type HttpRoute } from "../api/http-route.ts";
import { ResponseCache } from "../api/responses.ts";
import type { RestRoute } from "../api/rest/call.ts";
import type { Fallback } from "../api/rest/fallback.ts";
import { healthRoutes } from "../api/rest/health.ts";
import { errorOfRequest } from "../api/rest/path.ts";
import { contentTypeRoutes, httpRoutes } from "../api/rest/pipeline.ts";
import { RepeatedParams } from "../api/rest/repeated-params.ts";
import { CommonHeaders, respondToError } from "../api/rest/respond.ts";
import type { CompressionSettings } from "../engine/config/compression-settings.ts";
import { readOnly } from "../engine/storage/problems.ts";
import { CacheTags } from "../lib/cache-tags.ts";
import { adminRoutes } from "./admin/routes.ts";
import { changeFeedRoutes } from "./change-feed/routes.ts";
import { answerDiscovery, mcpRoutes } from "./mcp/routes.ts";
import type { Project } from "./project/project.ts";
import { projectUrls } from "./project/public-urls.ts";
import { docsRoutes } from "./routes/docs-routes.ts";
import { graphqlRoutes } from "./routes/graphql-routes.ts";
import { pluginRows } from "./routes/plugin-rows.ts";

/** POST routes that do not write: logins. */
const READING_POSTS: ReadonlySet<string> = new Set(["/auth/local"]);

/** Routes of a read-only server: routes that write refuse the request before its body is read. */
const readOnlyRows = (rows: readonly RestRoute[]): readonly RestRoute[] =>
  rows.map((row) => {
    if (row.method === "GET" || READING_POSTS.has(row.path)) return row;
    return {
      ...row,
      handle: () => {
        throw readOnly();
      },
    };
  });

export interface Areas {
  readonly areas: readonly (readonly HttpRoute[])[];
  /** Handles requests that match no route. */
  readonly fallback: Fallback;
  readonly onError: (error: unknown, request: Request) => Response;
  /** The last step of every response; undefined if compression is off. */
  readonly compress: ((request: Request, response: Response) => Promise<Response>) | undefined;
}

/** The routes of content-types. Responses that the project's own code can change are not cached. */
function contentRows({ context, settings, code }: Project): RestRoute[] {
  const rows = contentTypeRoutes(context, settings.rest);
  if (!code) return rows;
  const isCached = ({ action = "", isCached }: RestRoute): boolean =>
    isCached === true && !code.runtime.documents.watchesReads(action.slice(0, action.lastIndexOf(".")));
  return rows.filter(({ action }) => code.servesCore(action)).map((row) => ({ ...row, isCached: isCached(row) }));
}

export function coreAreas(project: Project): Areas {
  const { context, settings, files } = project;
  const responses = new ResponseCache(context.storage);
  const headers = new CommonHeaders(settings.http);
  // own code may change answers, and read for them what nobody knows
  const cacheTags = project.code ? undefined : CacheTags.create(settings.galley);
  // which may change parameters, too
  const repeatedParams = project.code ? undefined : new RepeatedParams();
  const services = { access: project.access.access, settings, responses, headers, cacheTags, repeatedParams };
  const toRoutes = (rows: readonly RestRoute[]): HttpRoute[] =>
    httpRoutes(services, project.isReadOnly ? readOnlyRows(rows) : rows);
  // if two routes have the same path, the first one wins
  const areas = distinctRoutes([
    healthRoutes(headers),
    graphqlRoutes(project, { responses, headers, cacheTags }),
    ...pluginRows(project).map(toRoutes),
    toRoutes(contentRows(project)),
    adminRoutes({ project, headers }),
    docsRoutes(project, headers),
    changeFeedRoutes(project, headers),
    mcpRoutes(project, headers),
  ]);
  const routes = areas.flat();
  let handleFallback: Fallback | undefined;
  return {
    areas,
    fallback: (context, path) => {
      // loaded on the first request that matches no route
      const { createFallback } = require("../api/rest/fallback.ts") as typeof import("../api/rest/fallback.ts");
      handleFallback ??= createFallback({
        settings: settings.http,
        headers,
        urls: projectUrls(project),
        files,
        routes,
      });
      const response = handleFallback(context, path);
      if (!settings.server.mcp.enabled) return response;
      return response.then((found) => answerDiscovery(context.request, path, found, headers));
    },
    onError: (error, request) => respondToError(errorOfRequest(error, request), headers.of(request)),
    compress: settings.http.compression ? createCompressor(settings.http.compression) : undefined,
  };
}

function createCompressor(settings: CompressionSettings): Areas["compress"] {
  const { compress } = require("./compress.ts") as typeof import("./compress.ts");
  return (request, response) => compress(request, response, settings);
}
