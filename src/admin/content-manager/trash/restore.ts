/** Restores what was deleted or unpublished: a document with its id, and the published version with its text. */
import type { DocumentsContext } from "../../../engine/documents/context.ts";
import type { Document } from "../../../engine/query/select.ts";
import type { ContentType } from "../../../engine/schema/model.ts";
import { quote } from "../../../engine/storage/sql.ts";
import { notFound, validationError } from "../../../lib/errors.ts";
import { restoredData } from "../history/history.ts";
import { findKept, forgetKept, type KeptDocument, type KeptReason } from "../kept-documents.ts";
import { readSnapshots } from "../snapshot.ts";
import { Writes } from "../writes.ts";

/** Of a snapshot, without what differs between the two versions of a document. */
const formatContent = ({ id: _, ...data }: Document): string => JSON.stringify(data);

type Restore = (context: DocumentsContext, type: ContentType, kept: KeptDocument) => Promise<void>;

/** Writes a version: `published` publishes it. */
async function write(
  context: DocumentsContext,
  type: ContentType,
  { documentId, locale }: KeptDocument,
  snapshot: Document,
  status?: "published",
): Promise<void> {
  const writes = new Writes(context, type);
  const body = { ...restoredData(context, type, snapshot), ...(locale === null ? {} : { locale }) };
  const published = type.draftAndPublish ? status : undefined;
  if (writes.exists(documentId)) await writes.update(documentId, body, published);
  else await writes.create({ ...body, documentId }, published);
}

const restorers: Readonly<Record<KeptReason, Restore>> = {
  async deleted(context, type, kept) {
    const { draft, published, documentId, locale, createdAt } = kept;
    if (new Writes(context, type).existsIn(documentId, locale ?? undefined))
      throw validationError("There is a document in its place");
    if (published) await write(context, type, kept, published, "published");
    if (draft && !(published && formatContent(draft) === formatContent(published)))
      await write(context, type, kept, draft);
    const sql = `UPDATE ${quote(type.table)} SET created_at = ? WHERE document_id = ? AND locale IS ?`;
    await context.storage.write(() => context.storage.run(sql, [createdAt, documentId, locale]));
  },
  async unpublished(context, type, kept) {
    const { documentId, locale } = kept;
    if (!kept.published || new Writes(context, type).find(documentId, locale ?? undefined, "published"))
      throw validationError("The document has been published again");
    const [draft] = readSnapshots(context, type, [documentId], [locale], "draft");
    if (!draft) throw notFound();
    await write(context, type, kept, kept.published, "published");
    if (formatContent(draft.data) !== formatContent(kept.published)) await write(context, type, kept, draft.data);
  },
};

/**
 * Restores what was kept last of a document; returns whether there was anything. Throws a ValidationError if its place is taken or its
 * values are not valid any more.
 */
export async function restoreKept(
  context: DocumentsContext,
  type: ContentType,
  document: { readonly documentId: string; readonly locale: string | null },
  reason: KeptReason,
): Promise<boolean> {
  const key = { contentType: type.uid, ...document };
  const kept = findKept(context.storage, key, reason);
  if (!kept) return false;
  await restorers[reason](context, type, kept);
  await context.storage.write(() => forgetKept(context.storage, key, reason));
  return true;
}
