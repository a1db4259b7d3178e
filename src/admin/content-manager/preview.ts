/** `/content-manager/preview`: the URL of a document's page. `/admin/api/preview` is the page's own, with what it may do with the URL. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import type { Params } from "../../engine/query/parse.ts";
import { type ContentType, contentType } from "../../engine/schema/model.ts";
import { applicationError, notFound, validationError } from "../../lib/errors.ts";
import { logError } from "../../lib/printable.ts";
import { checkBody } from "../../lib/shape.ts";
import { objectOf, text } from "../body.ts";
import { type AdminRoute, ok, route } from "../call.ts";
import { isFramed, type PreviewParams, type PreviewSettings } from "../preview-settings.ts";
import { editedStatus } from "../read-rows.ts";
import type { AdminServices } from "../services.ts";
import { API_PATH } from "../session/session.ts";
import { findDocumentId } from "./single-types.ts";

const PLACEHOLDER = /\{([^{}]*)\}/g;
/** Also allowed in patterns, besides the type's own attributes with text or numbers. */
const SYSTEM_NAMES: ReadonlySet<string> = new Set(["documentId", "locale"]);

/** Undefined if the document does not exist, or lacks a value. Throws an ApplicationError for unknown placeholders. */
async function readSiteUrl(
  context: DocumentsContext,
  type: ContentType,
  pattern: string,
  { documentId, locale }: { readonly documentId: string; readonly locale: string | undefined },
): Promise<string | undefined> {
  const names = [...pattern.matchAll(PLACEHOLDER)].map(([, name = ""]) => name);
  for (const name of names) {
    const attribute = type.attributes.get(name);
    if (!SYSTEM_NAMES.has(name) && !(attribute?.kind === "scalar" && !attribute.private && !attribute.type.isSecret))
      throw applicationError(
        `config/galley.json, admin.sites: ${type.uid} has no attribute ${name} that a URL may show`,
      );
  }
  const params = { documentId, ...(type.localized && locale ? { locale } : {}), status: "published" };
  const found = await context.documents(type).findOne(params);
  if (!found || names.some((name) => (found[name] ?? "") === "")) return undefined;
  return pattern.replace(PLACEHOLDER, (_, name: string) => encodeURIComponent(String(found[name])));
}

/**
 * Throws a ValidationError for parameters that are not strings, an unknown type and a missing document; a NotFoundError for a single type
 * without content.
 */
function readPreviewParams(context: DocumentsContext, uid: string, query: Params): PreviewParams {
  const { documentId, locale, status } = checkBody(objectOf({ documentId: text, locale: text, status: text }), query);
  const type = context.model.types.get(uid);
  if (!type) throw validationError("Invalid content type");
  const isSingle = type.kind === "singleType";
  if (!isSingle && !documentId) throw validationError("documentId is required for Collection Types");
  const id = isSingle ? findDocumentId(context, type) : documentId;
  if (id === undefined) throw notFound("Document not found");
  const localeParam = locale === undefined ? {} : { locale };
  return { documentId: id, ...localeParam, status: status || editedStatus(type) };
}

/** Undefined if previews are disabled, or the type has none. */
async function previewUrl({ isEnabled, handler }: PreviewSettings, uid: string, params: PreviewParams) {
  if (!isEnabled || !handler) return undefined;
  try {
    return await handler(uid, params);
  } catch (error) {
    logError(error);
    throw applicationError("Failed to get preview URL");
  }
}

export const previewRoutes = (services: AdminServices): AdminRoute[] => [
  route("GET", "/content-manager/preview/url/:contentType", async ({ params, query }) => {
    const uid = params.contentType ?? "";
    const previewParams = readPreviewParams(services.context, uid, query());
    const settings = services.preview();
    if (settings.isEnabled && !settings.handler) throw notFound("Preview config not found");
    const url = await previewUrl(settings, uid, previewParams);
    return url ? ok({ data: { url } }) : { status: 204 };
  }),
];

/** Throws an ApplicationError for what a browser should not open. */
function parseUrl(url: unknown): URL {
  const parsed = URL.canParse(String(url)) ? new URL(String(url)) : undefined;
  if (parsed && /^https?:$/.test(parsed.protocol)) return parsed;
  throw applicationError("The preview's URL does not begin with http:// or https://: see preview of config/admin");
}

/** `isFramed`: the page may show it beside the form. Null: the document has no URL. */
export const pagePreviewRoutes = ({ context, settings, preview }: AdminServices): AdminRoute[] => [
  route("GET", `${API_PATH}/preview/:contentType`, async ({ params, query }) => {
    const uid = params.contentType ?? "";
    const previewParams = readPreviewParams(context, uid, query());
    const url = await previewUrl(preview(), uid, previewParams);
    if (url) {
      const parsed = parseUrl(url);
      return ok({ data: { url: parsed.href, isFramed: isFramed(preview(), parsed) } });
    }
    const pattern = settings.galley.admin?.sites?.[uid];
    if (pattern === undefined) return ok({ data: null });
    const { documentId, locale } = previewParams as { readonly documentId: string; readonly locale?: string };
    const site = await readSiteUrl(context, contentType(context.model, uid), pattern, { documentId, locale });
    return ok({ data: site === undefined ? null : { url: parseUrl(site).href, isFramed: false } });
  }),
];
