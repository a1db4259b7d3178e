/** `_q`: a case-insensitive literal search in every searchable attribute and the ids. */
import type { ScalarAttribute, Schema } from "../schema/model.ts";
import { type Bind, joined, quote } from "../storage/sql.ts";
import { contains, countFolded } from "./text-match.ts";
import type { Query } from "./tree.ts";

interface SearchQuery extends Pick<Query, "schema" | "searchesPrivate"> {
  readonly search: string;
}

/** What a search can look at. */
const searchableAttributes = ({ attributes }: Schema): ScalarAttribute[] =>
  [...attributes.values()].filter(
    (attribute): attribute is ScalarAttribute =>
      attribute.kind === "scalar" && !attribute.system && attribute.type.search !== undefined,
  );

/** The columns of a table's search index, besides the id. */
export const indexedColumns = (schema: Schema): readonly string[] => [
  ...(schema.modelType === "contentType" ? ["document_id", "locale"] : []),
  ...searchableAttributes(schema).flatMap(({ indexable, column }) => (indexable ? column : [])),
];

type SearchScope = Pick<Query, "schema" | "searchesPrivate">;

const mayBeSearched = ({ schema, searchesPrivate }: SearchScope): ScalarAttribute[] =>
  searchableAttributes(schema).filter(
    ({ searchable, name, private: isPrivate }) => searchable && (!isPrivate || searchesPrivate?.has(name)),
  );

/** Whether the search index has all that is searched. */
export const isIndexed = (scope: SearchScope): boolean => mayBeSearched(scope).every(({ indexable }) => indexable);

/** Numbers are searched for numbers only. */
export function searchedAttributes({ search, ...scope }: SearchQuery): ScalarAttribute[] {
  const isNumber = !Number.isNaN(Number(search));
  return mayBeSearched(scope).filter(({ type }) => isNumber || type.search === "text");
}

const isText = ({ type }: ScalarAttribute): boolean => type.search === "text";

/** The condition that a row with the alias `alias` contains the text. */
export function searchCondition(query: SearchQuery, alias: string, bind: Bind): string {
  const { search: text, schema } = query;
  const find = contains("folded");
  const columns = [`CAST(${alias}.id AS TEXT)`];
  if (schema.modelType === "contentType") columns.push(`${alias}.document_id`, `${alias}.locale`);
  for (const attribute of searchedAttributes(query)) {
    const column = `${alias}.${quote(attribute.column)}`;
    columns.push(isText(attribute) ? column : `CAST(${column} AS TEXT)`);
  }
  return joined(
    columns.map((column) => find(column, text, bind)),
    "OR",
  );
}

/**
 * The relevance of a row that contains the text, smaller for more of it: that of BM25 for each text, with a fixed length of 100 characters as the
 * usual one, so that the order depends neither on other rows nor on an index. What counts is how often a text contains it, and how short
 * the text is.
 */
export function relevanceSql(query: SearchQuery, alias: string, bind: Bind): string {
  const texts = mayBeSearched(query).filter(isText);
  const values = texts.map((attribute) => {
    const column = `${alias}.${quote(attribute.column)}`;
    const count = countFolded(column, query.search, bind);
    // no value for a count of 0
    return `coalesce(1 / (1 + (0.3 + 0.009 * length(${column})) / (${count})), 0)`;
  });
  return `-(${joined(values.length > 0 ? values : ["0"], "+")})`;
}
