/** `_q`: a case-insensitive literal search in every searchable attribute and the ids. */
import type { Schema } from "../schema/model.ts";
import { type Bind, joined, quote } from "../storage/sql.ts";
import { contains, countFolded } from "./text-match.ts";
import type { Query } from "./tree.ts";

interface SearchQuery extends Pick<Query, "schema" | "searchesPrivate"> {
  readonly search: string;
}

/** The columns of a table's search index, besides the id: all that a search may look at. */
export function indexedColumns({ modelType, attributes }: Schema): readonly string[] {
  const columns = modelType === "contentType" ? ["document_id", "locale"] : [];
  for (const attribute of attributes.values())
    if (attribute.kind === "scalar" && !attribute.system && attribute.type.search) columns.push(attribute.column);
  return columns;
}

function searchedColumns(
  { schema, searchesPrivate }: Pick<Query, "schema" | "searchesPrivate">,
  search: "text" | "number",
  alias: string,
): string[] {
  const columns: string[] = [];
  for (const attribute of schema.attributes.values()) {
    if (attribute.kind !== "scalar" || attribute.system || !attribute.searchable) continue;
    if (attribute.private && !searchesPrivate?.has(attribute.name)) continue;
    if (attribute.type.search === search) columns.push(`${alias}.${quote(attribute.column)}`);
  }
  return columns;
}

/** The condition that a row with the alias `alias` contains the text. */
export function searchCondition(query: SearchQuery, alias: string, bind: Bind): string {
  const { search: text, schema } = query;
  const find = contains("folded");
  const isNumber = !Number.isNaN(Number(text));
  const columns = [`CAST(${alias}.id AS TEXT)`];
  if (schema.modelType === "contentType") columns.push(`${alias}.document_id`, `${alias}.locale`);
  columns.push(...searchedColumns(query, "text", alias));
  if (isNumber) columns.push(...searchedColumns(query, "number", alias).map((column) => `CAST(${column} AS TEXT)`));
  return joined(
    columns.map((column) => find(column, text, bind)),
    "OR",
  );
}

/**
 * The relevance of a row that contains the text, smaller for more of it: that of BM25 for each text, with a fixed length of 100 characters as the
 * usual one, so that the order depends neither on other rows nor on an index. What counts is how often a text contains it, and how short the text is.
 */
export function relevanceSql(query: SearchQuery, alias: string, bind: Bind): string {
  const values = searchedColumns(query, "text", alias).map((column) => {
    const count = countFolded(column, query.search, bind);
    // no value for a count of 0
    return `coalesce(1 / (1 + (0.3 + 0.009 * length(${column})) / (${count})), 0)`;
  });
  return `-(${joined(values.length > 0 ? values : ["0"], "+")})`;
}
