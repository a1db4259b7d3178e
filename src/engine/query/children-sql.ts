/** The SQL that selects the rows behind an attribute of a page of rows. */
import type { PopulatableAttribute, Schema } from "../schema/model.ts";
import { quote } from "../storage/sql.ts";
import { type Compiler, compilerFor } from "./compile.ts";
import { mayKeepLinks, withoutKeptLinks } from "./kept-links.ts";
import { listIds } from "./links.ts";
import type { BudgetedReadContext } from "./reading.ts";
import type { Document, LoadedRow } from "./select.ts";
import type { JoinableAttribute, Query } from "./tree.ts";
import { versionSql } from "./where.ts";

/** Attributes whose targets are all of one type. */
export type SingleTypeAttribute = Exclude<PopulatableAttribute, { kind: "zone" }>;

/** An attribute to populate for rows of `schema`. */
export interface Followed<A extends SingleTypeAttribute = SingleTypeAttribute> {
  readonly schema: Schema;
  readonly parents: readonly LoadedRow[];
  readonly attribute: A;
  readonly query: Query;
  /** See `Populate`. */
  readonly includesPage?: boolean;
}

export const isLocalizations = (attribute: SingleTypeAttribute): boolean =>
  attribute.kind === "relation" && attribute.virtual === "localizations";

/** The FROM and WHERE clauses that select the children of an attribute. */
export interface Source {
  readonly from: string;
  readonly where: string;
  /** The column that identifies the parent: its row id, or its document id. */
  readonly parent: string;
  readonly isByDocument?: true;
  /** ORDER BY for the stored order. */
  readonly order: string;
}

export function linkSource(
  compiler: Compiler,
  context: BudgetedReadContext,
  { schema, parents, attribute, query }: Followed<JoinableAttribute>,
): Source {
  const target = query.schema;
  if (attribute.kind === "relation" && attribute.column !== undefined)
    return {
      from: `${quote(schema.table)} p CROSS JOIN ${quote(target.table)} t ON t.id = p.${quote(attribute.column)}`,
      where: compiler.oneOf("p.id", listIds(parents)),
      parent: "p.id",
      order: "p.id",
    };
  const { near, condition } = compiler.link(attribute, "l", schema.table);
  const owns = attribute.link.side === "owner";
  const [owner, end] = owns ? [schema, target] : [target, schema];
  const kept = mayKeepLinks(context.status, owner, end) ? ` AND ${withoutKeptLinks(context, "l", owner, end)}` : "";
  return {
    from: `galley_links l JOIN ${quote(target.table)} t ON t.id = l.${owns ? "target" : "owner"}`,
    where: `${condition} AND ${compiler.oneOf(near, listIds(parents))}${kept}`,
    parent: near,
    order: owns ? "l.owner, l.position" : "l.target, l.inverse, l.owner",
  };
}

/** Other rows of the parents' documents, of any version with `listsVersions`, or `includesPage` without a status. `includesPage`: see `Populate`. */
function localizationsSource(
  compiler: Compiler,
  { status, listsVersions }: BudgetedReadContext,
  { parents, query, includesPage }: Followed<SingleTypeAttribute>,
): Source {
  const table = quote(query.schema.table);
  const others = (): string => `NOT ${compiler.oneOf("t.id", listIds(parents))}`;
  // in a single version, the page's rows need not be read again to find the others
  if (!includesPage && status !== undefined) {
    const documents = [...new Set(parents.map(({ document }) => document.documentId))];
    return {
      from: `${table} t`,
      where: `${compiler.oneOf("t.document_id", documents)} AND ${others()}`,
      parent: "t.document_id",
      isByDocument: true,
      order: "t.document_id, t.locale",
    };
  }
  // the plus keeps the planner from using the index on status, which half of the rows share
  const version = listsVersions || (includesPage && status === undefined) ? "" : " AND +t.status = p.status";
  const same = `t.document_id = p.document_id${version}`;
  return {
    from: `${table} p CROSS JOIN ${table} t ON ${same} AND ${includesPage ? "t.id <> p.id" : others()}`,
    where: compiler.oneOf("p.id", listIds(parents)),
    parent: "p.id",
    order: includesPage || listsVersions ? "p.id, t.id" : "p.id, t.locale",
  };
}

export const createSource = (compiler: Compiler, context: BudgetedReadContext, followed: Followed): Source =>
  isLocalizations(followed.attribute)
    ? localizationsSource(compiler, context, followed)
    : linkSource(compiler, context, followed);

/** The conditions on children. */
export function buildConditions(
  compiler: Compiler,
  context: BudgetedReadContext,
  { where }: Source,
  query: Query,
): string {
  const conditions = [where, ...versionSql(compiler, context, query.schema)];
  if (query.where) conditions.push(compiler.condition(query.where, "t"));
  return conditions.join(" AND ");
}

/** Limits the children of each parent by their row number, in the same statement. */
export function paged(query: Query, select: string, from: string, parent: string, order: string): string {
  if (query.limit === undefined && query.start === 0) return `${select} ${from} ORDER BY ${order}`;
  const last = query.limit === undefined ? "" : ` AND "$number" <= ${query.start + query.limit}`;
  const numbered = `${select}, row_number() OVER w AS "$number" ${from} WINDOW w AS (PARTITION BY ${parent} ORDER BY ${order})`;
  return `SELECT * FROM (${numbered}) WHERE "$number" > ${query.start}${last} ORDER BY "$number"`;
}

/** The statement for the children of an attribute, in order; each row begins with the key of its parent. */
export function buildStatement(context: BudgetedReadContext, followed: Followed) {
  const { query } = followed;
  const compiler = compilerFor(context, query.schema);
  const source = createSource(compiler, context, followed);
  const conditions = buildConditions(compiler, context, source, query);
  const order = query.sort.length > 0 ? compiler.orderBy(query, "t") : source.order;
  const from = `FROM ${source.from} WHERE ${conditions}`;
  const buildSql = (columns: string): string =>
    paged(query, `SELECT ${source.parent}, ${columns}`, from, source.parent, order);
  return { compiler, source, buildSql };
}
export type ChildStatement = ReturnType<typeof buildStatement>;

/** What identifies a parent in its source. */
export const parentKey = ({ isByDocument }: Source, { id, documentId }: Document): unknown =>
  isByDocument ? documentId : id;
