/** `strapi.entityService`, which real code still uses: documents by the ids of rows. */
import type { Params } from "../../query/parse.ts";
import type { Document } from "../../query/select.ts";
import type { Documents } from "./documents.ts";
import type { QueryEngine } from "./query-engine.ts";

interface EntityServices {
  readonly documents: Documents;
  readonly query: (uid: string) => QueryEngine;
  readonly hasDrafts: (uid: string) => boolean;
}

/** The reference's older parameter. */
const withStatus = ({ publicationState, ...params }: Params): Params =>
  publicationState === "live" ? { ...params, status: "published" } : params;

export function createEntityService({ documents, query, hasDrafts }: EntityServices) {
  /** The document that a row belongs to. */
  const find = async (uid: string, id: unknown): Promise<Document | null> =>
    id === undefined || id === null
      ? null
      : query(uid).findOne({ where: { id }, select: ["id", "documentId", "locale", "publishedAt"] });
  const localeOf = ({ locale }: Document): Params => (typeof locale === "string" ? { locale } : {});
  return {
    findMany: (uid: string, params: Params = {}) => documents.of(uid).findMany(withStatus(params)),
    findOne: async (uid: string, id: unknown, params: Params = {}) => {
      const row = await find(uid, id);
      if (!row) return null;
      return documents.of(uid).findOne({ ...localeOf(row), ...withStatus(params), documentId: row.documentId });
    },
    findPage: async (uid: string, params: Params = {}) => {
      const { page = 1, pageSize = 10, ...own } = withStatus(params);
      const size = Math.max(1, Number(pageSize) || 10);
      const number = Math.max(1, Number(page) || 1);
      const results = await documents.of(uid).findMany({ ...own, start: (number - 1) * size, limit: size });
      const total = (await documents.of(uid).count(own)) as number;
      return { results, pagination: { page: number, pageSize: size, pageCount: Math.ceil(total / size), total } };
    },
    create: (uid: string, params: Params = {}) =>
      documents.of(uid).create({ ...(hasDrafts(uid) ? { status: "published" } : {}), ...params }),
    update: async (uid: string, id: unknown, params: Params = {}) => {
      const row = await find(uid, id);
      if (!row) return null;
      // a row that is published is published again
      const status = hasDrafts(uid) && row.publishedAt !== null ? { status: "published" } : {};
      return documents.of(uid).update({ ...status, ...localeOf(row), ...params, documentId: row.documentId });
    },
    delete: async (uid: string, id: unknown, params: Params = {}) => {
      const row = await find(uid, id);
      if (!row) return null;
      const deleted = (await documents.of(uid).delete({ ...localeOf(row), ...params, documentId: row.documentId })) as {
        entries: Document[];
      };
      return deleted.entries.find((entry) => entry.id === row.id) ?? deleted.entries[0] ?? null;
    },
    count: async (uid: string, params: Params = {}) => query(uid).count(params),
    load: (uid: string, row: unknown, field: string, params?: Params) => query(uid).load(row, field, params),
  };
}
