/** `/content-manager/collection-types`: documents of collection types. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { releaseTypes } from "../../engine/schema/builtin/administration.ts";
import { CREATOR } from "../../engine/schema/builtin/creator.ts";
import { USER } from "../../engine/schema/builtin/index.ts";
import type { Attribute, Model, Schema } from "../../engine/schema/model.ts";
import { ApiError, notFound } from "../../lib/errors.ts";
import { whenReady } from "../../lib/when-ready.ts";
import { administratorRow } from "../administrator.ts";
import { type AdminCall, type AdminResponse, type AdminRoute, ok } from "../call.ts";
import { editedStatus } from "../read-rows.ts";
import type { AdminServices } from "../services.ts";
import { bulkRoutes } from "./bulk.ts";
import { type DocumentCall, documentRoutes, missingVersion } from "./document-calls.ts";
import { countDraftRelations } from "./draft-relations.ts";
import { readDimensions } from "./input.ts";
import { interceptRows } from "./intercepted-reads.ts";
import { createPages, listDocuments, readPages } from "./list.ts";
import { createUser, updateUser } from "./users.ts";
import { NO_META } from "./versions.ts";
import { isShown } from "./whole-query.ts";

/** Without secrets, which the administrator does not have. */
const administratorDocument = (context: DocumentsContext) => ({
  ...administratorRow(context),
  resetPasswordTokenExpiresAt: null,
  createdBy: null,
  updatedBy: null,
  roles: { count: 1 },
  apiTokens: { count: 0 },
  localizations: [],
  status: "published",
});

/** By uid. Nothing is released here. Types that are missing here cannot be read. */
const documentReaders: ReadonlyMap<string, (context: DocumentsContext) => readonly { readonly documentId: string }[]> =
  new Map([
    [CREATOR, (context: DocumentsContext) => [administratorDocument(context)]],
    ...releaseTypes.map(({ uid }) => [uid, () => []] as const),
  ]);

/** A route that reads documents of content also reads those of the administration. */
const withAdministration = (context: DocumentsContext, row: AdminRoute): AdminRoute => ({
  ...row,
  handle: (call) => {
    const read = documentReaders.get(call.params.model ?? "");
    return read ? readAdministration(read(context), call) : row.handle(call);
  },
});

/** A list, or the document that the path names. Throws a NotFoundError for another one. */
function readAdministration(
  documents: readonly { readonly documentId: string }[],
  { params, query }: AdminCall,
): AdminResponse {
  if (params.id === undefined) {
    const { page, pageSize, start } = readPages(query());
    const results = documents.slice(start, start + pageSize);
    return ok({ results, pagination: createPages(page, pageSize, documents.length) });
  }
  const document = documents.find(({ documentId }) => documentId === params.id);
  if (!document) throw notFound();
  return ok({ data: document, meta: NO_META });
}

type Prohibited = readonly [path: readonly string[], reason: "unique" | "relation"];

const MAX_LEVEL = 20;

function movesToCopy(attribute: Attribute): boolean {
  if (attribute.kind !== "relation" || !isShown(attribute)) return false;
  const { relation, mappedBy, inversedBy } = attribute.definition;
  return (relation === "oneToOne" || relation === "oneToMany") && (mappedBy ?? inversedBy) !== undefined;
}

/** Attributes that prevent an unchanged copy: unique ones, and relations that would move from the original to the copy. */
function prohibitedFields(model: Model, schema: Schema, path: readonly string[] = []): readonly Prohibited[] {
  if (path.length > MAX_LEVEL) return [];
  return [...schema.attributes.values()].flatMap((attribute): readonly Prohibited[] => {
    const attributePath = [...path, attribute.name];
    switch (attribute.kind) {
      case "relation":
        return movesToCopy(attribute) ? [[attributePath, "relation"]] : [];
      case "component": {
        const inner = model.components.get(attribute.component);
        return inner ? prohibitedFields(model, inner, attributePath) : [];
      }
      case "zone":
        return attribute.components.flatMap((uid) => {
          const inner = model.components.get(uid);
          return inner ? prohibitedFields(model, inner, [...attributePath, inner.displayName]) : [];
        });
      default:
        return attribute.kind === "scalar" && attribute.unique ? [[attributePath, "unique"]] : [];
    }
  });
}

const UNCLONABLE =
  "Entity could not be cloned as it has unique and/or relational fields. Please edit those fields manually and save to complete the cloning.";

export function collectionTypeRoutes(services: Pick<AdminServices, "context" | "settings">): AdminRoute[] {
  const { context } = services;
  // empty for routes without a document
  const route = documentRoutes(context, "collection-types", ({ params }) => params.id ?? params.sourceId ?? "");
  const clone = async ({ writes, id, body }: DocumentCall<string>): Promise<AdminResponse> =>
    ok(await writes.clone(id, await body()));
  const reads = [
    route("GET", "", async ({ type, query }) => ok(await listDocuments(context, type, query()))),
    route("GET", "/:id", ({ type, writes, id, query }) => {
      const params = query();
      const { locale, status } = readDimensions(params);
      const stored = writes.find(id, locale, status, "document", params.populate);
      const dimensions = { locale, status: status ?? editedStatus(type) };
      const shown = interceptRows(context, type, stored ? [stored] : [], "findOne", dimensions);
      return whenReady(shown, ([found]) => {
        if (found) return ok(writes.envelope(found));
        if (!writes.exists(id)) throw notFound();
        return missingVersion(context, type, id, locale);
      });
    }),
  ];
  return [
    ...reads.map((read) => withAdministration(context, read)),
    route("POST", "", async ({ type, writes, body }) => {
      const input = await body();
      if (type.uid === USER) return { status: 201, body: await createUser(services, writes, input) };
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
    route("PUT", "/:id", async ({ type, writes, id, body }) => {
      const input = await body();
      if (type.uid === USER) return ok(await updateUser(services, writes, id, input));
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
