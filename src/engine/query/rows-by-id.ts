/** Reads rows by their ids. Rows of small tables, which many documents link to, are cached until content changes. */

import type { Schema } from "../schema/model.ts";
import { tableSize } from "../storage/column-indexes.ts";
import { perVersion } from "../storage/connection.ts";
import { quote } from "../storage/sql.ts";
import type { Row } from "../storage/storage.ts";
import { compilerFor } from "./compile.ts";
import type { BudgetedReadContext, Reading, Status } from "./reading.ts";
import { createSelection, type KeptRow, keptRowLoader, type LoadedRow, rowLoader } from "./select.ts";
import type { Query } from "./tree.ts";
import { versionSql } from "./where.ts";

const SMALL_TABLE_ROWS = 1000;
/** Size of the cache in characters; when it is full, it is cleared. */
const MAX_CHARACTERS = 4_000_000;

class RowCache {
  readonly #tables = new Map<string, Map<number, KeptRow>>();
  #characters = 0;

  rows(key: string): Map<number, KeptRow> {
    let rows = this.#tables.get(key);
    if (!rows) {
      rows = new Map();
      this.#tables.set(key, rows);
    }
    return rows;
  }

  set(key: string, row: Row): void {
    const size = row.reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 8), 0);
    if (this.#characters + size > MAX_CHARACTERS) {
      this.#tables.clear();
      this.#characters = 0;
    }
    this.#characters += size;
    this.rows(key).set(row[0] as number, { row, loaded: undefined });
  }
}

const rowCaches = perVersion(() => new RowCache());

function readRows(context: BudgetedReadContext, query: Query, ids: readonly number[]): Row[] {
  const { schema } = query;
  const compiler = compilerFor(context, schema);
  const { columns } = createSelection(schema, query.fields);
  const where = [compiler.oneOf("t.id", ids), ...versionSql(compiler, context, schema)];
  if (query.where) where.push(compiler.condition(query.where, "t"));
  const sql = `SELECT ${columns} FROM ${quote(schema.table)} t WHERE ${where.join(" AND ")}`;
  return context.storage.all(sql, compiler.params);
}

const isCached = ({ storage, publicationFilter }: BudgetedReadContext, { schema, where }: Query): boolean =>
  !where && !publicationFilter && tableSize(storage, schema.table) <= SMALL_TABLE_ROWS;

const buildKey = (schema: Schema, fields: Query["fields"], status: Status | undefined): string =>
  [schema.table, status, ...fields.map(({ name }) => name)].join();

const keysByFields = new WeakMap<Query["fields"], Map<Status | undefined, string>>();

/** The same string again, whose hash need not be computed anew. */
const rowsKey = ({ schema, fields }: Query, { status }: BudgetedReadContext): string =>
  keysByFields
    .getOrInsertComputed(fields, () => new Map())
    .getOrInsertComputed(status, () => buildKey(schema, fields, status));

/** Rows per statement. Fewer with long text columns, so that the budget is checked before much memory is used. */
const BATCH_ROWS = 1000;
const BATCH_LONG_ROWS = 100;

function* splitBatches(ids: readonly number[], { fields }: Query): Iterable<readonly number[]> {
  const size = fields.some(({ type }) => type.isLong) ? BATCH_LONG_ROWS : BATCH_ROWS;
  for (let start = 0; start < ids.length; start += size) yield ids.slice(start, start + size);
}

/**
 * The rows with these ids that are in the version that is read and match the query's condition, in any order. `isLast`: nothing
 * but what is populated is added to them. Throws a ValidationError beyond the budget.
 */
function* loadRows(
  context: BudgetedReadContext,
  query: Query,
  ids: readonly number[],
  isLast: boolean,
): Reading<LoadedRow[]> {
  const load = rowLoader(query);
  const loaded: LoadedRow[] = [];
  if (isCached(context, query)) {
    const key = rowsKey(query, context);
    const cache = rowCaches(context.storage);
    const cached = cache.rows(key);
    const missing = ids.filter((id) => !cached.has(id));
    for (const row of missing.length > 0 ? readRows(context, query, missing) : []) cache.set(key, row);
    // another map than `cached`, if the cache was cleared in between
    const rows = missing.length > 0 ? cache.rows(key) : cached;
    const isShared = isLast && context.sharesRows === true && query.populate.length === 0;
    const loadKept = isShared ? keptRowLoader(query) : (kept: KeptRow) => load(kept.row, 0);
    for (const id of ids) {
      const kept = rows.get(id) ?? cached.get(id);
      if (kept) loaded.push(loadKept(kept));
    }
    return loaded;
  }
  let characters = 0;
  for (const batch of ids.length > BATCH_LONG_ROWS ? splitBatches(ids, query) : [ids]) {
    if (loaded.length > 0 && context.budget.isPauseDue) yield;
    for (const row of readRows(context, query, batch)) {
      const loadedRow = load(row, 0);
      characters += loadedRow.characters;
      loaded.push(loadedRow);
    }
    context.budget.expect("characters", characters);
    context.budget.checkTime();
  }
  return loaded;
}

function byId(rows: readonly LoadedRow[]): Map<number, LoadedRow> {
  const map = new Map<number, LoadedRow>();
  for (const row of rows) map.set(row.document.id as number, row);
  return map;
}

/** The rows of `loadRows`, by their ids. */
export function* rowsById(
  context: BudgetedReadContext,
  query: Query,
  ids: readonly number[],
  isLast = false,
): Reading<Map<number, LoadedRow>> {
  return byId(yield* loadRows(context, query, ids, isLast));
}

/** The rows of `loadRows`, in the order of `ids`, which are distinct. */
export function* rowsInOrder(context: BudgetedReadContext, query: Query, ids: readonly number[]): Reading<LoadedRow[]> {
  const rows = yield* loadRows(context, query, ids, false);
  // usually they are already in this order
  if (rows.length === ids.length && rows.every(({ document }, index) => document.id === ids[index])) return rows;
  const map = byId(rows);
  return ids.flatMap((id) => map.get(id) ?? []);
}
