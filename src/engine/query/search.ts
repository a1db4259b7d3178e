/** `_q`: a case-insensitive literal search in every searchable attribute and the ids. */
import { type Bind, joined, quote } from "../storage/sql.ts";
import { contains } from "./text-match.ts";
import type { Query } from "./tree.ts";

interface SearchQuery extends Pick<Query, "schema" | "searchesPrivate"> {
  readonly search: string;
}

/** The condition that a row with the alias `alias` contains the text. */
export function searchCondition(
  { search: text, schema, searchesPrivate }: SearchQuery,
  alias: string,
  bind: Bind,
): string {
  const find = contains("folded");
  const isNumber = !Number.isNaN(Number(text));
  const columns = [`CAST(${alias}.id AS TEXT)`];
  if (schema.modelType === "contentType") columns.push(`${alias}.document_id`, `${alias}.locale`);
  for (const attribute of schema.attributes.values()) {
    if (attribute.kind !== "scalar" || attribute.system || !attribute.searchable) continue;
    if (attribute.private && !searchesPrivate?.has(attribute.name)) continue;
    const column = `${alias}.${quote(attribute.column)}`;
    if (attribute.type.search === "text") columns.push(column);
    if (attribute.type.search === "number" && isNumber) columns.push(`CAST(${column} AS TEXT)`);
  }
  return joined(
    columns.map((column) => find(column, text, bind)),
    "OR",
  );
}
