/** Finds stored values that cannot be read, and are returned as null, in a project's database, without changing it. */
import type { Database } from "bun:sqlite";
import type { SqlValue } from "../engine/attributes/index.ts";
import { canDecode } from "../engine/query/select.ts";
import type { Model, ScalarAttribute, Schema } from "../engine/schema/model.ts";
import { ensureKnownFormat } from "../engine/storage/format.ts";
import { openReadOnly } from "../engine/storage/open-read-only.ts";
import { quote } from "../engine/storage/sql.ts";
import { isThere } from "../lib/is-there.ts";
import { databaseFile } from "./project/project-source.ts";

export interface UnreadableValues {
  /** Of the content-type or component. */
  readonly uid: string;
  readonly attribute: string;
  readonly type: string;
  readonly count: number;
  /** Ids of the first rows. */
  readonly rows: readonly number[];
}

const MAX_ROWS = 100;

function* inTable(db: Database, schema: Schema): Generator<UnreadableValues> {
  const columns = db.query("SELECT name FROM pragma_table_info(?)").values(schema.table).flat();
  const attributes = [...schema.attributes.values()].filter(
    (attribute): attribute is ScalarAttribute => attribute.kind === "scalar" && columns.includes(attribute.column),
  );
  if (attributes.length === 0) return;
  const selected = attributes.map(({ column, type }) => type.column.read?.(quote(column)) ?? quote(column));
  // a page at a time: a project may have millions of rows
  const page = db.query<unknown, [number]>(
    `SELECT id, ${selected.join(", ")} FROM ${quote(schema.table)} WHERE id > ? ORDER BY id LIMIT 1000`,
  );
  const found = attributes.map(() => ({ count: 0, rows: [] as number[] }));
  for (let last = Number.MIN_SAFE_INTEGER; ; ) {
    const rows = page.values(last) as [number, ...SqlValue[]][];
    for (const [id, ...values] of rows) {
      last = id;
      for (const [index, attribute] of attributes.entries()) {
        if (canDecode(attribute.type, values[index]!)) continue;
        const entry = found[index]!;
        entry.count++;
        if (entry.rows.length < MAX_ROWS) entry.rows.push(id);
      }
    }
    if (rows.length === 0) break;
  }
  for (const [index, { name, type }] of attributes.entries())
    if (found[index]!.count > 0) yield { uid: schema.uid, attribute: name, type: type.name, ...found[index]! };
}

/** Empty for a project without a database. Throws for a database that cannot be opened. */
export function unreadableValues(root: string, model: Model): readonly UnreadableValues[] {
  const file = databaseFile(root);
  if (!isThere(file)) return [];
  using db = openReadOnly(file);
  ensureKnownFormat(db, file);
  const schemas = [...model.types.values(), ...model.components.values()];
  return schemas.flatMap((schema) => [...inTable(db, schema)]);
}
