/** The content manager's service `document-manager`: documents as its pages read and write them. */

import type { Params } from "../../engine/query/parse.ts";
import { isRecord, toRecord, type Values } from "../../lib/is-record.ts";
import type { DocumentActions } from "../data/documents.ts";
import type { Members } from "../loader/plugin.ts";
import { strapiUtils } from "../packages/utils.ts";
import type { Runtime } from "../runtime.ts";
import { createPopulateBuilder } from "./populate-builder.ts";

/** Of a page. */
const MAX_LIMIT = 1000;

const readEntries = (result: unknown): unknown[] =>
  isRecord(result) && Array.isArray(result.entries) ? result.entries : [];

async function findPage(documents: DocumentActions, given: Params): Promise<object> {
  const { pagination } = strapiUtils();
  const params = pagination.withDefaultPagination(given as Readonly<Record<string, number>>, { maxLimit: MAX_LIMIT });
  const { populate: _, sort: __, ...counted } = params;
  const results = await documents.findMany(params);
  const total = Number(await documents.count(counted));
  return { results, pagination: pagination.transformPagedPaginationInfo(params, total) };
}

export function documentManager(runtime: () => Runtime): Members {
  const documents = (uid: string): DocumentActions => runtime().documents.of(uid);
  /** All levels, as the edit page shows them: of relations, only their number. */
  const populate = (uid: string): Promise<Params | undefined> =>
    createPopulateBuilder(runtime, uid).populateDeep(Number.POSITIVE_INFINITY).countRelations().build();
  const inTransaction = <T>(work: () => Promise<T>): Promise<T> => runtime().transactions.run(work);
  const versioned =
    (name: "publish" | "unpublish" | "discardDraft") =>
    async (id: string, uid: string, params: Params = {}): Promise<unknown[]> =>
      readEntries(
        await documents(uid)[name]({ ...params, populate: params.populate ?? (await populate(uid)), documentId: id }),
      );
  const [publish, unpublish, discardDraft] = [versioned("publish"), versioned("unpublish"), versioned("discardDraft")];
  const first =
    (work: typeof publish) =>
    async (...args: Parameters<typeof publish>) =>
      (await work(...args))[0];
  /** The number of changed versions. */
  const countAll = (ids: readonly string[], work: (id: string) => Promise<unknown[]>) =>
    inTransaction(async () => {
      let count = 0;
      for (const id of ids) count += (await work(id)).length;
      return count;
    });
  const remove = async (id: string, uid: string, params: Params = {}): Promise<object> => {
    await documents(uid).delete({ ...params, documentId: id });
    return {};
  };
  return {
    findOne: (id: string, uid: string, params: Params = {}) => documents(uid).findOne({ ...params, documentId: id }),
    findMany: async (params: Params, uid: string) => {
      const deep = await createPopulateBuilder(runtime, uid).populateDeep(Number.POSITIVE_INFINITY).build();
      return documents(uid).findMany({ ...params, populate: deep });
    },
    findPage: (given: Params = {}, uid: string) => findPage(documents(uid), given),
    /** Rows of one locale, of several, or of all (`*`). */
    findLocales: (id: unknown, uid: string, { locale, isPublished, populate: populated }: Params) =>
      runtime()
        .query(uid)
        .findMany({
          populate: populated,
          where: {
            ...(id ? { documentId: id } : {}),
            ...(locale && locale !== "*" ? { locale: Array.isArray(locale) ? { $in: locale } : locale } : {}),
            ...(typeof isPublished === "boolean" ? { publishedAt: { $notNull: isPublished } } : {}),
          },
        }),
    exists: async (uid: string, id?: string) =>
      (await runtime()
        .query(uid)
        .count(id ? { where: { documentId: id } } : {})) > 0,
    create: async (uid: string, params: Params = {}) =>
      documents(uid).create({ ...params, populate: params.populate ?? (await populate(uid)), status: "draft" }),
    update: async (id: string, uid: string, { data, ...params }: Params = {}) => {
      const { publishedAt: _, id: __, ...values } = toRecord(data);
      const populated = params.populate ?? (await populate(uid));
      return documents(uid).update({ ...params, data: values, populate: populated, status: "draft", documentId: id });
    },
    clone: async (id: string, body: Values = {}, uid: string) => {
      const { id: _, documentId: __, ...data } = body;
      const params = { documentId: id, data, locale: body.locale, populate: await populate(uid) };
      return readEntries(await documents(uid).clone(params))[0];
    },
    delete: remove,
    deleteMany: (ids: readonly string[], uid: string, params: Params = {}) =>
      inTransaction(async () => {
        for (const id of ids) await remove(id, uid, params);
        return { count: ids.length };
      }),
    publish,
    unpublish: first(unpublish),
    discardDraft: first(discardDraft),
    publishMany: (uid: string, ids: readonly string[], locale?: unknown) =>
      countAll(ids, (id) => publish(id, uid, { locale, populate: {} })),
    unpublishMany: async (ids: readonly string[], uid: string, params: Params = {}) => ({
      count: await countAll(ids, (id) => unpublish(id, uid, { ...params, populate: {} })),
    }),
  };
}
