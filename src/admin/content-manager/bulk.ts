/** Actions on many documents of a type. */
import type { DocumentsContext } from "../../documents/context.ts";
import { DocumentService } from "../../documents/document-service.ts";
import { manyLocales } from "../../documents/scope.ts";
import { notFound } from "../../errors.ts";
import { ownQuery } from "../../query/check-query.ts";
import { findRows } from "../../query/run.ts";
import { readSort } from "../../query/sort.ts";
import { DOCUMENT_ID } from "../../query/tree.ts";
import type { ContentType } from "../../schema/model.ts";
import { type AdminCall, type AdminRoute, ok } from "../call.ts";
import { countDraftRelations } from "./draft-relations.ts";
import { withCreators } from "./envelope.ts";
import { modelOf, readDimensions, readDocumentIds, readLocales } from "./input.ts";
import { readVersions } from "./versions.ts";
import { wholeQuery } from "./whole-query.ts";

const FIELDS = { fields: ["documentId"] };
const MAX_IDS = 1000;

interface BulkCall {
  readonly type: ContentType;
  readonly service: DocumentService;
  readonly ids: readonly string[];
  readonly body: Readonly<Record<string, unknown>>;
}

/** How many versions an action on each document has changed. */
async function countEach(
  { ids }: BulkCall,
  run: (documentId: string) => Promise<{ readonly entries: readonly unknown[] }>,
): Promise<number> {
  let count = 0;
  for (const id of ids) count += (await run(id)).entries.length;
  return count;
}

export function bulkRoutes(context: DocumentsContext): AdminRoute[] {
  const bulk = (name: string, run: (call: BulkCall) => Promise<unknown> | unknown): AdminRoute => ({
    method: "POST",
    path: `/content-manager/collection-types/:model/actions/${name}`,
    handle: async (call: AdminCall) => {
      const type = modelOf(context.model, call.params.model);
      const body = await call.body();
      const ids = readDocumentIds(body).slice(0, MAX_IDS);
      return ok(await run({ type, ids, body, service: new DocumentService(context, type) }));
    },
  });
  const thereOf = ({ type, ids }: BulkCall): string[] => {
    const there = new Set(readVersions(context, type, ids).map(({ documentId }) => documentId as string));
    return ids.filter((id) => there.has(id));
  };
  return [
    bulk("bulkPublish", async (call) => {
      const locale = readLocales(call.body);
      return {
        count: await countEach(call, (documentId) => call.service.publish({ ...FIELDS, documentId, locale })),
      };
    }),
    bulk("bulkUnpublish", async (call) => {
      const locale = readLocales(call.body);
      return {
        count: await countEach(call, (documentId) => call.service.unpublish({ ...FIELDS, documentId, locale })),
      };
    }),
    bulk("bulkDelete", async (call) => {
      const { locale } = readDimensions(call.body);
      const there = thereOf(call);
      if (there.length === 0) throw notFound();
      for (const documentId of there) await call.service.delete({ ...FIELDS, documentId, locale });
      return { count: there.length };
    }),
    bulk("bulkFindForValidation", ({ type, ids, body }) => {
      const { storage, model } = context;
      const where = { kind: "compare", field: DOCUMENT_ID, operator: "$in", operand: ids } as const;
      const sort = readSort(model, type, body.sort);
      const query = ownQuery({ ...wholeQuery(model, type, "written"), where, sort });
      const locales = manyLocales(context, type, { locale: readLocales(body) });
      const status = type.draftAndPublish ? "draft" : "published";
      return { results: findRows({ storage, model, status }, query, { locales }).map(withCreators) };
    }),
    {
      method: "GET",
      path: "/content-manager/collection-types/:model/actions/countManyEntriesDraftRelations",
      handle: ({ params, query }) => {
        const type = modelOf(context.model, params.model);
        const { documentIds, locale } = query();
        const ids = [documentIds ?? []].flat().map(String).slice(0, MAX_IDS);
        if (readVersions(context, type, ids).length === 0) throw notFound();
        const counts = countDraftRelations(context, type, ids, readDimensions({ locale }).locale);
        return ok({ data: counts.unpublishedRelations + counts.draftM2mLinks });
      },
    },
  ];
}
