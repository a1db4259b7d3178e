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
  /** About how many characters the row has in an answer. */
  readonly charactersOf: (row: Row, at: number) => number;
}

const selectionsBySchema = new WeakMap<Schema, WeakMap<readonly ScalarAttribute[], Selection>>();

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
  // a name in quotes, a colon, a comma, and a short value
  const fixed = names.reduce((sum, name) => sum + name.length + 12, 0);
  const end = names.length;
  const charactersOf = (row: Row, at: number): number => {
    let characters = fixed;
    for (let i = at; i < at + end; i++) {
      const stored = row[i];
      if (typeof stored === "string") characters += stored.length;
    }
    return characters;
  };
  return { columns: columns.join(", "), shape, charactersOf };
}

/** Cached by the list of fields, which is the same for a type's default answer and for a prepared operation. */
export function selectionOf(schema: Schema, fields: readonly ScalarAttribute[]): Selection {
  const selections = selectionsBySchema.get(schema) ?? new WeakMap();
  selectionsBySchema.set(schema, selections);
  const selection = selections.get(fields) ?? build(schema, fields);
  selections.set(fields, selection);
  return selection;
}
