/** Refuses what a response may not have before it is loaded, as far as the ids of rows show. */
import { hasPolymorphicTargets, hasVersions, isUnlinked, type Schema } from "../schema/model.ts";
import { linkCount, tableSize } from "../storage/column-indexes.ts";
import {
  buildStatement,
  type ChildStatement,
  type Followed,
  isLocalizations,
  parentKey,
  type SingleTypeAttribute,
} from "./children-sql.ts";
import { compilerFor } from "./compile.ts";
import { listsUsers } from "./file-users.ts";
import { joinsManyLinks } from "./joined-links.ts";
import { atMost, listIds } from "./links.ts";
import { type BudgetedReadContext, type Reading, readAll } from "./reading.ts";
import { rowsById } from "./rows-by-id.ts";
import { countValues, type LoadedRow } from "./select.ts";
import { type JoinableAttribute, keyCount, type Populate, type Query } from "./tree.ts";

/** The most children that an attribute of these parents can have. */
function mostChildren({ storage }: BudgetedReadContext, { parents, attribute, query }: Followed): number {
  if (!attribute.many) return parents.length;
  const all = isLocalizations(attribute)
    ? tableSize(storage, query.schema.table)
    : linkCount(storage, attribute.link.field);
  return query.limit === undefined ? all : Math.min(all, parents.length * query.limit);
}

/** How many children these parents probably have. */
export function likelyChildren(context: BudgetedReadContext, followed: Followed): number {
  const { parents, schema, attribute, query } = followed;
  const fraction = attribute.many
    ? Math.min(1, parents.length / Math.max(1, tableSize(context.storage, schema.table)))
    : 1;
  // links of both versions lead to the same parent
  const versions = attribute.many && hasVersions(query.schema) && !hasVersions(schema) ? 2 : 1;
  return (mostChildren(context, followed) * fraction) / versions;
}

const mostCopies = (rows: readonly LoadedRow[]): number => rows.reduce((most, { copies }) => Math.max(most, copies), 1);

/** More children than this exceed the budget, whichever parents they have. */
export function mostAllowed(
  { budget }: BudgetedReadContext,
  { parents, query }: Followed,
  times: number,
  expected = 0,
): number {
  const fewestCopies = parents.reduce((fewest, { copies }) => Math.min(fewest, copies), Number.POSITIVE_INFINITY);
  const values = countValues(query) * times * Math.max(1, fewestCopies);
  return Math.max(0, Math.floor((budget.left("values") - expected) / values));
}

/** Of a link, further items are ignored. */
export type ChildLinks = readonly (readonly [parent: unknown, id: number, ...unknown[]])[];

/** The ids of the children, and how often each is returned. Throws a ValidationError beyond the budget, less `expected` values. */
export function* readIds(
  context: BudgetedReadContext,
  followed: Followed,
  { compiler, source, buildSql }: ChildStatement,
  times: number,
  expected: number,
): Reading<{ readonly links: ChildLinks; readonly copies: Map<number, number>; readonly expected: number }> {
  const copiesByKey = new Map(
    followed.parents.map(({ document, copies }) => [parentKey(source, document), times * copies]),
  );
  const sql = buildSql("t.id") + atMost(context, compiler, mostAllowed(context, followed, times, expected));
  const rows = yield* readAll(context.storage, { sql, params: compiler.params }, isLongLevel(context, followed));
  const links: ChildLinks = rows.map(([parent, id]) => [parent, id as number] as const);
  context.budget.expect("entries", links.length);
  return { links, ...countCopies(context, links, copiesByKey, countValues(followed.query), expected) };
}

/** How often the target of each link is returned, and with how many values. Throws a ValidationError beyond the budget. */
function countCopies(
  { budget }: BudgetedReadContext,
  links: ChildLinks,
  copiesByKey: ReadonlyMap<unknown, number>,
  values: number,
  expected = 0,
): { readonly copies: Map<number, number>; readonly expected: number } {
  const copies = new Map<number, number>();
  let total = expected;
  for (const [parent, id] of links) {
    const more = copiesByKey.get(parent) ?? 0;
    copies.set(id, (copies.get(id) ?? 0) + more);
    total += more * values;
  }
  budget.expect("values", total);
  return { copies, expected: total };
}

/** Below fewer rows, a level is refused after they are loaded. */
const MANY_ROWS = 1000;

/** The attributes whose children are found by ids alone. */
function* followable(
  { schema, populate }: Pick<Query, "schema" | "populate">,
  parents: readonly LoadedRow[],
): Iterable<{ readonly followed: Followed; readonly times: number }> {
  for (const item of populate) {
    const { attribute, query } = item;
    if (
      !query ||
      item.count ||
      isUnlinked(attribute) ||
      hasPolymorphicTargets(attribute) ||
      listsUsers(schema, attribute)
    )
      continue;
    const followed = { schema, parents, attribute: attribute as SingleTypeAttribute, query };
    if (!isLocalizations(followed.attribute)) yield { followed, times: keyCount(item) };
  }
}

