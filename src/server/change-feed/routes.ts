/** `GET /galley/changes`: the change feed, as one answer, after a wait, or as server-sent events. */
import { clientAddress, type HttpContext, type HttpRoute, splitUrl } from "../../api/http-route.ts";
import { createEtag } from "../../api/responses.ts";
import { parseQueryString } from "../../api/rest/query-string.ts";
import { type CommonHeaders, respondTagged } from "../../api/rest/respond.ts";
import { clientNetwork } from "../../engine/access/client-address.ts";
import { Budget } from "../../lib/budget.ts";
import { once } from "../../lib/once.ts";
import type { Project } from "../project/project.ts";
import type { FeedRequest, FeedService } from "./service.ts";

export const CHANGES_PATH = "/galley/changes";
const EVENTS = "text/event-stream";

const EVENT_HEADERS = {
  "Content-Type": `${EVENTS}; charset=utf-8`,
  // a proxy that compresses would buffer events, as others do
  "Cache-Control": "private, no-cache, no-transform",
  "X-Accel-Buffering": "no",
} as const;

export function changeFeedRoutes(project: Project, headers: CommonHeaders): HttpRoute[] {
  const { settings, access } = project;
  const { limits, http } = settings;
  // loaded with the first request
  const service = once((): FeedService => {
    const { FeedService } = require("./service.ts") as typeof import("./service.ts");
    return new FeedService(project);
  });

  async function handle(context: HttpContext): Promise<Response> {
    const { request } = context;
    // it is unknown after the connection has been closed
    const client = clientNetwork(
      { address: clientAddress(context), forwardedFor: request.headers.get("x-forwarded-for") },
      settings.server.proxies,
    );
    // permissions are looked up again after each wait
    const identify = async () => access.access.identifyRequest(request);
    const ability = await identify();
    const query = parseQueryString(splitUrl(request.url).search, {
      maxParameters: limits.parameters,
      options: http.query,
    });
    const feedRequest: FeedRequest = {
      client,
      identify,
      budget: () => new Budget(limits, { request, isPublic: ability.kind === "public" }),
      signal: request.signal,
    };
    if (request.headers.get("accept")?.includes(EVENTS)) {
      const stream = await service().stream(query, request.headers.get("last-event-id"), feedRequest);
      const responseHeaders = headers.of(request);
      for (const [name, value] of Object.entries(EVENT_HEADERS)) responseHeaders.set(name, value);
      return new Response(stream, { headers: responseHeaders });
    }
    const { token, ...page } = await service().page(query, feedRequest);
    const shown = JSON.stringify(page);
    // tokens differ always, but an earlier one is as good if nothing else does
    const etag = createEtag(shown);
    const content = `{"token":${JSON.stringify(token)},${shown.slice(1)}`;
    return respondTagged(request, { status: 200, content, etag }, headers.ofRead(request, false, etag));
  }

  return [{ method: "GET", path: CHANGES_PATH, handle }];
}
