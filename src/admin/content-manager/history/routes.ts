/** `/content-manager/history-versions`: versions of documents, in the format of Strapi's licensed editions. */

import type { DocumentsContext } from "../../../engine/documents/context.ts";
import type { ContentType } from "../../../engine/schema/model.ts";
import { filledString } from "../../../lib/coerce.ts";
import { forbidden } from "../../../lib/errors.ts";
import { checkBody } from "../../../lib/shape.ts";
import { objectBody, objectOf, requiredText } from "../../body.ts";
import { type AdminRoute, ok, route } from "../../call.ts";
import { createPages } from "../list.ts";
import { unchangedCheck } from "../preconditions.ts";
import { listHistory, restoreVersion } from "./history.ts";

const PATH = "/content-manager/history-versions";
const PAGE_SIZE = 20;
const MAX_PAGE_SIZE = 100;
const MAX_PAGE = 1_000_000;

/** Numbers out of range are replaced by the default, as in Strapi. */
function readNumber(value: unknown, byDefault: number, max: number): number {
  const number = Number.parseInt(String(value), 10);
  return number >= 1 && number <= max ? number : byDefault;
}

export function historyRoutes(context: DocumentsContext): AdminRoute[] {
  const findType = (uid: unknown): ContentType => {
    const type = typeof uid === "string" ? context.model.types.get(uid) : undefined;
    if (!type) throw forbidden("Forbidden");
    return type;
  };
  return [
    route("GET", PATH, ({ query }) => {
      const params = query();
      const documentId = filledString(params.documentId);
      const isSingle = context.model.types.get(String(params.contentType))?.kind === "singleType";
      if (!filledString(params.contentType) || (documentId === undefined && !isSingle))
        throw forbidden("contentType and documentId are required");
      const page = readNumber(params.page, 1, MAX_PAGE);
      const pageSize = readNumber(params.pageSize, PAGE_SIZE, MAX_PAGE_SIZE);
      const range = { start: (page - 1) * pageSize, limit: pageSize };
      const filter = { documentId, locale: filledString(params.locale) };
      const { results, total } = listHistory(context, findType(params.contentType), filter, range);
      return ok({ data: results, meta: { pagination: createPages(page, pageSize, total) } });
    }),
    route("PUT", `${PATH}/:versionId/restore`, async (call) => {
      const { request, params } = call;
      const { contentType } = checkBody(objectOf({ contentType: requiredText }), await objectBody(call));
      const type = findType(String(contentType).trim());
      const id = /^\d{1,15}$/.test(params.versionId ?? "") ? Number(params.versionId) : 0;
      const documentId = await restoreVersion(context, type, id, unchangedCheck(context, type, request));
      return ok({ data: { documentId } });
    }),
  ];
}