/**
 * Throws a ValidationError if levels below rows that are not loaded yet exceed the budget, as far as their ids show.
 * `copies`: how often each of the rows is returned; `expected`: the values of levels above. Returns the values of all of them.
 */
export function* expectBelow(
  context: BudgetedReadContext,
  query: Query,
  copies: ReadonlyMap<number, number>,
  expected: number,
  isMany = copies.size > MANY_ROWS,
): Reading<number> {
  if (!isMany || context.budget.left("values") === Number.POSITIVE_INFINITY) return expected;
  const parents = [...copies].map(([id, each]) => ({ document: { id }, values: 0, characters: 0, copies: each }));
  const items = [...followable(query, parents)];
  // the last level need not be counted if it fits in any case
  const isLast = items.every(({ followed }) => followed.query.populate.length === 0);
  if (isLast && valuesBelow(context, items, mostChildren) <= context.budget.left("values") - expected) return expected;
  return yield* expectItems(context, items, expected);
}

type Items = readonly { readonly followed: Followed; readonly times: number }[];

/** How many values the children of some attributes have, by an estimate of their number. */
const valuesBelow = (context: BudgetedReadContext, items: Items, countChildren: typeof mostChildren): number =>
  items.reduce(
    (sum, { followed, times }) =>
      sum + countChildren(context, followed) * times * mostCopies(followed.parents) * countValues(followed.query),
    0,
  );

function* expectItems(context: BudgetedReadContext, items: Items, expected: number): Reading<number> {
  let total = expected;
  for (const { followed, times } of items) {
    const below = yield* readIds(context, followed, buildStatement(context, followed), times, total);
    if (context.budget.isPauseDue) yield;
    total = yield* expectBelow(context, followed.query, below.copies, below.expected, true);
  }
  return total;
}

/** Throws a ValidationError if several attributes together are too much, before the first of them is loaded. */
export function* expectAll(
  context: BudgetedReadContext,
  schema: Schema,
  parents: readonly LoadedRow[],
  populate: readonly Populate[],
): Reading<void> {
  const left = context.budget.left("values");
  if (populate.length < 2 || left === Number.POSITIVE_INFINITY) return;
  const items = [...followable({ schema, populate }, parents)];
  if (valuesBelow(context, items, likelyChildren) > left) yield* expectItems(context, items, 0);
}

/** Throws a ValidationError if the targets of links, or levels below them, exceed the budget. */
export function* expectTargets(
  context: BudgetedReadContext,
  item: Populate,
  query: Query,
  parents: readonly LoadedRow[],
  links: ChildLinks,
): Reading<void> {
  const { budget } = context;
  const values = countValues(query);
  const times = keyCount(item);
  const isMany = query.populate.length > 0 && links.length > MANY_ROWS;
  if (!isMany && links.length * times * mostCopies(parents) * values <= budget.left("values")) return;
  const copiesByKey = new Map(parents.map(({ document, copies }) => [document.id, times * copies]));
  // links may lead to rows of another version, which are not returned
  const ids = [...new Set(links.map(([, id]) => id))];
  const rows = yield* rowsById(context, { ...query, fields: NO_FIELDS, populate: [] }, ids);
  const shown = links.filter(([, id]) => rows.has(id));
  const { copies, expected } = countCopies(context, shown, copiesByKey, values);
  yield* expectBelow(context, query, copies, expected);
}

const NO_FIELDS: Query["fields"] = [];

/** Filtering, sorting or paging more takes longer than 50 ms. */
const MANY_LINKS = 30_000;

/** Whether the parents have many links. */
function haveManyLinks(context: BudgetedReadContext, followed: Followed<JoinableAttribute>): boolean {
  const { schema, attribute, parents, query } = followed;
  if (!attribute.many || attribute.link.field === "") return parents.length > MANY_LINKS;
  if (linkCount(context.storage, attribute.link.field) <= MANY_LINKS) return false;
  const compiler = compilerFor(context, query.schema);
  const { near, condition } = compiler.link(attribute, "l", schema.table);
  const links = `SELECT 1 FROM galley_links l WHERE ${condition} AND ${compiler.oneOf(near, listIds(parents))} LIMIT ${MANY_LINKS + 1}`;
  return Number(context.storage.first(`SELECT count(*) FROM (${links})`, compiler.params)?.[0]) > MANY_LINKS;
}

/** Whether the statement for the children of an attribute looks at many links. */
export function isLongLevel(context: BudgetedReadContext, followed: Followed): boolean {
  const { storage } = context;
  if (!storage.hasLongReads) return false;
  if (joinsManyLinks(storage, followed.query)) return true;
  return !isLocalizations(followed.attribute) && haveManyLinks(context, followed);
}
