/** `/content-manager/single-types`: the one document of a type. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import type { ContentType } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import { notFound } from "../../lib/errors.ts";
import { whenReady } from "../../lib/when-ready.ts";
import { type AdminRoute, ok } from "../call.ts";
import { editedStatus } from "../read-rows.ts";
import { documentRoutes, missingVersion } from "./document-calls.ts";
import { countDraftRelations } from "./draft-relations.ts";
import { readDimensions } from "./input.ts";
import { interceptRows } from "./intercepted-reads.ts";
import { NO_META } from "./versions.ts";

/** The document of a type: that of its oldest row. */
export function findDocumentId({ storage }: DocumentsContext, { table, localized }: ContentType): string | undefined {
  const locale = localized ? "NOT NULL" : "NULL";
  const sql = `SELECT document_id FROM ${quote(table)} WHERE locale IS ${locale} ORDER BY id LIMIT 1`;
  return storage.first(sql)?.[0] as string | undefined;
}

export function singleTypeRoutes(context: DocumentsContext): AdminRoute[] {
  // undefined where there is no document yet
  const route = documentRoutes(context, "single-types", (_, type) => findDocumentId(context, type));
  return [
    route("GET", "", ({ type, writes, id, query }) => {
      const { locale, status } = readDimensions(query());
      if (id === undefined) throw notFound();
      const stored = writes.find(id, locale, status, "single");
      const dimensions = { locale, status: status ?? editedStatus(type) };
      // a list, as in Strapi
      const shown = interceptRows(context, type, stored ? [stored] : [], "findMany", dimensions);
      return whenReady(shown, ([found]) =>
        found ? ok(writes.envelope(found)) : missingVersion(context, type, id, locale),
      );
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
