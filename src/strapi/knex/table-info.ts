/** `PRAGMA table_info` of Strapi's tables. */
import type { ScalarTypeName } from "../../engine/attributes/index.ts";
import type { Storage } from "../../engine/storage/storage.ts";
import type { MappedTable } from "./tables.ts";

const TEXT = "varchar(255)";
const ID = "INTEGER";

/** Strapi's column types. */
const sqlTypes: Readonly<Record<ScalarTypeName, string>> = {
  string: TEXT,
  uid: TEXT,
  email: TEXT,
  password: TEXT,
  enumeration: TEXT,
  text: "TEXT",
  richtext: "TEXT",
  json: "json",
  blocks: "json",
  integer: "INTEGER",
  biginteger: "bigint",
  float: "float",
  decimal: "float",
  date: "date",
  time: "time",
  datetime: "datetime",
  timestamp: "datetime",
  boolean: "boolean",
};

interface ColumnInfo {
  readonly cid: number;
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly dflt_value: null;
  readonly pk: number;
}

/** The type of a column that belongs to no attribute. */
const otherType = (name: string): string =>
  name === "order" || name.endsWith("_ord") ? "float" : /(^|_)id$/.test(name) && name !== "document_id" ? ID : TEXT;

/** Strapi's columns have this order: ids, attributes, creators, locale. */
const ranks: Readonly<Record<string, number>> = {
  id: 0,
  document_id: 1,
  created_by_id: 3,
  updated_by_id: 4,
  locale: 5,
};
const rankOf = (name: string): number => ranks[name] ?? 2;

export function tableInfo({ columns, select }: MappedTable, storage: Storage): ColumnInfo[] {
  const types = new Map(columns.map(({ name, type }) => [name, sqlTypes[type as ScalarTypeName]]));
  const statement = storage.db.prepare(`SELECT * FROM (${select(storage)}) LIMIT 0`);
  const names = [...statement.columnNames].sort((a, b) => rankOf(a) - rankOf(b));
  statement.finalize();
  return names.map((name, cid) => {
    const isKey = Number(name === "id");
    return { cid, name, type: types.get(name) ?? otherType(name), notnull: isKey, dflt_value: null, pk: isKey };
  });
}
