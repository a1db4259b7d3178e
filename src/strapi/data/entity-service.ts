/** `strapi.entityService`: the deprecated API for documents by row id. */

import type { Params } from "../../engine/query/parse.ts";
import type { Document } from "../../engine/query/select.ts";
import type { ContentType } from "../../engine/schema/model.ts";
import { isRecord } from "../../lib/is-record.ts";
import { strapiUtils } from "../packages/utils.ts";
import { decoratedService } from "./decorated-service.ts";
import { type Place, queryParams } from "./document-params.ts";
import type { StrapiDocuments } from "./documents.ts";
import type { QueryEngine } from "./query-engine.ts";

interface EntityServices {
  readonly documents: Pick<StrapiDocuments, "of">;
  readonly query: (uid: string) => QueryEngine;
  readonly findType: (uid: string) => Pick<ContentType, "kind" | "draftAndPublish"> | undefined;
  /** To which rows parameters apply: those of a type, or those that an attribute of it populates. */
  readonly findPlace: (uid: string, field?: string) => Place;
}

/** Throws for invalid values, and for both kinds of pagination at once. */
function readPaging({ page, pageSize, start, limit }: Params): Params {
  const { createTransformer } = strapiUtils().queryParams;
  const paging = { page, pageSize, start, limit } as Record<string, number | undefined>;
  return { ...createTransformer({ getModel: () => undefined }).transformQueryParams("", paging) };
}

const versionFilters: Readonly<Record<string, object>> = { draft: { $null: true }, published: { $notNull: true } };

export function createEntityService({ documents, query, findType, findPlace }: EntityServices) {
  const find = async (uid: string, id: unknown): Promise<Document | null> =>
    id === null ? null : query(uid).findOne({ where: { id } });
  /** The status of a row. The `status` parameter is ignored. */
  const readStatus = ({ publishedAt }: Partial<Document>): Params => ({
    status: publishedAt === null ? "draft" : "published",
  });
  const methods = {
    findMany: (uid: string, params: Params = {}) =>
      findType(uid)?.kind === "singleType" ? documents.of(uid).findFirst(params) : documents.of(uid).findMany(params),
    findOne: async (uid: string, id: unknown, params: Params = {}) => {
      const row = await find(uid, id);
      return row && documents.of(uid).findOne({ ...params, documentId: row.documentId });
    },
    /** Rows of all versions, unless `status` is set. They always have their ids. */
    findPage: (uid: string, { status, ...params }: Params = {}) => {
      const versions = findType(uid)?.draftAndPublish ? versionFilters[String(status)] : undefined;
      return query(uid).findPage({
        ...queryParams(params, findPlace(uid)),
        ...readPaging(params),
        ...(versions ? { where: { publishedAt: versions } } : {}),
      });
    },
    create: async (uid: string, params: Params = {}) => {
      const { data } = params;
      if (data === undefined || data === null) throw new Error("cannot create");
      return documents.of(uid).create({ ...params, ...(isRecord(data) ? readStatus(data) : {}) });
    },
    update: async (uid: string, id: unknown, params: Params = {}) => {
      const row = await find(uid, id);
      return row && documents.of(uid).update({ ...params, ...readStatus(row), documentId: row.documentId });
    },
    /** Returns the row before the deletion. */
    delete: async (uid: string, id: unknown, params: Params = {}) => {
      const row = await find(uid, id);
      if (row) await documents.of(uid).delete({ ...params, documentId: row.documentId });
      return row;
    },
    count: (uid: string, params: Params = {}) => documents.of(uid).count(params),
    load: async (uid: string, row: unknown, field: string, params: Params = {}) => {
      if (typeof field !== "string") throw new Error(`Invalid load. Expected "${String(field)}" to be a string`);
      return query(uid).load(row, field, queryParams(params, findPlace(uid, field)));
    },
    loadPages: (uid: string, row: unknown, field: string, params: Params = {}, page: Params = {}) =>
      query(uid).loadPages(row, field, { ...queryParams(params, findPlace(uid, field)), ...page }),
  };
  return decoratedService(methods, (uid) => findType(uid)?.kind === "singleType");
}
