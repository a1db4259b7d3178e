/** Queries for types of Strapi without rows in Galley, such as administrators. */
import { isRecord, toRecord } from "../../lib/is-record.ts";
import type { Log } from "../runtime.ts";

export const hasNoRows = (uid: string): boolean => uid.startsWith("admin::") || uid.startsWith("strapi::");

/** Reads find nothing. Writes only log a warning, so that seeds that create an administrator continue. */
export function createNoRows(uid: string, log: Log) {
  const ignore = (action: string) => log.warn(`${uid} is not supported by Galley: what ${action} writes is not stored`);
  const write =
    (action: string) =>
    async (params: unknown = {}): Promise<unknown> => {
      ignore(action);
      return { id: 1, ...(isRecord(params) && toRecord(params.data)) };
    };
  const many = (action: string) => async () => {
    ignore(action);
    return { count: 0, ids: [] };
  };
  return {
    uid,
    findOne: async () => null,
    findMany: async () => [],
    findWithCount: async () => [[], 0],
    findPage: async () => ({ results: [], pagination: { page: 1, pageSize: 10, pageCount: 0, total: 0 } }),
    count: async () => 0,
    load: async () => null,
    create: write("create"),
    update: async () => null,
    delete: async () => null,
    createMany: many("createMany"),
    updateMany: many("updateMany"),
    deleteMany: many("deleteMany"),
  };
}
