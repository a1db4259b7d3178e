/** Reads or counts the rows behind an attribute of a page of rows. */
import { conditionsOf, type Followed, linkSource, paged, sourceOf } from "./children-sql.ts";
import { type Compiler, compilerFor } from "./compile.ts";
import { atMost } from "./edges.ts";
import type { BudgetedReadContext } from "./read-context.ts";
import type { Reading } from "./reading.ts";
import { rowsById } from "./rows-by-id.ts";
import { type Document, type LoadedRow, rowLoader, selectionOf, valuesOf } from "./select.ts";
import type { JoinableAttribute, Query } from "./tree.ts";

/** The children of each parent, by the parent's row id, in order. */
export type Children = Map<number, LoadedRow[]>;

export function addTo<K, V>(lists: Map<K, V[]>, key: K, item: V): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}

/** `rows`: each row once, also when several parents share it. */
export function* readChildren(
  context: BudgetedReadContext,
  followed: Followed,
): Reading<{ readonly children: Children; readonly rows: ReadonlyMap<number, LoadedRow> }> {
  const { query, parents } = followed;
  const compiler = compilerFor(context, query.schema);
  const source = sourceOf(compiler, context, followed);
  const conditions = conditionsOf(compiler, context, source, query);
  const order = query.sort.length > 0 ? compiler.orderBy(query.sort, "t", query.schema.table) : source.order;
  const sqlOf = (columns: string): string =>
    paged(
      query,
      `SELECT ${source.parent}, ${columns}`,
      `FROM ${source.from} WHERE ${conditions}`,
      source.parent,
      order,
    );
  const keyOf = ({ id, documentId }: Document): unknown => (source.isByDocument ? documentId : id);
  const copiesOf = new Map(parents.map(({ document, copies }) => [keyOf(document), copies]));
  const { edges, rows } =
    readInOneStatement(context, query, compiler, sqlOf) ??
    (yield* readIdsThenRows(context, query, compiler, sqlOf, copiesOf));
  const byParent = new Map<unknown, LoadedRow[]>();
  for (const [parent, id] of edges) {
    const child = rows.get(id);
    if (child) addTo(byParent, parent, child);
  }
  const children = new Map(parents.map(({ document }) => [document.id as number, byParent.get(keyOf(document)) ?? []]));
  return { children, rows };
}

/** The number of children of each parent row that has any. */
export function countChildren(
  context: BudgetedReadContext,
  followed: Followed<JoinableAttribute>,
): Map<number, number> {
  const { query } = followed;
  const compiler = compilerFor(context, query.schema);
  const source = linkSource(compiler, context, followed);
  const conditions = conditionsOf(compiler, context, source, query);
  const sql = `SELECT ${source.parent}, count(*) FROM ${source.from} WHERE ${conditions} GROUP BY ${source.parent}`;
  return new Map(context.storage.all(sql, compiler.params) as [number, number][]);
}

/** Rows, each once, and the edges from parents to them. */
interface EdgesAndRows {
  readonly edges: readonly (readonly [parent: unknown, id: number])[];
  readonly rows: ReadonlyMap<number, LoadedRow>;
}

/** More rows are read once each, not once per parent, with pauses, and only if the response may have them. */
const MAX_JOINED_ROWS = 5_000;
/** The same for rows with long text columns. */
const MAX_LONG_ROWS = 1000;

/** Reads edges and rows in one statement; undefined when that would take too much memory. */
function readInOneStatement(
  context: BudgetedReadContext,
  query: Query,
  compiler: Compiler,
  sqlOf: (columns: string) => string,
): EdgesAndRows | undefined {
  const { columns } = selectionOf(query.schema, query.fields);
  const max = query.fields.some(({ type }) => type.isLong) ? MAX_LONG_ROWS : MAX_JOINED_ROWS;
  const paramsBefore = compiler.params.length;
  const sql = sqlOf(columns) + atMost(context, compiler, max);
  const joinedRows = context.storage.all(sql, compiler.params);
  // the parameters are used again without the limit
  compiler.params.length = paramsBefore;
  if (joinedRows.length > max) return undefined;
  context.budget.take("entries", joinedRows.length);
  const load = rowLoader(query);
  const rows = new Map<number, LoadedRow>();
  const edges: [unknown, number][] = [];
  for (const row of joinedRows) {
    const id = row[1] as number;
    if (!rows.has(id)) rows.set(id, load(row, 1));
    edges.push([row[0], id]);
  }
  return { edges, rows };
}

/** Reads the ids first, and then each row once. `copiesOf`: how often each parent is returned. */
function* readIdsThenRows(
  context: BudgetedReadContext,
  query: Query,
  compiler: Compiler,
  sqlOf: (columns: string) => string,
  copiesOf: ReadonlyMap<unknown, number>,
): Reading<EdgesAndRows> {
  const sql = sqlOf("t.id") + atMost(context, compiler);
  const edges = context.storage.all(sql, compiler.params).map(([parent, id]) => [parent, id as number] as const);
  context.budget.take("entries", edges.length);
  const returned = edges.reduce((sum, [parent]) => sum + (copiesOf.get(parent) ?? 0), 0);
  context.budget.expect("values", returned * valuesOf(query));
  if (context.budget.isPauseDue) yield;
  const ids = [...new Set(edges.map(([, id]) => id))];
  return { edges, rows: yield* rowsById({ ...context, status: undefined }, { ...query, where: undefined }, ids) };
}
