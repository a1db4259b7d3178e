/** What the server itself serves of a project, area by area. */
import { AnswerCache } from "../api/answer-cache.ts";
import { distinctRoutes, type HttpRoute } from "../api/http-route.ts";
import type { RestRoute } from "../api/rest/call.ts";
import { contentTypeRoutes } from "../api/rest/content-handler.ts";
import type { Fallback } from "../api/rest/fallback.ts";
import { CommonHeaders } from "../api/rest/headers.ts";
import { healthRoutes } from "../api/rest/health.ts";
import { httpRoutes } from "../api/rest/pipeline.ts";
import { respondToError } from "../api/rest/respond.ts";
import { adminRoutes } from "./admin-routes.ts";
import { docsRoutes } from "./docs-routes.ts";
import { graphqlRoutes } from "./graphql-routes.ts";
import { pluginRows } from "./plugin-rows.ts";
import type { Project } from "./project.ts";
import { readOnlyRows } from "./read-only.ts";

export interface Areas {
  readonly areas: readonly (readonly HttpRoute[])[];
  /** Answers what no route takes. */
  readonly fallback: Fallback;
  readonly onError: (error: unknown, request: Request) => Response;
  /** The last step of every answer; undefined where there is nothing to do. */
  readonly compress: ((request: Request, response: Response) => Promise<Response>) | undefined;
}

/** The routes of content-types. Answers that a project's own code takes part in are not cached. */
function contentRows({ context, settings, code }: Project): RestRoute[] {
  const rows = contentTypeRoutes(context, settings.rest);
  if (!code) return rows;
  const isCached = ({ action = "", isCached }: RestRoute): boolean =>
    isCached === true && !code.runtime.documents.watchesReads(action.slice(0, action.lastIndexOf(".")));
  return rows.filter(({ action }) => code.servesCore(action)).map((row) => ({ ...row, isCached: isCached(row) }));
}

export function ownAreas(project: Project): Areas {
  const { context, settings, files } = project;
  const answers = new AnswerCache(context.storage);
  const headers = new CommonHeaders(settings.http);
  const services = { access: project.access.access, settings, answers, headers };
  const rest = (rows: readonly RestRoute[]): HttpRoute[] =>
    httpRoutes(services, project.isReadOnly ? readOnlyRows(rows) : rows);
  // of two routes for one path the first wins
  const areas = distinctRoutes([
    healthRoutes(headers),
    graphqlRoutes(project, answers, headers),
    ...pluginRows(project).map(rest),
    rest(contentRows(project)),
    adminRoutes({ project, headers }),
    docsRoutes(project, headers),
  ]);
  const routes = areas.flat();
  let answerUnrouted: Fallback | undefined;
  return {
    areas,
    fallback: (context, path) => {
      // loaded with the first request that needs it
      const { createFallback } = require("../api/rest/fallback.ts") as typeof import("../api/rest/fallback.ts");
      answerUnrouted ??= createFallback({ settings: settings.http, headers, files, routes });
      return answerUnrouted(context, path);
    },
    onError: (error, request) => respondToError(error, headers.of(request)),
    compress: settings.http.compress
      ? (require("./compress.ts") as typeof import("./compress.ts")).compress
      : undefined,
  };
}
