/** The WHERE clause of a query: version, locale, filters and search. */

import type { Schema } from "../schema/model.ts";
import { versionIndexName } from "../storage/layout.ts";
import { joined, quote } from "../storage/sql.ts";
import type { Compiler } from "./compile.ts";
import { publicationSql, type ReadContext } from "./reading.ts";
import { isIndexed, searchCondition } from "./search.ts";
import type { Condition, Query } from "./tree.ts";

/** Conditions on the row `t`; `row` is the alias to write for its columns. */
export function versionSql(compiler: Compiler, context: ReadContext, schema: Schema, row = "t"): string[] {
  if (schema.modelType === "component") return [];
  const status = schema.draftAndPublish ? context.status : "published";
  if (!status) return [];
  const parts = [`${row}.status = ${compiler.bind(status)}`];
  if (context.publicationFilter && schema.draftAndPublish) {
    parts.push(publicationSql(schema.table, context.publicationFilter, status));
  }
  return parts;
}

/** Restricts the rows of the main type, in addition to the query's condition. */
export interface Scope {
  /** Undefined: all locales. */
  readonly locales: readonly (string | null)[] | undefined;
  readonly documentId?: string;
  readonly ids?: readonly number[];
}

function localeSql(compiler: Compiler, schema: Schema, locales: Scope["locales"], row: string): string[] {
  if (schema.modelType === "component") return [];
  if (!schema.localized) return [`${row}.locale IS NULL`];
  // rows may be stored without a locale, which no locale shows
  if (!locales) return ["1"];
  if (locales.length === 1) return [`${row}.locale = ${compiler.bind(locales[0]!)}`];
  return [`${row}.locale IN (${locales.map(compiler.bind).join(", ")})`];
}

/** The members of a conjunction. */
const conjuncts = (where: Condition | undefined): readonly Condition[] => {
  if (!where) return [];
  return where.kind === "all" ? where.of.flatMap(conjuncts) : [where];
};

const isRelated = ({ kind }: Condition): boolean => kind === "related";

/** Whether the rows are found through a relation, and an index has their version. */
export const isFoundByRelation = (context: ReadContext, { schema, where }: Query, { locales }: Scope): boolean =>
  conjuncts(where).some(isRelated) && hasIndexedVersion(context, schema, locales);

/** The condition on the row `t`. `lookup`: a covering index by id is used (see `ensureLookup`). */
export function whereSql(compiler: Compiler, context: ReadContext, query: Query, scope: Scope, lookup = false): string {
  const { schema, where, search } = query;
  const all = conjuncts(where);
  const related = all.filter(isRelated);
  const parts =
    related.length > 0
      ? relatedSql(compiler, context, schema, scope, related, lookup)
      : [...versionSql(compiler, context, schema), ...localeSql(compiler, schema, scope.locales, "t")];
  if (scope.documentId !== undefined) parts.push(`t.document_id = ${compiler.bind(scope.documentId)}`);
  if (scope.ids) parts.push(`t.id IN (${scope.ids.map(compiler.bind).join(", ")})`);
  for (const condition of all) if (condition.kind !== "related") parts.push(compiler.condition(condition, "t"));
  if (search !== undefined) {
    const found = isIndexed(query) ? compiler.findInIndex("t", schema, search, "folded") : undefined;
    if (found !== undefined) parts.push(found);
    parts.push(`(${searchCondition({ ...query, search }, "t", compiler.bind)})`);
  }
  // rows of components have neither a version nor a locale
  return parts.length === 0 ? "1" : joined(parts, "AND");
}

/** The rows behind relations. These are usually few, so they are found first. */
function relatedSql(
  compiler: Compiler,
  context: ReadContext,
  schema: Schema,
  { locales }: Scope,
  related: readonly Condition[],
  lookup: boolean,
): string[] {
  const conditionsOn = (row: string, version = row): string[] => [
    ...versionSql(compiler, context, schema, version),
    ...localeSql(compiler, schema, locales, version),
    ...related.map((condition) => compiler.condition(condition, row)),
  ];
  if (lookup) return conditionsOn("t");
  // the plus keeps the planner from scanning all rows of a version and looking each of them up in the relation
  if (!hasIndexedVersion(context, schema, locales)) return conditionsOn("t", "+t");
  const index = quote(versionIndexName(schema.table));
  return [
    `t.id IN (SELECT v.id FROM ${quote(schema.table)} v INDEXED BY ${index} WHERE ${joined(conditionsOn("v"), "AND")})`,
  ];
}

/** Whether the version index alone decides which rows are read. */
function hasIndexedVersion(
  { status, publicationFilter }: ReadContext,
  schema: Schema,
  locales: Scope["locales"],
): boolean {
  if (schema.modelType === "component" || (schema.localized && !locales)) return false;
  if (!schema.draftAndPublish) return schema.localized;
  return status !== undefined && !publicationFilter;
}
