/** The columns of a read and the object that each row becomes. */
import type { SqlValue } from "../attributes/index.ts";
import type { ScalarAttribute, Schema } from "../schema/model.ts";
import { quote } from "../storage/quote.ts";
import type { Row } from "../storage/storage.ts";

/** A document or component as it is answered, before its populated attributes are added. */
export type Document = Record<string, unknown>;

export interface Selection {
  /** The columns of the row `t`, ready for SELECT. */
  readonly columns: string;
  /** Makes the object; `at` is where the selection begins in the row. */
  readonly shape: (row: Row, at: number) => Document;
}

const full = new WeakMap<Schema, Selection>();

function build(schema: Schema, fields: readonly ScalarAttribute[]): Selection {
  const ids = schema.modelType === "contentType" ? ["id", "documentId"] : ["id"];
  const columns: string[] = ids.map((name) => (name === "id" ? "t.id" : "t.document_id"));
  const names = [...ids];
  const loads: (((stored: SqlValue) => unknown) | undefined)[] = ids.map(() => undefined);
  for (const { name, column, type } of fields) {
    const quoted = `t.${quote(column)}`;
    columns.push(type.column.read?.(quoted) ?? quoted);
    names.push(name);
    loads.push(type.load);
  }
  const shape = (row: Row, at: number): Document => {
    const document: Document = {};
    for (let i = 0; i < names.length; i++) {
      const load = loads[i];
      const stored = row[at + i]!;
      document[names[i]!] = load ? load(stored) : stored;
    }
    return document;
  };
  return { columns: columns.join(", "), shape };
}

/** The selection of a type's usual fields is made once. */
export function selectionOf(schema: Schema, fields: readonly ScalarAttribute[]): Selection {
  if (fields !== schema.answered) return build(schema, fields);
  let selection = full.get(schema);
  if (!selection) {
    selection = build(schema, fields);
    full.set(schema, selection);
  }
  return selection;
}
