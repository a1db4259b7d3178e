/** Builds responses of the content manager: documents with creators, status and `meta`. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import type { Status } from "../../engine/query/reading.ts";
import type { Document } from "../../engine/query/select.ts";
import type { Scope } from "../../engine/query/where.ts";
import type { ContentType } from "../../engine/schema/model.ts";
import { readRows } from "../read-rows.ts";
import { shownDocument } from "./shown-document.ts";
import { computeState, counterpart, type Meta, NO_META, readMeta } from "./versions.ts";
import { populateNamed, type View, wholeQuery } from "./whole-query.ts";

export interface Enveloped {
  readonly data: Document;
  readonly meta: Meta;
}

/** A version of a document with all attributes; undefined if there is none. `populate`: of the request. */
export function readDocument(
  context: DocumentsContext,
  type: ContentType,
  status: Status,
  scope: Scope,
  view: View = "document",
  populate?: unknown,
): Document | undefined {
  const query = populateNamed(wholeQuery(context.model, type, view), populate);
  return readRows(context, status, { ...query, limit: 1 }, scope)[0];
}

/** `isNew`: there are no other versions to load. */
export function envelope(context: DocumentsContext, type: ContentType, document: Document, isNew = false): Enveloped {
  const { meta, versions } = isNew ? { meta: NO_META, versions: [] } : readMeta(context, type, document);
  const data = shownDocument(context.model, type, document);
  if (Array.isArray(data.localizations)) {
    data.localizations = data.localizations.map((row: Document) => ({
      ...row,
      status: computeState(row, counterpart(versions, row)),
    }));
  } else data.localizations ??= [];
  if (type.draftAndPublish) data.status = computeState(document, meta.availableStatus[0]);
  return { data, meta };
}
