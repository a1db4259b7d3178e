/** `/content-manager/single-types`: the one document of a type. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import type { ContentType } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import { notFound } from "../../lib/errors.ts";
import { type AdminCall, type AdminResponse, type AdminRoute, route as adminRoute, ok } from "../call.ts";
import { countDraftRelations } from "./draft-relations.ts";
import { bodyWithOneLocale, checkQueryLocale, findContentType, readDimensions } from "./input.ts";
import { unchangedCheck } from "./preconditions.ts";
import { NO_META, readMeta } from "./versions.ts";
import { Writes } from "./writes.ts";

interface SingleCall extends AdminCall {
  readonly type: ContentType;
  readonly writes: Writes;
  /** Undefined where there is no document yet. */
  readonly id: string | undefined;
}

/** The document of a type: that of its oldest row. */
export function findDocumentId({ storage }: DocumentsContext, { table, localized }: ContentType): string | undefined {
  const locale = localized ? "NOT NULL" : "NULL";
  const sql = `SELECT document_id FROM ${quote(table)} WHERE locale IS ${locale} ORDER BY id LIMIT 1`;
  return storage.first(sql)?.[0] as string | undefined;
}

export function singleTypeRoutes(context: DocumentsContext): AdminRoute[] {
  const route = (
    method: AdminRoute["method"],
    path: string,
    handle: (call: SingleCall) => AdminResponse | Promise<AdminResponse>,
  ): AdminRoute =>
    adminRoute(method, `/content-manager/single-types/:model${path}`, (call) => {
      const type = findContentType(context.model, call.params.model, method === "GET" ? "read" : "change");
      if (method === "POST" || method === "PUT") checkQueryLocale(context, type, call);
      return handle({
        ...call,
        type,
        id: findDocumentId(context, type),
        writes: new Writes(context, type, unchangedCheck(context, type, call.request)),
        body: bodyWithOneLocale(context, call, type),
      });
    });
  return [
    route("GET", "", ({ type, writes, id, query }) => {
      const { locale, status = "draft" } = readDimensions(query());
      if (id === undefined) throw notFound();
      const found = writes.find(id, locale, status, "single");
      if (found) return ok(writes.envelope(found));
      const missing = { documentId: id, locale: type.localized ? (locale ?? null) : null, publishedAt: null };
      return ok({ data: {}, meta: readMeta(context, type, missing, { withStatus: false }).meta });
    }),
    route("PUT", "", async ({ writes, id, body }) => {
      const data = await body();
      return ok(writes.envelope(id === undefined ? await writes.create(data) : await writes.update(id, data)));
    }),
    route("DELETE", "", async ({ writes, id, query }) => {
      const { locale } = readDimensions(query());
      if (id === undefined) throw notFound();
      await writes.delete(id, locale);
      return ok({});
    }),
    route("POST", "/actions/publish", async ({ writes, id, body }) =>
      ok(writes.envelope(await writes.publish(id, await body()))),
    ),
    route("POST", "/actions/unpublish", async ({ writes, id, body }) => {
      if (id === undefined) throw notFound();
      const data = await body();
      const { locale } = readDimensions(data);
      // a document without a published version is no error here, unlike in a collection
      if (writes.find(id, locale) && !writes.find(id, locale, "published")) return ok({ meta: NO_META });
      return ok(await writes.unpublish(id, data));
    }),
    route("POST", "/actions/discard", async ({ writes, id, body }) => {
      if (id === undefined) throw notFound();
      return ok(await writes.discard(id, await body()));
    }),
    route("GET", "/actions/countDraftRelations", ({ type, id, query }) => {
      if (id === undefined) throw notFound();
      return ok({ data: countDraftRelations(context, type, [id], readDimensions(query()).locale) });
    }),
  ];
}
