/** The handlers of content-type routes: they read the query, then `data`, then run the operation. */
import type { Settings } from "../../engine/config/settings.ts";
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { checkInput } from "../../engine/documents/input-keys.ts";
import { readPublicationFilter } from "../../engine/query/reading.ts";
import { checkNames } from "../../engine/query/strict-params.ts";
import { notFound } from "../../lib/errors.ts";
import { type MaybePromise, whenReady } from "../../lib/when-ready.ts";
import { type ContentResult, type ContentRoute, contentRoutes } from "../actions.ts";
import type { RestCall, RestResult, RestRoute } from "./call.ts";
import { contentBody, isV4, toV4 } from "./respond.ts";

type RestSettings = Settings["rest"];

/** The routes of every content-type of the project. */
export const contentTypeRoutes = (context: DocumentsContext, settings: RestSettings): RestRoute[] =>
  contentRoutes(context.model).map((route) => ({
    ...route,
    handle: contentHandler(context, settings, route),
    isCached: route.method === "GET",
  }));

function contentHandler(
  context: DocumentsContext,
  settings: RestSettings,
  { type, row }: ContentRoute,
): RestRoute["handle"] {
  function toResult(request: Request, result: ContentResult): RestResult {
    if (result.kind === "nothing") return { status: row.status };
    const body = contentBody(result);
    if (!body) throw notFound();
    return {
      status: row.status,
      body: isV4(request) ? { ...body, data: toV4(context.model, type, body.data) } : body,
    };
  }

  /** Throws for invalid parameters. */
  function prepare(call: RestCall) {
    const { ability, budget } = call;
    const query = call.query();
    if (settings.strictParams) {
      readPublicationFilter(query);
      checkNames(query);
    }
    // the Content API reads published versions by default
    const params = { ...query, status: query.status === undefined ? "published" : query.status };
    const service = context.documents(type, { canRead: ability.canRead, budget });
    return { service, input: { params, documentId: call.params.id, pagination: settings } };
  }

  async function write(call: RestCall): Promise<RestResult> {
    const { service, input } = prepare(call);
    service.check(input.params);
    const data = checkInput(context.model, type, await call.body(), call.ability.canRead);
    return toResult(call.request, await row.run(service, { ...input, data }));
  }

  /** Synchronous, so that everything is read from one snapshot. */
  function read(call: RestCall): MaybePromise<RestResult> {
    const { service, input } = prepare(call);
    return whenReady(row.run(service, { ...input, data: {} }), (result) => toResult(call.request, result));
  }

  return row.writes ? write : read;
}
