/** `admin::user`, a type that the panel does not show: scripts read who the administrator is. */
import type { DocumentsContext } from "../../documents/context.ts";
import { notFound } from "../../errors.ts";
import { ADMINISTRATOR_DOCUMENT_ID, administratorRow } from "../administrator.ts";
import { type AdminCall, type AdminResponse, ok } from "../call.ts";
import { pagesOf, readPages } from "./list.ts";
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

/** A list, or the document that the path names. Throws a NotFoundError for another one. */
export function readAdministrators(context: DocumentsContext, { params, query }: AdminCall): AdminResponse {
  const document = administratorDocument(context);
  if (params.id === undefined) {
    const { page, pageSize, start } = readPages(query());
    return ok({ results: [document].slice(start, start + pageSize), pagination: pagesOf(page, pageSize, 1) });
  }
  if (params.id !== ADMINISTRATOR_DOCUMENT_ID) throw notFound();
  return ok({ data: document, meta: NO_META });
}
