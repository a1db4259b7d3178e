/** Reads rows of types as the administrator sees them, who may read all. */
import type { DocumentsContext } from "../engine/documents/context.ts";
import { trustedQuery } from "../engine/query/check-query.ts";
import type { Status } from "../engine/query/reading.ts";
import { findRows } from "../engine/query/run.ts";
import type { Document } from "../engine/query/select.ts";
import { type Condition, DOCUMENT_ID, type Query } from "../engine/query/tree.ts";
import type { Scope } from "../engine/query/where.ts";
import type { ContentType } from "../engine/schema/model.ts";

/** `status`: undefined for all versions. */
export const readRows = (
  { storage, model }: DocumentsContext,
  status: Status | undefined,
  query: Query,
  scope: Scope = { locales: undefined },
): Document[] => findRows({ storage, model, status }, trustedQuery(query), scope);

export const ofDocuments = (documentIds: readonly string[]): Condition => ({
  kind: "compare",
  field: DOCUMENT_ID,
  operator: "$in",
  operand: documentIds,
});

export const documentIdsOf = (rows: readonly Document[]): string[] =>
  rows.map(({ documentId }) => documentId as string);

/** The status of the versions that are edited. */
export const editedStatus = ({ draftAndPublish }: ContentType): Status => (draftAndPublish ? "draft" : "published");
