/**
 * Links of polymorphic relations. As in Strapi, a link of a morphToMany relation has one order, by which both sides
 * sort, and may have the name of the attribute that shows it on the other side.
 */
import type { Storage } from "../storage/storage.ts";
import { TIE_STEP, TOLERANCE } from "./link-order.ts";
import type { LinkRow } from "./link-rows.ts";

export interface PolymorphicLink extends Pick<LinkRow, "owner" | "target" | "kind" | "targetAttribute"> {
  readonly order: number;
}

/** SQL for `order`, or for an order after the entries of a list whose order is equal within a tolerance, the parameter ?3. */
function afterEqualOrders(order: string, column: string, list: string): string {
  const closeTo = (tolerance: string): string =>
    `FROM galley_links WHERE ${list} AND ${column} BETWEEN ${order} - ${tolerance} AND ${order} + ${tolerance}`;
  return `CASE WHEN EXISTS (SELECT 1 ${closeTo("?3")})
    THEN (SELECT max(${column}) + ${TIE_STEP} ${closeTo(String(TOLERANCE / 2))}) ELSE ${order} END`;
}

const INSERT = `INSERT OR IGNORE INTO galley_links (field, owner, position, target, kind, inverse, target_attribute)
  SELECT ?1, e.owner, ${afterEqualOrders("e.place", "position", "owner = e.owner AND field = ?1")}, e.target, e.kind,
    ${afterEqualOrders("e.place", "inverse", "field = ?1 AND target = e.target AND kind = e.kind")}, e.name
  FROM (SELECT value ->> 0 AS owner, value ->> 1 AS place, value ->> 2 AS target, value ->> 3 AS kind, value ->> 4 AS name
    FROM json_each(?2)) e`;

/**
 * Adds links of a morphToMany relation. Links of one owner or target must have different orders. `tolerance`: 0 for orders
 * that are already unique.
 */
export function addPolymorphicLinks(
  storage: Storage,
  field: number,
  links: readonly PolymorphicLink[],
  tolerance = TOLERANCE / 2,
): number {
  if (links.length === 0) return 0;
  const rows = links.map(({ owner, order, target, kind, targetAttribute }) => [
    owner,
    order,
    target,
    kind,
    targetAttribute,
  ]);
  return storage.run(INSERT, [field, JSON.stringify(rows), tolerance]).changes;
}

/** Adds the link of a morphToOne relation, whose other side is sorted by owner. */
export function addSingleLink(
  storage: Storage,
  field: number,
  { owner, target, kind }: Omit<PolymorphicLink, "order" | "targetAttribute">,
): void {
  storage.run("INSERT INTO galley_links VALUES (?, ?, 1, ?, ?, 1, NULL)", [field, owner, target, kind]);
}
