/** Types of the administration as `strapi.documents` and `strapi.entityService` show them: rows without drafts and locales. */

import type { Params } from "../../engine/query/parse.ts";
import { queryParams } from "../data/document-params.ts";
import type { DocumentActions } from "../data/documents.ts";
import type { Runtime } from "../runtime.ts";
import type { Row, Rows } from "./rows.ts";
import { administrationUids } from "./types.ts";

export const isAdministrationType = (uid: string): boolean => uid.startsWith("admin::") && administrationUids.has(uid);

const toReadParams = ({ status: _, locale: __, filters, ...params }: Params): Params => ({
  ...queryParams(params),
  ...(filters === undefined ? {} : { where: filters }),
});

/** Conditions of one document. */
const toDocumentParams = ({ documentId, ...params }: Params): Params => {
  const { where, ...query } = toReadParams(params);
  return { ...query, where: { $and: [{ documentId: documentId ?? "" }, where ?? {}] } };
};

type Source = Pick<Runtime, "administration"> & { readonly documents: Pick<Runtime["documents"], "of"> };

/** Of any type. */
export const findDocuments = ({ administration, documents }: Source, uid: string) =>
  isAdministrationType(uid) ? administrationDocuments(administration().query(uid) as Rows) : documents.of(uid);

export type AdministrationDocuments = Omit<DocumentActions, "publish" | "unpublish" | "discardDraft" | "clone">;

export function administrationDocuments(rows: Rows): AdministrationDocuments {
  const change = async (params: Params, work: (row: Row) => Promise<Row | null>): Promise<Row | null> => {
    const row = await rows.findOne(toDocumentParams({ documentId: params.documentId }));
    return row && work(row);
  };
  return {
    findMany: async (params = {}) => rows.findMany(toReadParams(params)),
    findFirst: async (params = {}) => rows.findOne(toReadParams(params)),
    findOne: async (params = {}) => rows.findOne(toDocumentParams(params)),
    count: async ({ filters } = {}) => rows.count(toReadParams({ filters })),
    create: async ({ data, ...params } = {}) => rows.create({ ...toReadParams(params), data }),
    update: ({ data, documentId, ...params } = {}) =>
      change({ documentId }, ({ id }) => rows.update({ ...toReadParams(params), where: { id }, data })),
    delete: async ({ documentId, ...params } = {}) => {
      const row = await change({ documentId }, ({ id }) => rows.delete({ ...toReadParams(params), where: { id } }));
      return { documentId, entries: row ? [row] : [] };
    },
  };
}
