/** The values of a row: what lists of documents are filtered and sorted by, without long texts and secrets. */
import { isScalarTypeName, type ScalarType, scalarTypes } from "../../attributes/index.ts";
import type { Schema } from "../../schema/model.ts";
import { createTable, type Layout, type Table } from "../layout.ts";
import { quote } from "../sql.ts";

/** A value as SQL writes it. */
export type StoredValue = string;

/** Lists are sorted by it, and never ask for one value. */
export const CREATED = "created_at";

/** Of further columns, no values are recorded: SQLite limits the length of expressions. */
const MAX_COLUMNS = 100;

const isShort = ({ isLong, isSecret }: ScalarType): boolean => !isLong && !isSecret;

interface ValueColumns {
  readonly short: readonly string[];
  readonly long: readonly string[];
}

const columnsByTable = new WeakMap<Table, ValueColumns>();

/** The columns by whether their values are recorded; those of secrets are in neither list. */
export const valueColumns = (table: Table): ValueColumns => columnsByTable.getOrInsertComputed(table, splitColumns);

function splitColumns({ columns }: Table): ValueColumns {
  const all = Object.entries(columns).flatMap(([name, { type }]): [string, ScalarType][] =>
    isScalarTypeName(type) && !scalarTypes[type].isSecret ? [[name, scalarTypes[type]]] : [],
  );
  const short = [CREATED, ...all.filter(([, type]) => isShort(type)).map(([name]) => name)].slice(0, MAX_COLUMNS);
  return { short, long: all.map(([name]) => name).filter((name) => !short.includes(name)) };
}

/** How many columns of values the entries of all tables need. */
export const countRecorded = (layout: Layout): number =>
  Math.max(0, ...Object.values(layout).map((table) => valueColumns(table).short.length));

const compared = new WeakMap<Schema, ReadonlySet<string>>();

/** Those whose values are recorded, and which clients may ask for. */
export const comparedColumns = (schema: Schema): ReadonlySet<string> =>
  compared.getOrInsertComputed(schema, () => {
    const shown = [...schema.attributes.values()].flatMap((attribute) =>
      attribute.kind === "scalar" && !attribute.system && !attribute.private ? attribute.column : [],
    );
    return new Set(valueColumns(createTable(schema)).short).intersection(new Set(shown));
  });

/** The columns of an entry that have the values of a row. */
export const recordedColumns = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `v${index}`);

/** As a list in SQL. Any value can be written so, also bytes in a column of texts. */
export const literals = (columns: readonly string[]): string =>
  columns.map((column) => `quote(${quote(column)})`).join(", ");

/** By column. */
export type Values = ReadonlyMap<string, StoredValue>;

/** Undefined for what was recorded of a table with other columns. */
export function toValues(table: Table, values: readonly StoredValue[]): Values | undefined {
  const { short } = valueColumns(table);
  return values.length === short.length ? new Map(short.map((column, index) => [column, values[index]!])) : undefined;
}

/** Undefined for bytes, which no tag names. */
export function readValue(value: StoredValue): string | number | null | undefined {
  if (value === "NULL") return null;
  if (value.startsWith("'")) return value.slice(1, -1).replaceAll("''", "'");
  const number = Number(value);
  return Number.isNaN(number) ? undefined : number;
}
