/** Reads rows by their ids. Rows of small tables, which many documents link to, are cached until content changes. */

import { tableSize } from "../storage/column-indexes.ts";
import { perVersion } from "../storage/connection.ts";
import { quote } from "../storage/sql.ts";
import type { Row } from "../storage/storage.ts";
import { compilerFor } from "./compile.ts";
import type { BudgetedReadContext, Reading, Status } from "./reading.ts";
import { createSelection, type KeptRow, keptRowLoader, type LoadedRow, rowLoader, type Selection } from "./select.ts";
import type { Query } from "./tree.ts";
import { versionSql } from "./where.ts";

const SMALL_TABLE_ROWS = 1000;
/** Size of the cache in characters; when it is full, it is cleared. */
const MAX_CHARACTERS = 4_000_000;

class RowCache {
  readonly #tables = new Map<string, Map<number, KeptRow>>();
  #characters = 0;

  rows(key: string): Map<number, KeptRow> {
    return this.#tables.getOrInsertComputed(key, () => new Map());
  }

  add(key: string, row: Row): KeptRow {
    const size = row.reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 8), 0);
    if (this.#characters + size > MAX_CHARACTERS) {
      this.#tables.clear();
      this.#characters = 0;
    }
    this.#characters += size;
    const kept: KeptRow = { row, loaded: undefined };
    this.rows(key).set(row[0] as number, kept);
    return kept;
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

const keysBySelection = new WeakMap<Selection, Map<Status | undefined, string>>();

/** Of one selection the same string again, whose hash need not be computed anew. */
const rowsKey = ({ schema, fields }: Query, { status }: BudgetedReadContext): string =>
  keysBySelection
    .getOrInsertComputed(createSelection(schema, fields), () => new Map())
    .getOrInsertComputed(status, () => [schema.table, status, ...fields.map(({ name }) => name)].join());

/** Rows per statement. Fewer with long text columns, so that the budget is checked before much memory is used. */
const BATCH_ROWS = 1000;
const BATCH_LONG_ROWS = 100;

function* splitBatches(ids: readonly number[], { fields }: Query): Iterable<readonly number[]> {
  const size = fields.some(({ type }) => type.isLong) ? BATCH_LONG_ROWS : BATCH_ROWS;
  for (let start = 0; start < ids.length; start += size) yield ids.slice(start, start + size);
}

/** The rows of a small table: those that are not kept yet are read. */
function keptRows(context: BudgetedReadContext, query: Query, ids: readonly number[], isLast: boolean) {
  const isShared = isLast && context.sharesRows === true && query.populate.length === 0;
  const load = rowLoader(query);
  const loadKept = isShared ? keptRowLoader(query) : ({ row }: KeptRow) => load(row, 0);
  const key = rowsKey(query, context);
  const cache = rowCaches(context.storage);
  const cached = cache.rows(key);
  const rows = new Map<number, LoadedRow>();
  const missing: number[] = [];
  for (const id of ids) {
    const kept = cached.get(id);
    if (kept) rows.set(id, loadKept(kept));
    else missing.push(id);
  }
  if (missing.length === 0) return rows;
  for (const row of readRows(context, query, missing)) rows.set(row[0] as number, loadKept(cache.add(key, row)));
  return rows;
}

/**
 * The rows with these ids that are in the version that is read and match the query's condition, by their ids. `isLast`: nothing but
 * what is populated is added to them. Throws a ValidationError beyond the budget.
 */
export function* rowsById(
  context: BudgetedReadContext,
  query: Query,
  ids: readonly number[],
  isLast = false,
): Reading<Map<number, LoadedRow>> {
  if (isCached(context, query)) return keptRows(context, query, ids, isLast);
  const load = rowLoader(query);
  const rows = new Map<number, LoadedRow>();
  let characters = 0;
  for (const batch of ids.length > BATCH_LONG_ROWS ? splitBatches(ids, query) : [ids]) {
    if (rows.size > 0 && context.budget.isPauseDue) yield;
    for (const row of readRows(context, query, batch)) {
      const loaded = load(row, 0);
      characters += loaded.characters;
      rows.set(row[0] as number, loaded);
    }
    context.budget.expect("characters", characters);
    context.budget.checkTime();
  }
  return rows;
}

/** The rows of `rowsById`, in the order of `ids`, which are distinct. */
export function* rowsInOrder(context: BudgetedReadContext, query: Query, ids: readonly number[]): Reading<LoadedRow[]> {
  const rows = yield* rowsById(context, query, ids);
  return ids.flatMap((id) => rows.get(id) ?? []);
}
