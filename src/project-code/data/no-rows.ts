/** Types of the reference that Galley has no rows of: its administrators and what belongs to them. */
import { isRecord } from "../../query/key-check.ts";
import type { Log } from "../runtime.ts";

export const hasNoRows = (uid: string): boolean => uid.startsWith("admin::") || uid.startsWith("strapi::");

/** Reads find nothing. Writes keep nothing and say so: seeds that make an administrator go on. */
export function createNoRows(uid: string, log: Log) {
  const ignore = (action: string): void => log.warn(`${uid} is not there in Galley: what ${action} writes is not kept`);
  const write =
    (action: string) =>
    async (params: unknown = {}): Promise<unknown> => {
      ignore(action);
      return { id: 1, ...(isRecord(params) && isRecord(params.data) ? params.data : {}) };
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
