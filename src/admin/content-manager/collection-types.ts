/** `/content-manager/collection-types`: documents of collection types. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { USER } from "../../engine/schema/builtin/index.ts";
import type { ContentType } from "../../engine/schema/model.ts";
import { ApiError, notFound } from "../../lib/errors.ts";
import { type AdminCall, type AdminResponse, type AdminRoute, route as adminRoute, ok } from "../call.ts";
import { isReadable, readAdministration } from "./administration.ts";
import { bulkRoutes } from "./bulk.ts";
import { prohibitedFields } from "./clone-fields.ts";
import { countDraftRelations } from "./draft-relations.ts";
import { bodyWithOneLocale, checkQueryLocale, findContentType, readDimensions } from "./input.ts";
import { listDocuments } from "./list.ts";
import { unchangedCheck } from "./preconditions.ts";
import { createUser, updateUser } from "./users.ts";
import { readMeta } from "./versions.ts";
import { Writes } from "./writes.ts";

const UNCLONABLE =
  "Entity could not be cloned as it has unique and/or relational fields. Please edit those fields manually and save to complete the cloning.";

/** The paths of documents that are read. */
const READS = ["", "/:id"];

/** The argument of a handler. */
interface TypeCall extends AdminCall {
  readonly type: ContentType;
  readonly writes: Writes;
  /** Of the document; empty for routes without one. */
  readonly id: string;
}

export function collectionTypeRoutes(context: DocumentsContext): AdminRoute[] {
  const route = (
    method: AdminRoute["method"],
    path: string,
    handle: (call: TypeCall) => AdminResponse | Promise<AdminResponse>,
  ): AdminRoute =>
    adminRoute(method, `/content-manager/collection-types/:model${path}`, (call) => {
      const uid = call.params.model;
      if (isReadable(uid) && READS.includes(path) && method === "GET") return readAdministration(context, uid, call);
      const type = findContentType(context.model, uid, method === "GET" ? "read" : "change");
      if (method === "POST" || method === "PUT") checkQueryLocale(context, type, call);
      const id = call.params.id ?? call.params.sourceId ?? "";
      return handle({
        ...call,
        type,
        id,
        writes: new Writes(context, type, unchangedCheck(context, type, call.request)),
        body: bodyWithOneLocale(context, call, type),
      });
    });
  const clone = async ({ writes, id, body }: TypeCall): Promise<AdminResponse> =>
    ok(await writes.clone(id, await body()));
  return [
    route("GET", "", async ({ type, query }) => ok(await listDocuments(context, type, query()))),
    route("POST", "", async ({ type, writes, body }) => {
      const input = await body();
      if (type.uid === USER) return { status: 201, body: await createUser(context, writes, input) };
      return { status: 201, body: writes.envelope(await writes.create(input), true) };
    }),
    route("POST", "/clone/:sourceId", clone),
    route("POST", "/auto-clone/:sourceId", (call) => {
      const prohibited = prohibitedFields(context.model, call.type);
      if (prohibited.length === 0) return clone(call);
      throw new ApiError("MissingInputError", UNCLONABLE, { prohibitedFields: prohibited });
    }),
    route("POST", "/actions/publish", async ({ writes, body }) =>
      ok(writes.envelope(await writes.publish(undefined, await body()))),
    ),
    ...bulkRoutes(context),
    route("GET", "/:id", ({ type, writes, id, query }) => {
      const params = query();
      const { locale, status = "draft" } = readDimensions(params);
      const found = writes.find(id, locale, status, "document", params.populate);
      if (found) return ok(writes.envelope(found));
      if (!writes.exists(id)) throw notFound();
      // the document exists, but not in this version or locale
      const missing = { documentId: id, locale: type.localized ? (locale ?? null) : null, publishedAt: null };
      return ok({ data: {}, meta: readMeta(context, type, missing, { withStatus: false }).meta });
    }),
    route("PUT", "/:id", async ({ type, writes, id, body }) => {
      const input = await body();
      if (type.uid === USER) return ok(await updateUser(context, writes, id, input));
      return ok(writes.envelope(await writes.update(id, input)));
    }),
    route("DELETE", "/:id", async ({ writes, id, query }) => {
      await writes.delete(id, readDimensions(query()).locale);
      return ok({});
    }),
    route("POST", "/:id/actions/publish", async ({ writes, id, body }) =>
      ok(writes.envelope(await writes.publish(id, await body()))),
    ),
    route("POST", "/:id/actions/unpublish", async ({ writes, id, body }) =>
      ok(await writes.unpublish(id, await body())),
    ),
    route("POST", "/:id/actions/discard", async ({ writes, id, body }) => ok(await writes.discard(id, await body()))),
    route("GET", "/:id/actions/countDraftRelations", ({ type, writes, id, query }) => {
      const { locale } = readDimensions(query());
      // Strapi looks for the document only if the permission depends on the locale
      if (type.localized && !writes.exists(id)) throw notFound();
      return ok({ data: countDraftRelations(context, type, [id], locale) });
    }),
  ];
}
