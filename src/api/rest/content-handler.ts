/** The rules of a content-type's route: query, then `data`, then the operation. */
import { DocumentService } from "../../documents/document-service.ts";
import { checkInput } from "../../documents/input-keys.ts";
import { notFound } from "../../errors.ts";
import { readPublicationFilter } from "../../query/publication-filter.ts";
import { checkNames } from "../../query/strict-params.ts";
import type { ContentResult, ContentRoute } from "../actions.ts";
import { contentBody } from "./envelope.ts";
import type { Answer, Call, RestRoute, RestServices } from "./handle.ts";
import { toV4 } from "./v4.ts";

export const isV4 = (request: Request): boolean => request.headers.get("strapi-response-format") === "v4";

export function contentHandler({ context, settings }: RestServices, { type, row }: ContentRoute): RestRoute["handle"] {
  function answerOf(request: Request, result: ContentResult): Answer {
    if (result.kind === "nothing") return { status: row.status };
    const body = contentBody(result);
    if (!body) throw notFound();
    return {
      status: row.status,
      body: isV4(request) ? { ...body, data: toV4(context.model, type, body.data) } : body,
    };
  }

  /** Throws for parameters that are not to be had. */
  function prepare({ params, query, ability }: Call) {
    const given = query();
    if (settings.rest.strictParams) {
      readPublicationFilter(given);
      checkNames(given);
    }
    // the Content API reads published versions unless it is told otherwise
    const parameters = { ...given, status: given.status === undefined ? "published" : given.status };
    const service = new DocumentService(context, type, ability.canRead);
    return { service, input: { params: parameters, documentId: params.id, pagination: settings.rest } };
  }

  async function write(call: Call): Promise<Answer> {
    const { service, input } = prepare(call);
    service.check(input.params);
    const data = checkInput(context.model, type, await call.body(), call.ability.canRead);
    return answerOf(call.request, await row.run(service, { ...input, data }));
  }

  /** Without a break, so that all that is read is of one moment. */
  function read(call: Call): Answer | Promise<Answer> {
    const { service, input } = prepare(call);
    const result = row.run(service, { ...input, data: {} });
    return result instanceof Promise
      ? result.then((done) => answerOf(call.request, done))
      : answerOf(call.request, result);
  }

  return row.writes ? write : read;
}
