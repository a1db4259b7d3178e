/** What the page's home and navigation tell of all content: what was edited last, drafts that wait, and how much there is. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import type { Document } from "../../engine/query/select.ts";
import { type ContentType, contentType } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import { type AdminRoute, ok, route } from "../call.ts";
import { newest } from "../content-manager/homepage.ts";
import { findMainField } from "../content-manager/main-field.ts";
import { isDisplayed } from "../content-manager/types.ts";
import { editedStatus } from "../read-rows.ts";
import type { AdminServices } from "../services.ts";
import { API_PATH } from "../session/session.ts";

const LIMIT = 8;

/** More documents of a type are not counted: counting takes a time that grows with them. */
const MAX_COUNT = 10_000;

/** As many as the list of the type has at first. */
function countListed(context: DocumentsContext, type: ContentType): number {
  const { table, localized } = type;
  const where = `status = ?${localized ? " AND locale = ?" : ""}`;
  const sql = `SELECT count(*) FROM (SELECT 1 FROM ${quote(table)} WHERE ${where} LIMIT ${MAX_COUNT})`;
  const status = editedStatus(type);
  return context.storage.first(sql, localized ? [status, context.defaultLocale()] : [status])![0] as number;
}

const byTime = (left: Document, right: Document): number => (String(left.updatedAt) < String(right.updatedAt) ? 1 : -1);

export const homeRoutes = ({ context, schema }: AdminServices): AdminRoute[] => {
  const types = (): ContentType[] => schema.types.filter(isDisplayed).map(({ uid }) => contentType(context.model, uid));
  /** The newest of the project's own documents. `filters`: of each, in turn; undefined for all. */
  const find = (...filters: readonly ("never-published" | "modified" | undefined)[]): Document[] =>
    types()
      .filter(({ uid, draftAndPublish }) => uid.startsWith("api::") && (draftAndPublish || filters.includes(undefined)))
      .flatMap((type) =>
        filters.flatMap((publicationFilter) =>
          newest(context, type, { mainField: findMainField(type), action: "update", limit: LIMIT, publicationFilter }),
        ),
      )
      .sort(byTime)
      .slice(0, LIMIT);
  return [
    route("GET", `${API_PATH}/home`, () =>
      ok({ data: { recent: find(undefined), waiting: find("never-published", "modified") } }),
    ),
    /** By uid; `MAX_COUNT` for that many, and for more. */
    route("GET", `${API_PATH}/counts`, () =>
      ok({
        data: Object.fromEntries(
          types()
            .filter(({ kind }) => kind === "collectionType")
            .map((type) => [type.uid, countListed(context, type)]),
        ),
      }),
    ),
  ];
};
