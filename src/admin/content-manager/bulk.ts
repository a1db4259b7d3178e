/** Actions on many documents of a type. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { manyLocales } from "../../engine/documents/document-reads.ts";
import type { Documents } from "../../engine/documents/documents.ts";
import { readSort } from "../../engine/query/list-params.ts";
import type { Scope } from "../../engine/query/where.ts";
import type { ContentType } from "../../engine/schema/model.ts";
import { notFound } from "../../lib/errors.ts";
import { type AdminCall, type AdminRoute, ok, route } from "../call.ts";
import { documentIdsOf, editedStatus, ofDocuments, readRows } from "../read-rows.ts";
import { withoutSecretKeys } from "./conditions.ts";
import { countDraftRelations } from "./draft-relations.ts";
import { type Access, bodyWithLocale, findContentType, readDimensions, readDocumentIds, readLocales } from "./input.ts";
import { type KeptReason, keepDocuments } from "./kept-documents.ts";
import { shownDocument } from "./shown-document.ts";
import { recordVersions } from "./snapshot.ts";
import { readVersions } from "./versions.ts";
import { wholeQuery } from "./whole-query.ts";

const FIELDS = { fields: ["documentId"] };
const MAX_IDS = 1000;

interface BulkCall {
  readonly type: ContentType;
  readonly service: Documents;
  /** Of the documents, each once. */
  readonly ids: readonly string[];
  /** The same as they were sent. */
  readonly sentIds: readonly string[];
  readonly body: Readonly<Record<string, unknown>>;
}

export function bulkRoutes(context: DocumentsContext): AdminRoute[] {
  const bulk = (name: string, access: Access, run: (call: BulkCall) => Promise<unknown> | unknown): AdminRoute =>
    route("POST", `/content-manager/collection-types/:model/actions/${name}`, async (call: AdminCall) => {
      const type = findContentType(context.model, call.params.model, access);
      const body = await bodyWithLocale(context, call, type);
      const sentIds = readDocumentIds(body).slice(0, MAX_IDS);
      const ids = [...new Set(sentIds)];
      return ok(await run({ type, ids, sentIds, body, service: context.documents(type) }));
    });
  /** The documents of a request that exist in a locale. */
  const existingIn = ({ type, ids }: BulkCall, locale: string | undefined): string[] => {
    const versions = readVersions(context, type, ids).filter((row) => locale === undefined || row.locale === locale);
    const existingIds = new Set(documentIdsOf(versions));
    return ids.filter((id) => existingIds.has(id));
  };
  /** What is not deleted or unpublished after all is not offered to be restored, since it is still there. */
  const keep = ({ type, ids }: BulkCall, locales: Scope["locales"], reason: KeptReason): Promise<void> =>
    context.storage.write(() => keepDocuments(context, type, ids, { locales, reason }));
  const changeVersions = async (call: BulkCall, action: "publish" | "unpublish") => {
    const { type, service, ids, sentIds, body } = call;
    const locale = readLocales(body);
    // also for types without drafts, where Strapi fails only with documents that exist
    if (action === "unpublish" && existingIn(call, undefined).length === 0) return { count: 0 };
    const locales = manyLocales(context, type, { locale });
    if (action === "unpublish") await keep(call, locales, "unpublished");
    // Strapi counts a document that is published twice twice
    const count = await service.each(action, action === "publish" ? sentIds : ids, { ...FIELDS, locale });
    await recordVersions(context, type, ids, locales);
    return { count };
  };
  return [
    bulk("bulkPublish", "change", (call) => changeVersions(call, "publish")),
    bulk("bulkUnpublish", "change", (call) => changeVersions(call, "unpublish")),
    bulk("bulkDelete", "change", async (call) => {
      const { locale } = readDimensions(call.body);
      const existing = existingIn(call, call.type.localized ? locale : undefined);
      if (existing.length === 0) throw notFound();
      await keep({ ...call, ids: existing }, manyLocales(context, call.type, { locale }), "deleted");
      await call.service.each("delete", existing, { ...FIELDS, locale });
      return { count: existing.length };
    }),
    bulk("bulkFindForValidation", "read", ({ type, ids, body }) => {
      const { model } = context;
      const sort = withoutSecretKeys(readSort(model, type, body.sort), type);
      const query = { ...wholeQuery(model, type, "written"), where: ofDocuments(ids), sort };
      const locales = manyLocales(context, type, { locale: readLocales(body) });
      const rows = readRows(context, editedStatus(type), query, { locales });
      return {
        results: rows.map((row) => ({ ...shownDocument(model, type, row), localizations: row.localizations ?? [] })),
      };
    }),
    route(
      "GET",
      "/content-manager/collection-types/:model/actions/countManyEntriesDraftRelations",
      ({ params, query }) => {
        const type = findContentType(context.model, params.model);
        const { documentIds, locale } = query();
        const ids = [documentIds ?? []].flat().map(String).slice(0, MAX_IDS);
        if (readVersions(context, type, ids).length === 0) throw notFound();
        const counts = countDraftRelations(context, type, ids, readLocales({ locale }));
        return ok({ data: counts.unpublishedRelations + counts.draftM2mLinks });
      },
    ),
  ];
}
