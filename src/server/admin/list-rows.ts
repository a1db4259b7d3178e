/**
 * The rows of a list of the admin page. The request consists of the list's URL, so that the page sends it before it knows the
 * type: the columns are those that the page shows.
 */
import { type AdminRoute, ok, route } from "../../admin/call.ts";
import { shownType } from "../../admin/content-manager/configuration/shown-type.ts";
import { shownMainField } from "../../admin/content-manager/configuration/stored-view.ts";
import { findContentType } from "../../admin/content-manager/input.ts";
import { listDocuments } from "../../admin/content-manager/list.ts";
import type { AdminServices } from "../../admin/services.ts";
import { API_PATH } from "../../admin/session/session.ts";
import type { Params } from "../../engine/query/parse.ts";
import type { ContentType } from "../../engine/schema/model.ts";
import { stringOrNone } from "../../lib/coerce.ts";
import { notFound } from "../../lib/errors.ts";
import { DEFAULT_SORT, isStatus, type ListedType, listColumns } from "../../ui/list/columns.ts";

/** Relations and media are in every row, as a number or a file, and passwords in none. */
const isField = (type: string | undefined): boolean => type !== "relation" && type !== "media" && type !== "password";

/** Fields from which the status of a document is determined. */
const STATUS_FIELDS = ["publishedAt", "updatedAt", "locale"];

/** The parameters of the content manager for those of a URL. Like the page, it ignores a status or locale that the type does not have. */
function listParams(type: ContentType, listed: ListedType, query: Params): Params {
  const { q, sort, status, locale, columns, filters, page, pageSize } = query;
  const names = listColumns(listed, stringOrNone(columns));
  const statusFilter = type.draftAndPublish && isStatus(status) ? { __status: { $eq: status } } : undefined;
  return {
    _q: q,
    sort: sort ?? DEFAULT_SORT,
    page,
    pageSize,
    locale: type.localized ? locale : undefined,
    fields: [
      "documentId",
      ...STATUS_FIELDS.filter((name) => type.attributes.has(name)),
      ...names.filter((name) => isField(listed.attributes[name]?.type)),
    ],
    filters: statusFilter ? { $and: [statusFilter, ...(filters ? [filters] : [])] } : filters,
  };
}

export const listRowsRoutes = ({ context, schema }: AdminServices): AdminRoute[] => [
  route("GET", `${API_PATH}/lists/:uid`, async ({ params: { uid }, query }) => {
    const raw = schema.types.find((type) => type.uid === uid);
    if (!raw) throw notFound();
    const type = findContentType(context.model, uid);
    const { attributes } = shownType(raw, context.model, { polymorphic: true });
    return ok(
      await listDocuments(
        context,
        type,
        listParams(type, { attributes, mainField: shownMainField(context.storage, type) }, query()),
      ),
    );
  }),
];
