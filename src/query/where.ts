/** Which rows a query is about: their version and locale, its condition, and what it searches for. */
import type { Schema } from "../schema/model.ts";
import { versionIndexName } from "../storage/layout.ts";
import { quote } from "../storage/quote.ts";
import type { Compiler } from "./compile.ts";
import type { Reading } from "./reading.ts";
import { joined } from "./sql.ts";
import type { Condition, Query } from "./tree.ts";
import { versionSql } from "./versions.ts";

/** Which rows of the main type are looked at, besides the query's own condition. */
export interface Scope {
  /** Undefined: all locales. */
  readonly locales: readonly (string | null)[] | undefined;
  readonly documentId?: string;
  readonly ids?: readonly number[];
}

function localeSql(compiler: Compiler, schema: Schema, locales: Scope["locales"], row: string): string[] {
  if (schema.modelType === "component") return [];
  if (!schema.localized) return [`${row}.locale IS NULL`];
  if (!locales) return [`${row}.locale IS NOT NULL`];
  if (locales.length === 1) return [`${row}.locale = ${compiler.bind(locales[0]!)}`];
  return [`${row}.locale IN (${locales.map(compiler.bind).join(", ")})`];
}

/** What must hold, as conditions that must all hold. */
const partsOf = (where: Condition | undefined): readonly Condition[] => {
  if (!where) return [];
  return where.kind === "all" ? where.of.flatMap(partsOf) : [where];
};

const isRelated = ({ kind }: Condition): boolean => kind === "related";

/** Whether relations lead to the rows, and indexes say which of them are in the version that is read. */
export const isFoundByRelation = (reading: Reading, { schema, where }: Query, { locales }: Scope): boolean =>
  partsOf(where).some(isRelated) && hasIndexedVersion(reading, schema, locales);

/** The condition on the row `t`. `lookup`: an index has the version of rows by their ids. */
export function whereSql(compiler: Compiler, reading: Reading, query: Query, scope: Scope, lookup = false): string {
  const { schema, where, search } = query;
  const all = partsOf(where);
  const related = all.filter(isRelated);
  const parts =
    related.length > 0
      ? relatedSql(compiler, reading, schema, scope, related, lookup)
      : [...versionSql(compiler, reading, schema), ...localeSql(compiler, schema, scope.locales, "t")];
  if (scope.documentId !== undefined) parts.push(`t.document_id = ${compiler.bind(scope.documentId)}`);
  if (scope.ids) parts.push(`t.id IN (${scope.ids.map(compiler.bind).join(", ")})`);
  for (const condition of all) if (condition.kind !== "related") parts.push(compiler.condition(condition, "t"));
  if (search !== undefined) parts.push(compiler.search(search, schema, "t"));
  return joined(parts, "AND");
}

/** The rows to which relations lead, which are mostly few: they are looked for first. */
function relatedSql(
  compiler: Compiler,
  reading: Reading,
  schema: Schema,
  { locales }: Scope,
  related: readonly Condition[],
  lookup: boolean,
): string[] {
  const conditionsOn = (row: string, version = row): string[] => [
    ...versionSql(compiler, reading, schema, version),
    ...localeSql(compiler, schema, locales, version),
    ...related.map((condition) => compiler.condition(condition, row)),
  ];
  if (lookup) return conditionsOn("t");
  // the plus keeps the planner from going through all rows of a version to look for each among those of the relation
  if (!hasIndexedVersion(reading, schema, locales)) return conditionsOn("t", "+t");
  const index = quote(versionIndexName(schema.table));
  return [
    `t.id IN (SELECT v.id FROM ${quote(schema.table)} v INDEXED BY ${index} WHERE ${joined(conditionsOn("v"), "AND")})`,
  ];
}

/** Whether the index of versions says which rows are read, so that the others need not be looked at. */
function hasIndexedVersion(
  { status, orDraft, publicationFilter }: Reading,
  schema: Schema,
  locales: Scope["locales"],
): boolean {
  if (schema.modelType === "component" || (schema.localized && !locales)) return false;
  if (!schema.draftAndPublish) return schema.localized;
  return status !== undefined && !orDraft && !publicationFilter;
}
