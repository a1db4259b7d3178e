/** Reads or counts the rows behind an attribute of a page of rows. */
import {
  buildConditions,
  buildStatement,
  type ChildStatement,
  type Followed,
  linkSource,
  parentKey,
} from "./children-sql.ts";
import { compilerFor } from "./compile.ts";
import { type ChildLinks, expectBelow, isLongLevel, likelyChildren, mostAllowed, readIds } from "./expected-values.ts";
import { atMost } from "./links.ts";
import { type BudgetedReadContext, type Reading, readAll } from "./reading.ts";
import { rowsById } from "./rows-by-id.ts";
import { createSelection, type LoadedRow, rowLoader } from "./select.ts";
import type { JoinableAttribute, Query } from "./tree.ts";

/** The children of each parent, by the parent's row id, in order. */
export type Children = Map<number, LoadedRow[]>;

export function addTo<K, V>(lists: Map<K, V[]>, key: K, item: V): void {
  lists.getOrInsertComputed(key, () => []).push(item);
}

/** `times`: the number of keys that return the children. `rows`: each row once, also when several parents share it. */
export function* readChildren(
  context: BudgetedReadContext,
  followed: Followed,
  times: number,
): Reading<{ readonly children: Children; readonly rows: ReadonlyMap<number, LoadedRow> }> {
  const { parents } = followed;
  const statement = buildStatement(context, followed);
  const { links, rows } =
    readInOneStatement(context, followed, statement, times) ??
    (yield* readIdsThenRows(context, followed, statement, times));
  const byParent = new Map<unknown, LoadedRow[]>();
  for (const [parent, id] of links) {
    const child = rows.get(id);
    if (child) addTo(byParent, parent, child);
  }
  const children = new Map(
    parents.map(({ document }) => [document.id as number, byParent.get(parentKey(statement.source, document)) ?? []]),
  );
  return { children, rows };
}

/** The number of children of each parent row that has any. */
export function* countChildren(
  context: BudgetedReadContext,
  followed: Followed<JoinableAttribute>,
): Reading<ReadonlyMap<number, number>> {
  const { query } = followed;
  const compiler = compilerFor(context, query.schema);
  const source = linkSource(compiler, context, followed);
  const conditions = buildConditions(compiler, context, source, query);
  const sql = `SELECT ${source.parent}, count(*) FROM ${source.from} WHERE ${conditions} GROUP BY ${source.parent}`;
  const statement = { sql, params: compiler.params };
  const counts = yield* readAll(context.storage, statement, isLongLevel(context, followed));
  return new Map(counts as readonly [number, number][]);
}

/** Rows, each once, and the links from parents to them. */
interface LinksAndRows {
  readonly links: ChildLinks;
  readonly rows: ReadonlyMap<number, LoadedRow>;
}

/** More rows are read once each, not once per parent, with pauses, and only if the response may have them. */
const MAX_JOINED_ROWS = 5_000;
/** The same for rows with long text columns, and for those with levels below, which are looked at first. */
const MAX_LONG_ROWS = 1000;

const maxJoined = ({ fields, populate }: Query): number =>
  populate.length > 0 || fields.some(({ type }) => type.isLong) ? MAX_LONG_ROWS : MAX_JOINED_ROWS;

/** Reads links and rows in one statement; undefined for more than should be loaded at once. */
function readInOneStatement(
  context: BudgetedReadContext,
  followed: Followed,
  { compiler, buildSql }: ChildStatement,
  times: number,
): LinksAndRows | undefined {
  const { query } = followed;
  const { columns } = createSelection(query.schema, query.fields);
  const max = Math.min(maxJoined(query), mostAllowed(context, followed, times));
  if (max < Number.POSITIVE_INFINITY && likelyChildren(context, followed) > max) return undefined;
  if (isLongLevel(context, followed)) return undefined;
  const paramsBefore = compiler.params.length;
  const sql = buildSql(columns) + atMost(context, compiler, max);
  const joinedRows = context.storage.all(sql, compiler.params);
  // the parameters are used again without the limit
  compiler.params.length = paramsBefore;
  if (joinedRows.length > max) return undefined;
  context.budget.take("entries", joinedRows.length);
  const load = rowLoader(query);
  const rows = new Map<number, LoadedRow>();
  const links: [unknown, number][] = [];
  for (const row of joinedRows) {
    const id = row[1] as number;
    if (!rows.has(id)) rows.set(id, load(row, 1));
    links.push([row[0], id]);
  }
  return { links, rows };
}

/** Reads the ids first, and then each row once. */
function* readIdsThenRows(
  context: BudgetedReadContext,
  followed: Followed,
  statement: ChildStatement,
  times: number,
): Reading<LinksAndRows> {
  const { query } = followed;
  const { links, copies, expected } = yield* readIds(context, followed, statement, times, 0);
  context.budget.take("entries", links.length);
  yield* expectBelow(context, query, copies, expected);
  if (context.budget.isPauseDue) yield;
  const rows = yield* rowsById({ ...context, status: undefined }, { ...query, where: undefined }, [...copies.keys()]);
  if (context.budget.isPauseDue) yield;
  return { links, rows };
}
