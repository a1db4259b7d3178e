/** The rows behind an attribute of a page of rows, or their number. */
import { conditionsOf, type Followed, linkSource, paged, sourceOf } from "./children-sql.ts";
import { type Compiler, compilerFor } from "./compile.ts";
import { atMost } from "./edges.ts";
import { rowLoader } from "./loaded-row.ts";
import type { BudgetedReading } from "./reading.ts";
import { rowsById } from "./rows-by-id.ts";
import { type Document, type LoadedRow, selectionOf } from "./select.ts";
import type { JoinableAttribute, Query } from "./tree.ts";

/** The rows behind each parent row, in order. */
export type Children = Map<number, LoadedRow[]>;

export function addTo<K, V>(lists: Map<K, V[]>, key: K, item: V): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}

/** `rows`: each once, whoever shares it. */
export function readChildren(
  reading: BudgetedReading,
  followed: Followed,
): { readonly children: Children; readonly rows: ReadonlyMap<number, LoadedRow> } {
  const { query, parents } = followed;
  const compiler = compilerFor(reading, query.schema);
  const source = sourceOf(compiler, reading, followed);
  const conditions = conditionsOf(compiler, reading, source, query);
  const order = query.sort.length > 0 ? compiler.orderBy(query.sort, "t", query.schema.table) : source.order;
  const sqlOf = (columns: string): string =>
    paged(
      query,
      `SELECT ${source.parent}, ${columns}`,
      `FROM ${source.from} WHERE ${conditions}`,
      source.parent,
      order,
    );
  const { edges, rows } = readWhole(reading, query, compiler, sqlOf) ?? readApart(reading, query, compiler, sqlOf);
  const found = new Map<unknown, LoadedRow[]>();
  for (const [parent, id] of edges) {
    const child = rows.get(id);
    if (child) addTo(found, parent, child);
  }
  const keyOf = ({ id, documentId }: Document): unknown => (source.isByDocument ? documentId : id);
  const children = new Map(parents.map(({ document }) => [document.id as number, found.get(keyOf(document)) ?? []]));
  return { children, rows };
}

/** The number of children of each parent row that has any. */
export function countChildren(reading: BudgetedReading, followed: Followed<JoinableAttribute>): Map<number, number> {
  const { query } = followed;
  const compiler = compilerFor(reading, query.schema);
  const source = linkSource(compiler, followed);
  const conditions = conditionsOf(compiler, reading, source, query);
  const sql = `SELECT ${source.parent}, count(*) FROM ${source.from} WHERE ${conditions} GROUP BY ${source.parent}`;
  return new Map(reading.storage.all(sql, compiler.params) as [number, number][]);
}

/** Rows and whose children they are. A row that several parents share is there once. */
interface Found {
  readonly edges: readonly (readonly [parent: unknown, id: number])[];
  readonly rows: ReadonlyMap<number, LoadedRow>;
}

/** With more rows than this, long text columns are not read once more for each parent. */
const MOST_LONG = 1000;

/** Everything in one statement; undefined when that would hold too much in memory. */
function readWhole(
  reading: BudgetedReading,
  query: Query,
  compiler: Compiler,
  sqlOf: (columns: string) => string,
): Found | undefined {
  const { columns } = selectionOf(query.schema, query.fields);
  const isLong = query.fields.some(({ type }) => type.long);
  const bound = compiler.params.length;
  const sql = sqlOf(columns) + atMost(reading, compiler, isLong ? MOST_LONG : undefined);
  const read = reading.storage.all(sql, compiler.params);
  compiler.params.length = bound;
  if (isLong && read.length > MOST_LONG) return undefined;
  reading.budget.take("entries", read.length);
  const load = rowLoader(query);
  const rows = new Map<number, LoadedRow>();
  const edges: [unknown, number][] = [];
  for (const row of read) {
    const id = row[1] as number;
    if (!rows.has(id)) rows.set(id, load(row, 1));
    edges.push([row[0], id]);
  }
  return { edges, rows };
}

/** The ids first, and then each row once. */
function readApart(
  reading: BudgetedReading,
  query: Query,
  compiler: Compiler,
  sqlOf: (columns: string) => string,
): Found {
  const sql = sqlOf("t.id") + atMost(reading, compiler);
  const edges = reading.storage.all(sql, compiler.params).map(([parent, id]) => [parent, id as number] as const);
  reading.budget.take("entries", edges.length);
  const ids = [...new Set(edges.map(([, id]) => id))];
  return { edges, rows: rowsById({ ...reading, status: undefined }, { ...query, where: undefined }, ids) };
}
