/** Types that the panel does not show and that have no rows of content: scripts read who the administrator is. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { releaseTypes } from "../../engine/schema/builtin/administration.ts";
import { CREATOR } from "../../engine/schema/builtin/creator.ts";
import { notFound } from "../../lib/errors.ts";
import { administratorRow } from "../administrator.ts";
import { type AdminCall, type AdminResponse, type AdminRoute, ok } from "../call.ts";
import { createPages, readPages } from "./list.ts";
import { NO_META } from "./versions.ts";

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
export const withAdministration = (context: DocumentsContext, row: AdminRoute): AdminRoute => ({
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
