/** The content manager's service `document-manager`: documents as its pages read and write them. */
import { isRecord } from "../../query/key-check.ts";
import type { Params } from "../../query/parse.ts";
import { type ContentType, contentType } from "../../schema/model.ts";
import type { DocumentActions } from "../data/documents.ts";
import type { Runtime } from "../runtime.ts";
import type { Members } from "./plugin.ts";

type Values = Record<string, unknown>;

/** All levels that the edit page shows: of relations, only their number. */
function editPopulate({ attributes }: ContentType): Params {
  const entries = [...attributes.values()].flatMap((attribute): [string, unknown][] => {
    if (attribute.kind === "scalar") return [];
    const isCounted = attribute.kind === "relation" && !attribute.virtual;
    return [[attribute.name, isCounted ? { count: true } : true]];
  });
  return Object.fromEntries(entries);
}

const numberOf = (value: unknown, defaultValue: number): number => Math.max(1, Number(value ?? defaultValue) || 1);

const entriesOf = (result: unknown): unknown[] =>
  isRecord(result) && Array.isArray(result.entries) ? result.entries : [];

export function documentManager(runtime: () => Runtime): Members {
  const documents = (uid: string): DocumentActions => runtime().documents.of(uid);
  const populate = (uid: string): Params => editPopulate(contentType(runtime().raw.model, uid));
  const versioned =
    (name: "publish" | "unpublish" | "discardDraft") =>
    async (id: string, uid: string, params: Params = {}): Promise<unknown[]> =>
      entriesOf(await documents(uid)[name]({ populate: populate(uid), ...params, documentId: id }));
  const [publish, unpublish, discardDraft] = [versioned("publish"), versioned("unpublish"), versioned("discardDraft")];
  const first =
    (work: typeof publish) =>
    async (...args: Parameters<typeof publish>) =>
      (await work(...args))[0];
  /** The number of changed versions. */
  const countAll = async (ids: readonly string[], work: (id: string) => Promise<unknown[]>) => {
    let count = 0;
    for (const id of ids) count += (await work(id)).length;
    return count;
  };
  const remove = async (id: string, uid: string, params: Params = {}) =>
    entriesOf(await documents(uid).delete({ ...params, documentId: id }));
  return {
    findOne: (id: string, uid: string, params: Params = {}) => documents(uid).findOne({ ...params, documentId: id }),
    findMany: (params: Params, uid: string) => documents(uid).findMany({ populate: "*", ...params }),
    findPage: async ({ page, pageSize, ...params }: Params, uid: string) => {
      const [number, size] = [numberOf(page, 1), numberOf(pageSize, 10)];
      const { fields: _, sort: __, populate: ___, ...counted } = params;
      const total = Number(await documents(uid).count(counted));
      const results = await documents(uid).findMany({ ...params, start: (number - 1) * size, limit: size });
      return { results, pagination: { page: number, pageSize: size, pageCount: Math.ceil(total / size), total } };
    },
    findLocales: (id: string | readonly string[], uid: string, params: Params = {}) =>
      documents(uid).findMany({ locale: "*", ...params, filters: { documentId: { $in: [id].flat() } } }),
    exists: async (uid: string, id?: string) =>
      Number(
        await documents(uid).count({ locale: "*", ...(id === undefined ? {} : { filters: { documentId: id } }) }),
      ) > 0,
    create: (uid: string, params: Params = {}) =>
      documents(uid).create({ populate: populate(uid), ...params, status: "draft" }),
    update: (id: string, uid: string, params: Params = {}) =>
      documents(uid).update({ populate: populate(uid), ...params, documentId: id, status: "draft" }),
    clone: async (id: string, data: Values, uid: string) =>
      entriesOf(await documents(uid).clone({ documentId: id, data, populate: populate(uid) }))[0],
    delete: async (id: string, uid: string, params: Params = {}) => {
      await remove(id, uid, params);
      return {};
    },
    deleteMany: async (ids: readonly string[], uid: string, params: Params = {}) => ({
      count: await countAll(ids, (id) => remove(id, uid, params)),
    }),
    publish,
    unpublish: first(unpublish),
    discardDraft: first(discardDraft),
    publishMany: (uid: string, ids: readonly string[], locale?: unknown) =>
      countAll(ids, (id) => publish(id, uid, { locale })),
    unpublishMany: async (ids: readonly string[], uid: string, params: Params = {}) => ({
      count: await countAll(ids, (id) => unpublish(id, uid, params)),
    }),
  };
}
