/** Runs a checked query: one statement for the rows, one for their number, one per populated attribute and level. */
import type { Schema } from "../schema/model.ts";
import { quote } from "../storage/quote.ts";
import { Compiler } from "./compile.ts";
import { populate } from "./populate.ts";
import { type Reading, versionSql } from "./reading.ts";
import { type Document, selectionOf } from "./select.ts";
import type { Query } from "./tree.ts";

/** Which rows of the main type are looked at, besides the query's own condition. */
export interface Scope {
  /** Undefined: all locales. */
  readonly locales: readonly (string | null)[] | undefined;
  readonly documentId?: string;
  readonly ids?: readonly number[];
}

function localeSql(compiler: Compiler, schema: Schema, locales: Scope["locales"]): string[] {
  if (schema.modelType === "component") return [];
  if (!schema.localized) return ["t.locale IS NULL"];
  if (!locales) return ["t.locale IS NOT NULL"];
  if (locales.length === 1) return [`t.locale = ${compiler.bind(locales[0]!)}`];
  return [`t.locale IN (${locales.map(compiler.bind).join(", ")})`];
}

function whereSql(compiler: Compiler, reading: Reading, query: Query, scope: Scope): string {
  const { schema } = query;
  const parts = [...versionSql(compiler, reading, schema), ...localeSql(compiler, schema, scope.locales)];
  if (scope.documentId !== undefined) parts.push(`t.document_id = ${compiler.bind(scope.documentId)}`);
  if (scope.ids) parts.push(`t.id IN (${scope.ids.map(compiler.bind).join(", ")})`);
  if (query.where) parts.push(compiler.condition(query.where, "t"));
  if (query.search !== undefined) parts.push(compiler.search(query.search, schema, "t"));
  return parts.join(" AND ");
}

/** With drafts, the rows behind a relation are looked at in the version that is read. */
function compilerFor({ storage, status }: Reading, schema: Schema): Compiler {
  return new Compiler(storage, schema.modelType === "contentType" && schema.draftAndPublish ? status : undefined);
}

/** SQLite takes 64 bits; nobody has that many rows. */
const whole = (number: number): number => Math.min(number, Number.MAX_SAFE_INTEGER);

export function findRows(reading: Reading, query: Query, scope: Scope): Document[] {
  const compiler = compilerFor(reading, query.schema);
  const { schema } = query;
  const { columns, shape } = selectionOf(schema, query.fields);
  const where = whereSql(compiler, reading, query, scope);
  const order = compiler.orderBy(query.sort, "t", schema.table);
  const limit =
    query.limit === undefined && query.start === 0
      ? ""
      : ` LIMIT ${compiler.bind(whole(query.limit ?? -1))} OFFSET ${compiler.bind(whole(query.start))}`;
  const sql = `SELECT ${columns} FROM ${quote(schema.table)} t WHERE ${where} ORDER BY ${order}${limit}`;
  const documents = reading.storage.all(sql, compiler.params).map((row) => shape(row, 0));
  populate(reading, schema, documents, query.populate);
  return documents;
}

export function countRows(reading: Reading, query: Query, scope: Scope): number {
  const compiler = compilerFor(reading, query.schema);
  const where = whereSql(compiler, reading, query, scope);
  const sql = `SELECT count(*) FROM ${quote(query.schema.table)} t WHERE ${where}`;
  return reading.storage.first(sql, compiler.params)![0] as number;
}

/** Ids of rows that match, in ascending order. */
export function findIds(reading: Reading, query: Query, scope: Scope): number[] {
  const compiler = compilerFor(reading, query.schema);
  const where = whereSql(compiler, reading, query, scope);
  const sql = `SELECT t.id FROM ${quote(query.schema.table)} t WHERE ${where} ORDER BY t.id`;
  return reading.storage.all(sql, compiler.params).map(([id]) => id as number);
}
