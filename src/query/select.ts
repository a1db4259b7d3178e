/** The columns of a read and the object that each row becomes. */
import type { SqlValue } from "../attributes/index.ts";
import type { ScalarAttribute, Schema } from "../schema/model.ts";
import { quote } from "../storage/quote.ts";
import type { Row } from "../storage/storage.ts";

/** A document or component as it is answered, before its populated attributes are added. */
export type Document = Record<string, unknown>;

export interface LoadedRow {
  readonly document: Document;
  /** What one copy of it adds to the answer, without what is populated of it. */
  values: number;
  characters: number;
  /** How often it is answered. */
  copies: number;
}

/** A key of the object, and how the stored value becomes its value; undefined: it stays as it is. */
interface Property {
  readonly name: string;
  readonly load: ((stored: SqlValue) => unknown) | undefined;
}

/** Makes the object of a row, and counts its characters; `at` is where its values begin in the row. */
export type RowShape = (row: Row, at: number) => LoadedRow;

export interface Selection {
  /** The columns of the row `t`, ready for SELECT. */
  readonly columns: string;
  readonly shape: RowShape;
}

const selectionsBySchema = new WeakMap<Schema, WeakMap<readonly ScalarAttribute[], Selection>>();

function build(schema: Schema, fields: readonly ScalarAttribute[]): Selection {
  const columns = ["t.id"];
  const properties: Property[] = [{ name: "id", load: undefined }];
  if (schema.modelType === "contentType") {
    columns.push("t.document_id");
    properties.push({ name: "documentId", load: undefined });
  }
  for (const { name, column, type } of fields) {
    const quoted = `t.${quote(column)}`;
    columns.push(type.column.read?.(quoted) ?? quoted);
    properties.push({ name, load: type.load });
  }
  return { columns: columns.join(", "), shape: rowShape(properties) };
}

/** Cached by the list of fields, which is the same for a type's default answer and for a prepared operation. */
export function selectionOf(schema: Schema, fields: readonly ScalarAttribute[]): Selection {
  const selections = selectionsBySchema.get(schema) ?? new WeakMap();
  selectionsBySchema.set(schema, selections);
  const selection = selections.get(fields) ?? build(schema, fields);
  selections.set(fields, selection);
  return selection;
}

/** After so many rows, a function of its own pays: it takes as long to make as some hundred rows to shape. */
const ROWS_BEFORE_GENERATED = 400;

function rowShape(properties: readonly Property[]): RowShape {
  // a name in quotes, a colon, a comma, and a short value
  const fixed = properties.reduce((sum, { name }) => sum + name.length + 12, 0);
  const interpreted: RowShape = (row, at) => {
    const document: Document = {};
    let characters = fixed;
    for (let i = 0; i < properties.length; i++) {
      const { name, load } = properties[i]!;
      const stored = row[at + i]!;
      if (typeof stored === "string") characters += stored.length;
      document[name] = load ? load(stored) : stored;
    }
    return { document, values: 0, characters, copies: 0 };
  };
  let shape = interpreted;
  let rows = 0;
  return (row, at) => {
    if (++rows === ROWS_BEFORE_GENERATED) shape = generated(properties, fixed) ?? interpreted;
    return shape(row, at);
  };
}

/**
 * The same, written out for these properties: three times as fast, since the engine then knows the object's keys. Undefined for
 * a name that means something else in an object literal.
 */
function generated(properties: readonly Property[], fixed: number): RowShape | undefined {
  if (properties.some(({ name }) => name === "__proto__")) return undefined;
  const values = properties.map((_, i) => `const v${i} = row[at + ${i}];`).join("\n");
  const lengths = properties.map((_, i) => `if (typeof v${i} === "string") characters += v${i}.length;`).join("\n");
  const entries = properties.map(
    ({ name, load }, i) => `${JSON.stringify(name)}: ${load ? `loads[${i}](v${i})` : `v${i}`}`,
  );
  const make = new Function(
    "loads",
    `return (row, at) => {
      ${values}
      let characters = ${fixed};
      ${lengths}
      return { document: { ${entries.join(", ")} }, values: 0, characters, copies: 0 };
    };`,
  );
  return make(properties.map(({ load }) => load)) as RowShape;
}
