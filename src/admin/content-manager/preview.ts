/** `/content-manager/preview`: the URL of a document's page, from the function in `config/admin`. */

import { ConfigFiles } from "../../engine/config/files.ts";
import type { DocumentsContext } from "../../engine/documents/context.ts";
import type { Params } from "../../engine/query/parse.ts";
import { applicationError, notFound, ProjectReport, validationError } from "../../lib/errors.ts";
import { isRecord, toRecord } from "../../lib/is-record.ts";
import { logError } from "../../lib/print-value.ts";
import { checkBody } from "../../lib/shape.ts";
import { text } from "../body.ts";
import { type AdminRoute, ok, route } from "../call.ts";
import type { AdminServices } from "../services.ts";
import { findDocumentId } from "./single-types.ts";

interface PreviewParams {
  readonly documentId?: unknown;
  readonly locale?: unknown;
  readonly status: unknown;
}

/** Throws a ValidationError for parameters that are not strings, an unknown type and a missing document; a NotFoundError for a single type without content. */
function readPreviewParams(context: DocumentsContext, uid: string, query: Params): PreviewParams {
  const fields = { documentId: text, locale: text, status: text };
  const { documentId, locale, status } = checkBody({ type: "object", strict: true, fields }, query);
  const type = context.model.types.get(uid);
  if (!type) throw validationError("Invalid content type");
  const isSingle = type.kind === "singleType";
  if (!isSingle && !documentId) throw validationError("documentId is required for Collection Types");
  const id = isSingle ? findDocumentId(context, type) : documentId;
  if (id === undefined) throw notFound("Document not found");
  const localeParam = locale === undefined ? {} : { locale };
  return { documentId: id, ...localeParam, status: status || (type.draftAndPublish ? "draft" : "published") };
}

/** The function of the project; undefined if previews are disabled. Throws a NotFoundError without a configuration. */
function findHandler({ root, settings }: AdminServices): ((uid: string, params: PreviewParams) => unknown) | undefined {
  const { preview } = new ConfigFiles(root, settings.environment, new ProjectReport()).section("admin").section;
  const options = toRecord(preview);
  if (options.enabled === false) return undefined;
  const handler = isRecord(options.config) ? options.config.handler : undefined;
  if (typeof handler !== "function") throw notFound("Preview config not found");
  return handler as (uid: string, params: PreviewParams) => unknown;
}

export const previewRoutes = (services: AdminServices): AdminRoute[] => [
  route("GET", "/content-manager/preview/url/:contentType", async ({ params, query }) => {
    const uid = params.contentType ?? "";
    const previewParams = readPreviewParams(services.context, uid, query());
    const handler = findHandler(services);
    let url: unknown;
    try {
      url = await handler?.(uid, previewParams);
    } catch (error) {
      logError(error);
      throw applicationError("Failed to get preview URL");
    }
    return url ? ok({ data: { url } }) : { status: 204 };
  }),
];
