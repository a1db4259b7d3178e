/** The document of a response from the values that the statement returns that has written its row. */
import { chargeRepeated, chargeRows, type Document, rowLoader } from "../query/select.ts";
import type { CheckedQuery } from "../query/tree.ts";
import type { ScalarAttribute } from "../schema/model.ts";
import { quote } from "../storage/sql.ts";
import type { Row } from "../storage/storage.ts";

const columnsByFields = new WeakMap<readonly ScalarAttribute[], string>();

/** The columns behind the id, for RETURNING, which does not know aliases of tables. */
export const returnedColumns = ({ fields }: CheckedQuery): string =>
  columnsByFields.getOrInsertComputed(fields, () =>
    ["document_id", ...fields.map(({ column, type }) => type.column.read?.(quote(column)) ?? quote(column))]
      .map((column) => `, ${column}`)
      .join(""),
  );

/** `row`: the id, and `returnedColumns`. Throws a ValidationError beyond the budget. */
export function toDocument(query: CheckedQuery, row: Row): Document {
  const loaded = rowLoader(query)(row, 0);
  chargeRows(query.budget, [loaded]);
  chargeRepeated(query.budget, query, [loaded], "page");
  return loaded.document;
}
