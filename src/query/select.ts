/** The columns to select, and the mapping from a row to an object. */
import type { SqlValue } from "../attributes/index.ts";
import type { ScalarAttribute, Schema } from "../schema/model.ts";
import { quote } from "../storage/quote.ts";
import type { Row } from "../storage/storage.ts";

/** A document or component as it is returned, before populated attributes are added. */
export type Document = Record<string, unknown>;

export interface LoadedRow {
  readonly document: Document;
  /** Its size in the response, without populated attributes: number of values, and characters. */
  values: number;
  characters: number;
  /** How often it is returned. */
  copies: number;
}

/** A key of the object, and the conversion from the stored value; undefined: none. */
interface Property {
  readonly name: string;
  readonly load: ((stored: SqlValue) => unknown) | undefined;
}

/** Maps a row to an object and counts its characters; `at` is the index of its first value in the row. */
export type RowMapper = (row: Row, at: number) => LoadedRow;

export interface Selection {
  /** The columns of the row `t`, for SELECT. */
  readonly columns: string;
  readonly mapRow: RowMapper;
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
  return { columns: columns.join(", "), mapRow: createRowMapper(properties) };
}

/** Cached by the identity of `fields`: default fields and prepared operations pass the same array each time. */
export function selectionOf(schema: Schema, fields: readonly ScalarAttribute[]): Selection {
  const selections = selectionsBySchema.get(schema) ?? new WeakMap();
  selectionsBySchema.set(schema, selections);
  const selection = selections.get(fields) ?? build(schema, fields);
  selections.set(fields, selection);
  return selection;
}

/** Compiling a mapper takes as long as mapping some hundred rows, so it pays after this many. */
const ROWS_BEFORE_COMPILING = 400;

function createRowMapper(properties: readonly Property[]): RowMapper {
  // the quotes, colon and comma of each name, and a short value
  const fixed = properties.reduce((sum, { name }) => sum + name.length + 12, 0);
  const mapGenerically: RowMapper = (row, at) => {
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
  let mapRow = mapGenerically;
  let rows = 0;
  return (row, at) => {
    if (++rows === ROWS_BEFORE_COMPILING) mapRow = compileMapper(properties, fixed) ?? mapGenerically;
    return mapRow(row, at);
  };
}

/**
 * A mapper with these properties as an object literal: three times as fast, since the engine knows the object's shape.
 * Undefined for `__proto__`, which means something else in a literal.
 */
function compileMapper(properties: readonly Property[], fixed: number): RowMapper | undefined {
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
  return make(properties.map(({ load }) => load)) as RowMapper;
}
