/** Detects changes of published content. Edits of drafts do not count. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import type { ContentType } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import { exportedTypes } from "./entities.ts";

/** Publishing inserts a row, unpublishing and deleting remove one, and all other writes change a time. */
const buildStatement = ({ table }: ContentType): string =>
  `SELECT count(*), max(id), max(updated_at), max(published_at) FROM ${quote(table)} WHERE status = 'published'`;

/** A fingerprint that changes whenever a published row is written or removed. One statement per content-type. */
export const publishedMark = ({ storage, model }: DocumentsContext): string =>
  Bun.hash(JSON.stringify(exportedTypes(model).map((type) => storage.all(buildStatement(type))))).toString(36);
