/** Edges from rows to their children: read for several attributes at once, separately from the rows that they lead to. */
import { perVersion } from "../storage/per-version.ts";
import { rowLimit } from "../storage/row-limit.ts";
import type { BudgetedReading } from "./reading.ts";
import type { LoadedRow } from "./select.ts";
import { Parameters } from "./sql.ts";
import type { Populate } from "./tree.ts";

/** Each of the parents' row ids once. */
export const idsOf = (parents: readonly LoadedRow[]): unknown[] => [
  ...new Set(parents.map(({ document }) => document.id)),
];

/** Ends a statement so that it reads one row more than the request may still load, which shows that there are too many. */
export function atMost({ budget }: BudgetedReading, parameters: Parameters, most = Number.POSITIVE_INFINITY): string {
  const limit = Math.min(budget.left("entries"), most);
  return limit === Number.POSITIVE_INFINITY ? "" : ` ${rowLimit(parameters.bind(limit + 1))}`;
}

/** An edge from a parent to what it has; kind and field are numbers of the database. */
export type Edge = [owner: number, target: number, kind: number, field: number];
/** By the field's name. */
type Edges = ReadonlyMap<string, readonly Edge[]>;

/** Whether the rows behind an attribute may be of several tables. */
export const hasKinds = ({ kind, target }: { readonly kind: string; readonly target?: string | undefined }): boolean =>
  kind === "zone" || (kind === "relation" && !target);

/** Whether just following the parents' own edges finds the children: nothing is filtered, sorted or counted. */
export function isPlain({ attribute, query, count }: Populate): boolean {
  if (count || attribute.link.side !== "owner" || (attribute.kind === "relation" && attribute.virtual)) return false;
  return !query || (!query.where && query.sort.length === 0);
}

/** Whether only some of each parent's children are wanted. */
export const isPaged = ({ query }: Populate): boolean =>
  query !== undefined && (query.start > 0 || query.limit !== undefined);

const readBefore = perVersion(() => new Set<string>());
/** With this many attributes, some are mostly empty. */
const MANY = 4;

/**
 * Whether edges are read separately from the rows that they lead to: worth it for many attributes, and for rows that are
 * probably at hand, since they have been read before.
 */
function isReadApart({ storage }: BudgetedReading, plain: readonly Populate[]): boolean {
  if (plain.length === 0) return false;
  if (plain.length >= MANY || plain.some(({ attribute }) => hasKinds(attribute))) return true;
  const before = readBefore(storage);
  const key = plain.map(({ attribute }) => attribute.link.field).join();
  if (before.has(key)) return true;
  before.add(key);
  return false;
}

/** More edges than that are not read for the sake of pages of them. */
const MOST_PAGED = 1000;
/** Fields that have more. */
const longFields = perVersion(() => new Set<string>());

/**
 * The edges of those attributes whose edges are read separately; undefined: of none. Pages of short lists are cut here, those
 * of long ones by the database.
 */
export function edgesApart(
  reading: BudgetedReading,
  parents: readonly LoadedRow[],
  plain: readonly Populate[],
): Edges | undefined {
  const long = longFields(reading.storage);
  const items = plain.filter((item) => !isPaged(item) || !long.has(item.attribute.link.field));
  if (!isReadApart(reading, items)) return undefined;
  const paged = items.filter(isPaged);
  if (paged.length === 0) return readEdges(reading, parents, items);
  const edges = readEdges(reading, parents, items, MOST_PAGED);
  if (edges) return edges;
  for (const { attribute } of paged) long.add(attribute.link.field);
  return edgesApart(reading, parents, plain);
}

/** The edges of several fields in one statement; undefined when there are more than `most`. */
export function readEdges(
  reading: BudgetedReading,
  parents: readonly LoadedRow[],
  items: readonly Populate[],
  most?: number,
): Edges | undefined {
  const { storage } = reading;
  const parameters = new Parameters();
  const fields = new Map(items.map(({ attribute }) => [storage.number(attribute.link.field), attribute.link.field]));
  const numbers = [...fields.keys()].map(parameters.bind).join(", ");
  const sql = `SELECT l.owner, l.target, l.kind, l.field FROM galley_links l
    WHERE l.field IN (${numbers}) AND ${parameters.oneOf("l.owner", idsOf(parents))} ORDER BY l.owner, l.field, l.position`;
  const limit = atMost(reading, parameters, most);
  const rows = storage.all(sql + limit, parameters.params) as Edge[];
  if (most !== undefined && rows.length > most) return undefined;
  reading.budget.take("entries", rows.length);
  const edges = new Map([...fields.values()].map((field): [string, Edge[]] => [field, []]));
  for (const edge of rows) edges.get(fields.get(edge[3]) ?? "")?.push(edge);
  return edges;
}
