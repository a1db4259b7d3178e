/** Inserts of `strapi.db.queryBuilder`, which may change existing rows instead. */
import type { Knex } from "knex";
import { isRecord } from "../../lib/is-record.ts";
import type { RowQueries } from "./query-engine.ts";

type Data = Readonly<Record<string, unknown>>;

/** What happens to rows that exist. */
export interface Conflicts {
  /** The names that identify a row; null: all rows are inserted. */
  readonly onConflict: readonly string[] | null;
  /** What to change of an existing row: names, or values; true: all that is inserted. Null: nothing. */
  readonly merge: true | readonly string[] | Data | null;
}

/** As in the query builder: `rows` is undefined for tables without a content-type. */
interface Target {
  readonly table: string;
  readonly rows: RowQueries | undefined;
  readonly connection: () => Knex;
}

/** Runs inside a transaction. Returns the ids of rows that were inserted or changed. */
export async function insertRows(target: Target, items: readonly Data[], conflicts: Conflicts): Promise<object[]> {
  const ids: unknown[] = [];
  for (const item of items) {
    const key =
      conflicts.onConflict && Object.fromEntries(conflicts.onConflict.map((name) => [name, item[name] ?? null]));
    const existing = key && (await find(target, key));
    if (!existing) ids.push(await insert(target, item));
    else if (conflicts.merge !== null) {
      await change(target, key, changedValues(item, conflicts.merge));
      ids.push(existing.id);
    }
  }
  return ids.map((id) => ({ id }));
}

async function find({ table, rows, connection }: Target, where: Data): Promise<Data | undefined> {
  return rows
    ? rows.find({ where, limit: 1 })[0]
    : ((await connection()(table).where(where).first()) as Data | undefined);
}

async function insert(target: Target, item: Data): Promise<unknown> {
  const { table, rows, connection } = target;
  // as in Strapi, a row that does not say so is not published
  if (rows) return (await rows.insert([{ publishedAt: null, ...item }]))[0];
  await connection()(table).insert(item);
  return (await find(target, item))?.id;
}

async function change({ table, rows, connection }: Target, where: Data, values: Data): Promise<void> {
  if (rows) await rows.update({ where }, values);
  else await connection()(table).where(where).update(values);
}

function changedValues(item: Data, merge: NonNullable<Conflicts["merge"]>): Data {
  if (isRecord(merge)) return merge;
  const names = Array.isArray(merge) ? (merge as readonly string[]) : Object.keys(item);
  return Object.fromEntries(names.filter((name) => name in item).map((name) => [name, item[name]]));
}
