/** Inserts published rows of built-in types directly, without the document service. */
import type { SqlValue } from "../attributes/index.ts";
import type { DocumentsContext } from "../documents/context.ts";
import { type ContentType, contentType } from "../schema/model.ts";
import { quote } from "../storage/sql.ts";

/** The defaults of scalar attributes, as of an extended type, by column. */
const defaults = ({ attributes }: ContentType): [string, SqlValue][] =>
  [...attributes.values()].flatMap((attribute): [string, SqlValue][] => {
    if (attribute.kind !== "scalar" || attribute.system || attribute.type.isSecret) return [];
    const { default: value } = attribute.definition;
    return value === undefined ? [] : [[attribute.column, attribute.type.store(value)]];
  });

/** `values`: by column. Returns the id of the row. */
export function insertRow(
  { storage, model, clock, ids }: DocumentsContext,
  uid: string,
  values: Readonly<Record<string, SqlValue>>,
): number {
  const now = clock.writeTime();
  const type = contentType(model, uid);
  const row = {
    document_id: ids.documentId(),
    status: "published",
    created_at: now,
    updated_at: now,
    published_at: now,
    ...Object.fromEntries(defaults(type)),
    ...values,
  };
  const columns = Object.keys(row);
  const sql = `INSERT INTO ${quote(type.table)} (${columns.map(quote).join(", ")})
    VALUES (${columns.map(() => "?").join(", ")})`;
  return storage.run(sql, Object.values(row)).id;
}
