/**
 * Reads the ids of long lists in another process: a filter without an index, a search or a sort scans all rows of a large
 * table, and this process handles other requests in the meantime.
 */
import type { Budget } from "../../lib/budget.ts";
import { ApiError } from "../../lib/errors.ts";
import { logError } from "../../lib/printable.ts";
import { indexesOf } from "../storage/column-indexes.ts";
import { perVersion } from "../storage/connection.ts";
import type { LongReads, Statement } from "../storage/long-reads.ts";
import { quote } from "../storage/sql.ts";
import type { Row, Storage } from "../storage/storage.ts";
import type { PreparedList, ReadContext } from "./reading.ts";
import {
  buildKey,
  cacheCount,
  cachedCount,
  cachedPage,
  cacheRead,
  computeCount,
  countStatement,
  idsOfPage,
  type ListQuery,
  type Part,
  pageRead,
} from "./row-lists.ts";

interface LongList {
  /** Called again when an index has been created. */
  readonly query: () => ListQuery;
  /** Undefined: only the total is needed. */
  readonly page: Part | undefined;
  readonly counted: boolean;
  readonly budget: Budget;
}

/** How long a list waits for an index that is being created, before it is read without one. */
const INDEX_WAIT_MS = 5_000;
/** Maximum number of attempts if rows of the page are deleted during the read. */
const MAX_ATTEMPTS = 3;

/** Running statements, which requests share until the next write. */
const sharedReads = perVersion(() => new Map<string, Promise<readonly Row[]>>());

function read(storage: Storage, reads: LongReads, { sql, params }: Statement): Promise<readonly Row[]> {
  const shared = sharedReads(storage);
  const key = buildKey(sql, params);
  return shared.getOrInsertComputed(key, () => reads.read({ sql, params }).finally(() => shared.delete(key)));
}

function cachedList(storage: Storage, query: ListQuery, { page, counted }: LongList): PreparedList | undefined {
  const ids = page ? cachedPage(storage, query, page) : [];
  const count = cachedCount(storage, query);
  return ids && (count !== undefined || !counted) ? { ids, count } : undefined;
}

/** Whether all rows still exist. */
function allExist(storage: Storage, { table }: ListQuery, ids: readonly number[]): boolean {
  const sql = `SELECT count(*) FROM ${quote(table)} WHERE id IN (SELECT value FROM json_each(?))`;
  return storage.first(sql, [JSON.stringify(ids)])?.[0] === ids.length;
}

/** One attempt. `isCurrent`: all rows of the page still exist. */
async function readOnce(storage: Storage, reads: LongReads, list: LongList) {
  const { page, counted } = list;
  const version = storage.version();
  const query = list.query();
  const cached = cachedList(storage, query, list);
  if (cached) return { prepared: cached, isCurrent: true };
  const pages = page && pageRead(storage, query, page, counted);
  const cachedTotal = cachedCount(storage, query);
  const rows = pages ? await read(storage, reads, pages) : [];
  let count = cachedTotal ?? (pages && computeCount(pages, rows));
  if (counted && count === undefined) count = Number((await read(storage, reads, countStatement(query)))[0]?.[0]);
  const ids = pages && page ? idsOfPage(pages, rows, page) : [];
  const prepared: PreparedList = { ids, count };
  if (storage.version() !== version) return { prepared, isCurrent: allExist(storage, query, ids) };
  if (pages) cacheRead(storage, query, pages, rows);
  if (count !== undefined) cacheCount(storage, query, count);
  return { prepared, isCurrent: true };
}

async function readInOtherProcess(
  storage: Storage,
  reads: LongReads,
  list: LongList,
): Promise<PreparedList | undefined> {
  try {
    const query = list.query();
    indexesOf(storage).ensure(query.table, query.columns);
    const indexes = indexesOf(storage).pending(query.table);
    if (indexes) await Promise.race([indexes, Bun.sleep(INDEX_WAIT_MS)]);
    for (let attempts = 1; ; attempts++) {
      const { prepared, isCurrent } = await readOnce(storage, reads, list);
      // under constant writes, the remaining rows of the page are returned
      if (isCurrent || attempts === MAX_ATTEMPTS) return prepared;
    }
  } catch (error) {
    if (error instanceof ApiError) throw error;
    // the list is read in this process instead, which reports the error
    logError(error);
    return undefined;
  }
}

/**
 * Undefined for cached lists, and without reader processes. If the read fails, resolves with the context itself, so that the
 * list is read in this process.
 */
export function prepare(context: ReadContext, list: LongList): Promise<ReadContext> | undefined {
  const { storage } = context;
  const { longReads } = storage;
  if (!longReads || cachedList(storage, list.query(), list)) return undefined;
  const read = readInOtherProcess(storage, longReads, list);
  return list.budget.waitFor(read).then((prepared) => (prepared ? { ...context, prepared } : context));
}
