/**
 * `If-Match` of a write: `"<updatedAt>"` of the version that it is based on. The reference ignores the header.
 */
import type { DocumentsContext } from "../../documents/context.ts";
import { ApiError } from "../../errors.ts";
import type { ContentType } from "../../schema/model.ts";
import { quote } from "../../storage/quote.ts";

/** Throws a PreconditionFailedError if the version has been saved or deleted since. Call it in the transaction of the write. */
export type UnchangedCheck = (documentId: string | undefined, locale: string | undefined) => void;

const TAG = /^\s*"([^"]*)"\s*$/;

const changed = (updatedAt: unknown): ApiError =>
  new ApiError("PreconditionFailedError", "This document was saved by somebody else in the meantime", {
    updatedAt: updatedAt ?? null,
  });

/** Without the header nothing is checked. Throws a BadRequestError for a malformed one. */
export function unchangedCheck(context: DocumentsContext, type: ContentType, { headers }: Request): UnchangedCheck {
  const header = headers.get("if-match");
  if (header === null) return () => {};
  const [, basedOn] = TAG.exec(header) ?? [];
  if (basedOn === undefined) throw new ApiError("BadRequestError", "If-Match must be one time in quotes");
  return versionCheck(context, type, basedOn);
}

/** `basedOn`: `updatedAt` of the expected version. */
export function versionCheck(context: DocumentsContext, type: ContentType, basedOn: string): UnchangedCheck {
  return (documentId, locale) => {
    const { table, localized, draftAndPublish } = type;
    const sql = `SELECT updated_at FROM ${quote(table)} WHERE document_id = ? AND locale IS ? AND status = ?`;
    const found = context.storage.first(sql, [
      documentId ?? "",
      localized ? (locale ?? context.defaultLocale()) : null,
      draftAndPublish ? "draft" : "published",
    ])?.[0];
    if (found !== basedOn) throw changed(found);
  };
}
