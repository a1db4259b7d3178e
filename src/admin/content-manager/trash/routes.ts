/** `/admin/api/trash`: deleted documents, and what was unpublished. */
import type { DocumentsContext } from "../../../engine/documents/context.ts";
import type { ContentType } from "../../../engine/schema/model.ts";
import { filledString } from "../../../lib/coerce.ts";
import { ApiError, validationError } from "../../../lib/errors.ts";
import { objectBody } from "../../body.ts";
import { type AdminCall, type AdminRoute, type Body, ok, route } from "../../call.ts";
import { API_PATH } from "../../session/session.ts";
import { findContentType, readDocumentIds } from "../input.ts";
import { type DeletedDocument, forgetKept, type KeptReason, listDeleted } from "../kept-documents.ts";
import { Writes } from "../writes.ts";
import { restoreKept } from "./restore.ts";

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
