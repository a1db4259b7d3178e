/** `/admin/api/trash`: deleted documents, and what was unpublished. */
import type { DocumentsContext } from "../../../engine/documents/context.ts";
import type { Document } from "../../../engine/query/select.ts";
import type { ContentType } from "../../../engine/schema/model.ts";
import { quote } from "../../../engine/storage/sql.ts";
import { filledString } from "../../../lib/coerce.ts";
import { ApiError, notFound, validationError } from "../../../lib/errors.ts";
import { objectBody } from "../../body.ts";
import { type AdminCall, type AdminRoute, type Body, ok, route } from "../../call.ts";
import { API_PATH } from "../../session/session.ts";
import { restoredData } from "../history/history.ts";
import { findContentType, readDocumentIds } from "../input.ts";
import {
  type DeletedDocument,
  findKept,
  forgetKept,
  type KeptDocument,
  type KeptReason,
  listDeleted,
} from "../kept-documents.ts";
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
async function restoreKept(
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

const PATH = `${API_PATH}/trash`;
const MAX_SHOWN = 500;
/** Each is a transaction of its own. */
const MAX_RESTORED = 100;

const reasons: ReadonlySet<unknown> = new Set<KeptReason>(["deleted", "unpublished"]);

interface Target {
  readonly type: ContentType;
  readonly documentIds: readonly string[];
  readonly locale: string | null;
  readonly reason: KeptReason;
}

export function trashRoutes(context: DocumentsContext): AdminRoute[] {
  const { storage, model } = context;
  const isGone = ({ contentType, documentId, locale }: DeletedDocument): boolean => {
    const type = model.types.get(contentType);
    return type !== undefined && !new Writes(context, type).existsIn(documentId, locale ?? undefined);
  };
  const readTarget = async (call: AdminCall): Promise<Target> => {
    const body: Body = await objectBody(call);
    const type = findContentType(model, filledString(body.contentType), "change");
    const { reason = "deleted" } = body;
    if (!reasons.has(reason)) throw validationError("reason must be deleted or unpublished");
    return {
      type,
      documentIds: [...new Set(readDocumentIds({ documentIds: body.documentIds }))].slice(0, MAX_RESTORED),
      locale: type.localized ? (filledString(body.locale) ?? context.defaultLocale()) : null,
      reason: reason as KeptReason,
    };
  };
  return [
    route("GET", PATH, () => ok({ results: listDeleted(context).values().filter(isGone).take(MAX_SHOWN).toArray() })),
    route("POST", `${PATH}/restore`, async (call) => {
      const { type, documentIds, locale, reason } = await readTarget(call);
      const refused: { documentId: string; message: string }[] = [];
      let restored = 0;
      for (const documentId of documentIds) {
        try {
          if (await restoreKept(context, type, { documentId, locale }, reason)) restored++;
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          refused.push({ documentId, message: error.message });
        }
      }
      return ok({ restored, refused });
    }),
    route("POST", `${PATH}/forget`, async (call) => {
      const { type, documentIds, locale, reason } = await readTarget(call);
      await storage.write(() => {
        for (const documentId of documentIds)
          forgetKept(storage, { contentType: type.uid, documentId, locale }, reason);
      });
      return ok({ forgotten: documentIds.length });
    }),
  ];
}
