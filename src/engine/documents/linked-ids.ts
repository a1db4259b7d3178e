/** Reads the links of a row. */
import type { Link } from "../schema/model.ts";
import type { Storage } from "../storage/storage.ts";

/** The columns of a link as each of its sides sees them. */
export const linkColumns = {
  owner: { near: "owner", far: "target", order: "position", farOrder: "inverse" },
  inverse: { near: "target", far: "owner", order: "inverse", farOrder: "position" },
} as const satisfies Record<Link["side"], Record<string, string>>;

/** Ids of the rows that a row is linked with, in order. */
export function linkedIds(storage: Storage, { field, side }: Link, row: number): number[] {
  const { near, far, order } = linkColumns[side];
  const sql = `SELECT ${far} FROM galley_links WHERE field = ? AND ${near} = ? ORDER BY ${order}, ${far}`;
  return storage.all(sql, [storage.number(field), row]).map(([id]) => id as number);
}
