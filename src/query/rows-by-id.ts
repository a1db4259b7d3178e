/** Rows by their ids. Rows of small tables, which many documents share, are cached until content changes. */
import { perVersion } from "../storage/per-version.ts";
import { quote } from "../storage/quote.ts";
import type { Row } from "../storage/storage.ts";
import { tableSize } from "../storage/table-sizes.ts";
import { compilerFor } from "./compile.ts";
import { rowLoader } from "./loaded-row.ts";
import type { BudgetedReading } from "./reading.ts";
import { type LoadedRow, selectionOf } from "./select.ts";
import type { Query } from "./tree.ts";
import { versionSql } from "./versions.ts";

const SMALL_TABLE_ROWS = 1000;
/** Size of the cache in characters; beyond it, the cache is cleared. */
const MOST_CHARACTERS = 4_000_000;

class RowCache {
  readonly #tables = new Map<string, Map<number, Row>>();
  #characters = 0;

  of(key: string): Map<number, Row> {
    let rows = this.#tables.get(key);
    if (!rows) {
      rows = new Map();
      this.#tables.set(key, rows);
    }
    return rows;
  }

  keep(key: string, row: Row): void {
    const size = row.reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 8), 0);
    if (this.#characters + size > MOST_CHARACTERS) {
      this.#tables.clear();
      this.#characters = 0;
    }
    this.#characters += size;
    this.of(key).set(row[0] as number, row);
  }
}

const rowCaches = perVersion(() => new RowCache());

function readRows(reading: BudgetedReading, query: Query, ids: readonly number[]): Row[] {
  const { schema } = query;
  const compiler = compilerFor(reading, schema);
  const { columns } = selectionOf(schema, query.fields);
  const where = [compiler.oneOf("t.id", ids), ...versionSql(compiler, reading, schema)];
  if (query.where) where.push(compiler.condition(query.where, "t"));
  const sql = `SELECT ${columns} FROM ${quote(schema.table)} t WHERE ${where.join(" AND ")}`;
  return reading.storage.all(sql, compiler.params);
}

const isCached = ({ storage, publicationFilter }: BudgetedReading, { schema, where }: Query): boolean =>
  !where && !publicationFilter && tableSize(storage, schema.table) <= SMALL_TABLE_ROWS;

const keyOf = ({ schema, fields }: Query, { status, orDraft }: BudgetedReading): string =>
  [schema.table, orDraft ? "or draft" : status, ...fields.map(({ name }) => name)].join();

/** Rows per statement. With long text columns there are fewer, so that the budget is checked before too much is held. */
const MOST_AT_ONCE = 1000;
const MOST_LONG_AT_ONCE = 100;

function* parts(ids: readonly number[], { fields }: Query): Iterable<readonly number[]> {
  const size = fields.some(({ type }) => type.long) ? MOST_LONG_AT_ONCE : MOST_AT_ONCE;
  for (let start = 0; start < ids.length; start += size) yield ids.slice(start, start + size);
}

/**
 * Those of the rows that are in the version that is read and match the query's condition, each as an object of its own; in
 * any order. Throws a ValidationError for more than may be answered.
 */
function loadRows(reading: BudgetedReading, query: Query, ids: readonly number[]): LoadedRow[] {
  const load = rowLoader(query);
  const loaded: LoadedRow[] = [];
  if (isCached(reading, query)) {
    const key = keyOf(query, reading);
    const cache = rowCaches(reading.storage);
    const cached = cache.of(key);
    const missing = ids.filter((id) => !cached.has(id));
    for (const row of missing.length > 0 ? readRows(reading, query, missing) : []) cache.keep(key, row);
    const rows = cache.of(key);
    for (const id of ids) {
      const row = rows.get(id) ?? cached.get(id);
      if (row) loaded.push(load(row, 0));
    }
    return loaded;
  }
  let characters = 0;
  for (const part of ids.length > MOST_LONG_AT_ONCE ? parts(ids, query) : [ids]) {
    for (const row of readRows(reading, query, part)) {
      const made = load(row, 0);
      characters += made.characters;
      loaded.push(made);
    }
    reading.budget.expect("characters", characters);
    reading.budget.checkTime();
  }
  return loaded;
}

function byId(rows: readonly LoadedRow[]): Map<number, LoadedRow> {
  const found = new Map<number, LoadedRow>();
  for (const row of rows) found.set(row.document.id as number, row);
  return found;
}

/** Rows as `loadRows` finds them, by their ids. */
export const rowsById = (reading: BudgetedReading, query: Query, ids: readonly number[]): Map<number, LoadedRow> =>
  byId(loadRows(reading, query, ids));

/** Rows as `loadRows` finds them, in the order of the ids, each of which stands there once. */
export function rowsInOrder(reading: BudgetedReading, query: Query, ids: readonly number[]): LoadedRow[] {
  const rows = loadRows(reading, query, ids);
  // mostly they come in this order by themselves
  if (rows.length === ids.length && rows.every(({ document }, index) => document.id === ids[index])) return rows;
  const found = byId(rows);
  return ids.flatMap((id) => found.get(id) ?? []);
}
