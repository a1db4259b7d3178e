/** Reads links from parents to children: for several attributes at once, separately from the children's rows. */
import { hasPolymorphicTargets } from "../schema/model.ts";
import { perVersion } from "../storage/connection.ts";
import { Parameters, rowLimit } from "../storage/sql.ts";
import type { BudgetedReadContext } from "./reading.ts";
import type { LoadedRow } from "./select.ts";
import type { Populate } from "./tree.ts";

/** The distinct row ids of the parents. */
export function listIds(parents: readonly LoadedRow[]): unknown[] {
  const ids = new Set<unknown>();
  for (let i = 0; i < parents.length; i++) ids.add(parents[i]!.document.id);
  return [...ids];
}

/** A LIMIT of one row more than the request may still load, to notice that there are too many. */
export function atMost(
  { budget }: BudgetedReadContext,
  parameters: Parameters,
  max = Number.POSITIVE_INFINITY,
): string {
  const limit = Math.min(budget.left("entries"), max);
  return limit === Number.POSITIVE_INFINITY ? "" : ` ${rowLimit(parameters.bind(limit + 1))}`;
}

/** A link from a parent to a child; `kind` and `field` are numbers of `galley_names`. */
export type LinkTuple = [owner: number, target: number, kind: number, field: number];
/** By the number of the link field; in order of the owners, each with its links in order. */
type LinksByField = ReadonlyMap<number, readonly LinkTuple[]>;

/** Whether the parents' links alone determine the children: nothing is filtered, sorted or counted. */
export function needsOnlyLinks({ attribute, query, count }: Populate): boolean {
  if (count || attribute.link.side !== "owner" || (attribute.kind === "relation" && attribute.virtual)) return false;
  return !query || (!query.where && query.sort.length === 0);
}

/** Whether only some of each parent's children are wanted. */
export const isPaged = ({ query }: Populate): boolean =>
  query !== undefined && (query.start > 0 || query.limit !== undefined);

const readFields = perVersion(() => new Set<string>());
/** With this many attributes, some are usually empty. */
const MANY_ATTRIBUTES = 4;

/**
 * Whether links are read separately from rows. This pays for many attributes, and for rows that are probably cached because
 * the same attributes have been read before.
 */
function shouldPrefetch({ storage }: BudgetedReadContext, items: readonly Populate[]): boolean {
  if (items.length === 0) return false;
  if (items.length >= MANY_ATTRIBUTES || items.some(({ attribute }) => hasPolymorphicTargets(attribute))) return true;
  const fields = readFields(storage);
  const key = items.map(({ attribute }) => attribute.link.field).join();
  if (fields.has(key)) return true;
  fields.add(key);
  return false;
}

/** Attributes with more links than this are paged by the database. */
const MAX_PAGED_LINKS = 1000;
/** Fields with more links than `MAX_PAGED_LINKS`. */
const longFields = perVersion(() => new Set<string>());

/**
 * Reads the links of all attributes in one statement, where that pays; undefined: nothing was read. `linkOnly`: attributes
 * that need only links. Pages of short lists are sliced in memory, those of long lists by the database.
 */
export function prefetchLinks(
  context: BudgetedReadContext,
  parents: readonly LoadedRow[],
  linkOnly: readonly Populate[],
): LinksByField | undefined {
  const long = longFields(context.storage);
  const items = linkOnly.filter((item) => !isPaged(item) || !long.has(item.attribute.link.field));
  if (!shouldPrefetch(context, items)) return undefined;
  const paged = items.filter(isPaged);
  if (paged.length === 0) return readLinks(context, parents, items);
  const links = readLinks(context, parents, items, MAX_PAGED_LINKS);
  if (links) return links;
  for (const { attribute } of paged) long.add(attribute.link.field);
  return prefetchLinks(context, parents, linkOnly);
}

/** Reads the links of several attributes in one statement; undefined when there are more than `max`. */
export function readLinks(
  context: BudgetedReadContext,
  parents: readonly LoadedRow[],
  items: readonly Populate[],
  max?: number,
): LinksByField | undefined {
  const { storage } = context;
  const parameters = new Parameters();
  const byField = new Map<number, LinkTuple[]>();
  for (const { attribute } of items) byField.set(storage.number(attribute.link.field), []);
  const numbers = [...byField.keys()].map(parameters.bind).join(", ");
  const sql = `SELECT l.owner, l.target, l.kind, l.field FROM galley_links l
    WHERE l.field IN (${numbers}) AND ${parameters.oneOf("l.owner", listIds(parents))} ORDER BY l.owner, l.field, l.position`;
  const limit = atMost(context, parameters, max);
  const rows = storage.all(sql + limit, parameters.params) as LinkTuple[];
  if (max !== undefined && rows.length > max) return undefined;
  context.budget.take("entries", rows.length);
  for (let i = 0; i < rows.length; i++) byField.get(rows[i]![3])!.push(rows[i]!);
  return byField;
}
