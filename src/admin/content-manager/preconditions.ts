/**
 * Preconditions of a write, which Strapi ignores. `If-Match`: `"<updatedAt>"` of the version that it is based on. `If-None-Match: *`:
 * the version does not exist yet, so that a create request that names the id of its document can be repeated.
 */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import type { ContentType } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import { ApiError } from "../../lib/errors.ts";
import { editedStatus } from "../read-rows.ts";

/** Throws a PreconditionFailedError if the stored version is another one. Call it in the transaction of the write. */
export type UnchangedCheck = (documentId: string | undefined, locale: string | undefined) => void;

const TAG = /^\s*"([^"]*)"\s*$/;

const changed = (updatedAt: unknown): ApiError =>
  new ApiError("PreconditionFailedError", "This document was saved by somebody else in the meantime", {
    updatedAt: updatedAt ?? null,
  });

/** Without a header nothing is checked. Throws a BadRequestError for a malformed one. */
export function unchangedCheck(context: DocumentsContext, type: ContentType, { headers }: Request): UnchangedCheck {
  const ifNone = headers.get("if-none-match");
  if (ifNone !== null) return absenceCheck(context, type, ifNone);
  const header = headers.get("if-match");
  if (header === null) return () => {};
  const [, basedOn] = TAG.exec(header) ?? [];
  if (basedOn === undefined) throw new ApiError("BadRequestError", "If-Match must be one time in quotes");
  return versionCheck(context, type, basedOn);
}

function absenceCheck(context: DocumentsContext, type: ContentType, header: string): UnchangedCheck {
  if (header.trim() !== "*") throw new ApiError("BadRequestError", "If-None-Match must be *");
  return (documentId, locale) => {
    const found = storedTime(context, type, documentId, locale);
    if (found !== undefined)
      throw new ApiError("PreconditionFailedError", "This document exists already", { updatedAt: found });
  };
}

/** `updatedAt` of the version that is edited. */
function storedTime(
  context: DocumentsContext,
  type: ContentType,
  documentId: string | undefined,
  locale: string | undefined,
): unknown {
  const sql = `SELECT updated_at FROM ${quote(type.table)} WHERE document_id = ? AND locale IS ? AND status = ?`;
  const stored = type.localized ? (locale ?? context.defaultLocale()) : null;
  return context.storage.first(sql, [documentId ?? "", stored, editedStatus(type)])?.[0];
}

/** `basedOn`: `updatedAt` of the expected version. */
export function versionCheck(context: DocumentsContext, type: ContentType, basedOn: string): UnchangedCheck {
  return (documentId, locale) => {
    const found = storedTime(context, type, documentId, locale);
    if (found !== basedOn) throw changed(found);
  };
}
