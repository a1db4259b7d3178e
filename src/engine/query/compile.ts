/** Compiles a checked query to SQL. Every value is bound, every identifier quoted; the main row has the alias `t`. */

import type { Budget } from "../../lib/budget.ts";
import { validationError } from "../../lib/errors.ts";
import type { SqlValue } from "../attributes/index.ts";
import { hasVersions, isUnlinked, type Schema } from "../schema/model.ts";
import { tableSize } from "../storage/column-indexes.ts";
import { candidateRows } from "../storage/search-index.ts";
import { joined, Parameters, quote } from "../storage/sql.ts";
import { countLinks } from "./joined-links.ts";
import { mayKeepLinks, withoutKeptLinks } from "./kept-links.ts";
import { comparisons, type Operator } from "./operators.ts";
import type { BudgetedReadContext, ReadContext, Status } from "./reading.ts";
import { indexedColumns, relevanceSql } from "./search.ts";
import type { Folding } from "./text-match.ts";
import {
  type Condition,
  type Field,
  holdsForNull,
  ID,
  type JoinableAttribute,
  type Query,
  type SortKey,
} from "./tree.ts";
import { trigramGroups } from "./trigrams.ts";

/** The row that a nested condition is about: the main row, or one that a relation leads to. */
interface Place {
  readonly schema: Schema;
  /** Behind a relation; false: the main row. */
  readonly isBeyond: boolean;
  /** The version of types with drafts that relations lead to from here; undefined: any. */
  readonly status: Status | undefined;
}

/** A document without drafts may be linked to both versions of others: behind it, any version matches. */
const placeBeyond = (schema: Schema, { status }: Place): Place => ({
  schema,
  isBeyond: true,
  status: schema.modelType === "contentType" && !schema.draftAndPublish ? undefined : status,
});

/** Joins per statement that do not count against the budget, so that common filters need no count of the links. */
const FREE_JOINS = 2;
/** An estimate of the fraction of a field's links that a filter scans. */
const SCANNED_FRACTION = 1 / 4;

/** Compiles the parts of one statement: collects bound values and creates unique aliases. */
export class Compiler extends Parameters {
  readonly #source: Pick<ReadContext, "model" | "storage">;
  readonly #start: Place;
  readonly #budget: Budget | undefined;
  #aliases = 0;
  #joins = 0;

  /**
   * For rows of a schema. `status`: the version of types with drafts behind a relation; undefined: any. Without a budget,
   * the number of scanned links is not limited.
   */
  constructor(source: Pick<ReadContext, "model" | "storage">, schema: Schema, status?: Status, budget?: Budget) {
    super();
    this.#source = source;
    this.#budget = budget;
    this.#start = { schema, isBeyond: false, status };
  }

  /**
   * Restricts the rows `far` to one version: the one that is read, or that of the row that links to them, which `near`
   * selects.
   */
  #version(target: Schema, far: string, { schema, isBeyond, status }: Place, near: (table: string) => string): string {
    if (!hasVersions(target)) return "";
    if (status) return ` AND ${far}.status = ${this.bind(status)}`;
    return isBeyond && hasVersions(schema) ? ` AND ${far}.status = ${near(quote(schema.table))}` : "";
  }

  #alias(): string {
    return `r${++this.#aliases}`;
  }

  column(alias: string, field: Field): string {
    return `${alias}.${quote(field.column)}`;
  }

  /**
   * The condition on the row `alias`, with SQL's three-valued logic. Behind a relation, a negation applies to each related
   * row, and a row without any is treated as if it had one whose fields are all null.
   */
  condition(condition: Condition, alias: string): string {
    return this.#condition(condition, alias, false, this.#start);
  }

  #condition(condition: Condition, alias: string, negated: boolean, place: Place): string {
    switch (condition.kind) {
      case "all":
      case "any": {
        const word = (condition.kind === "all") === negated ? "OR" : "AND";
        if (condition.of.length === 0) return (condition.kind === "all") === negated ? "0" : "1";
        const parts = condition.of.map((part) => this.#condition(part, alias, negated, place));
        return `(${joined(parts, word)})`;
      }
      case "not":
        return this.#condition(condition.of, alias, !negated, place);
      case "compare": {
        const found = negated ? undefined : this.#comparisonInIndex(condition, alias, place.schema);
        const sql = this.#comparison(condition, alias);
        if (negated) return `NOT (${sql})`;
        return found === undefined ? sql : `(${found} AND ${sql})`;
      }
      case "related":
        return this.#related(condition, alias, negated, place);
    }
  }

  #comparison({ field, operator, operand }: Condition & { kind: "compare" }, alias: string): string {
    const row: Operator = comparisons[operator];
    const column = this.column(alias, field);
    if (row.takes === "list" && (operand as readonly SqlValue[]).length === 0)
      return operator === "$in" ? "0" : `${column} IS NOT NULL`;
    const text = row.takes === "text" && field.type?.column.affinity !== "TEXT" ? `CAST(${column} AS TEXT)` : column;
    return row.sql(text, operand as never, this.bind);
  }

  #comparisonInIndex(
    { field, operator, operand }: Condition & { kind: "compare" },
    alias: string,
    schema: Schema,
  ): string | undefined {
    const { contained }: Operator = comparisons[operator];
    if (contained === undefined || (field !== ID && !indexedColumns(schema).includes(field.column))) return undefined;
    return this.findInIndex(alias, schema, String(operand), contained);
  }

  /** The condition that a search index finds the row for a text; undefined if there is none, or it would find many. */
  findInIndex(alias: string, schema: Schema, text: string, folding: Folding): string | undefined {
    const groups = trigramGroups(text, folding);
    if (groups.length === 0) return undefined;
    const rows = candidateRows(this.#source.storage, schema.table, indexedColumns(schema), groups, this.bind);
    return rows && `${alias}.id IN (${rows})`;
  }

  #related(
    { attribute, target, of }: Condition & { kind: "related" },
    alias: string,
    negated: boolean,
    place: Place,
  ): string {
    const whenNone = holdsForNull(of, negated) === true;
    if (isUnlinked(attribute)) return whenNone ? "1" : "0";
    const row = this.#alias();
    const { from, where, near } = this.#join(attribute, target, row, place, SCANNED_FRACTION);
    const beyond = this.#condition(of, row, negated, placeBeyond(target, place));
    const hasMatch = `${alias}.id IN (SELECT ${near} FROM ${from} WHERE ${where} AND ${beyond})`;
    if (!whenNone) return hasMatch;
    const all = this.#join(attribute, target, this.#alias(), place, SCANNED_FRACTION);
    return `(${hasMatch} OR ${alias}.id NOT IN (SELECT ${all.near} FROM ${all.from} WHERE ${all.where}))`;
  }

  /** Throws a ValidationError when the request would scan too many links. */
  #takeScan(count: () => number): void {
    if (this.#budget && ++this.#joins > FREE_JOINS) this.#budget.take("scans", count());
  }

  /**
   * The links of an attribute joined to the rows behind them, as `far`; `near` is the id of the row that has the attribute.
   * `fraction`: an estimate of how many of the field's links are scanned.
   */
  #join(
    attribute: JoinableAttribute,
    target: Schema,
    far: string,
    place: Place,
    fraction: number,
  ): { from: string; where: string; near: string } {
    this.#takeScan(() => fraction * countLinks(this.#source.storage, attribute, target));
    const table = quote(target.table);
    const link = this.#alias();
    if (attribute.kind === "relation" && attribute.virtual === "localizations") {
      // in conditions, all rows of the document are localizations, including the row itself and the other version
      const same = `${far}.document_id = ${link}.document_id`;
      return { from: `${table} ${link} JOIN ${table} ${far} ON ${same}`, where: "1", near: `${link}.id` };
    }
    if (attribute.kind === "relation" && attribute.column !== undefined) {
      const own = quote(place.schema.table);
      return {
        from: `${table} ${far} CROSS JOIN ${own} ${link} ON ${far}.id = ${link}.${quote(attribute.column)}`,
        where: "1",
        near: `${link}.id`,
      };
    }
    const { near, condition } = this.#shownLink(attribute, link, place, target);
    const ends = attribute.link.side === "owner" ? "target" : "owner";
    const version = this.#version(target, far, place, (own) => `(SELECT n.status FROM ${own} n WHERE n.id = ${near})`);
    return {
      // usually the fewest rows are behind the relation, so these come first
      from: `${table} ${far} CROSS JOIN galley_links ${link} ON ${far}.id = ${link}.${ends}`,
      where: `${condition}${version}`,
      near,
    };
  }

  /** The condition that a link belongs to an attribute of a table, and its column for the row that has the attribute. */
  link(attribute: JoinableAttribute, alias: string, table: string): { near: string; condition: string } {
    const { field, side, polymorphic, targetAttribute } = attribute.link;
    const parts = [`${alias}.field = ${this.bind(this.#source.storage.number(field))}`];
    if (polymorphic && side === "inverse")
      parts.push(`${alias}.kind = ${this.bind(this.#source.storage.number(table))}`);
    if (targetAttribute !== undefined) parts.push(`${alias}.target_attribute = ${this.bind(targetAttribute)}`);
    return { near: `${alias}.${side === "owner" ? "owner" : "target"}`, condition: parts.join(" AND ") };
  }

  /** The same without links that rows keep to documents that are not published. */
  #shownLink(attribute: JoinableAttribute, alias: string, { schema, isBeyond, status }: Place, target: Schema) {
    const { near, condition } = this.link(attribute, alias, schema.table);
    const [owner, end] = attribute.link.side === "owner" ? [schema, target] : [target, schema];
    // behind a relation, links of documents with versions lead to the same version
    const isSameVersion = isBeyond && hasVersions(schema);
    if (isSameVersion || !mayKeepLinks(status, owner, end)) return { near, condition };
    return { near, condition: `${condition} AND ${withoutKeptLinks(this.#source, alias, owner, end)}` };
  }

  /**
   * Behind a to-many relation the smallest value counts when ascending, the largest when descending, and null is the smallest, as in Strapi
   * on SQLite; ties go by id. Throws a ValidationError for the relevance of no text.
   */
  orderBy(query: Query, alias: string): string {
    const keys = query.sort.map((key) => `${this.#sortValue(key, alias, query)} ${key.descending ? "DESC" : "ASC"}`);
    return [...keys, `${alias}.id`].join(", ");
  }

  #sortValue({ path, field, descending }: SortKey, alias: string, { search, ...query }: Query): string {
    const { table } = query.schema;
    if (field === "status") return statusRank(alias, table);
    if (field === "_relevance") {
      if (search === undefined) throw validationError("sort=_relevance needs _q", { source: "query", param: "sort" });
      return relevanceSql({ ...query, search }, alias, this.bind);
    }
    if (path.length === 0) return this.column(alias, field);
    if (path.some(({ attribute }) => isUnlinked(attribute))) return "NULL";
    const lists = path.filter(({ attribute }) => attribute.many).length;
    return lists > 1
      ? this.#valueByLevels(path, field, descending, alias)
      : this.#valueOfRow(path, field, descending, alias, table);
  }

  /** As a subquery per row: with at most one to-many relation on the path, it reads no more rows than there are links. */
  #valueOfRow(
    path: SortKey["path"],
    field: Field,
    descending: boolean,
    alias: string,
    table: string,
    start: Place = this.#start,
  ): string {
    const [first, ...others] = path;
    if (first && !descending && path.slice(0, -1).some(isListOfLinks)) {
      // rows of the list that lead to none count as null; parameters are bound in the order of the text
      const far = this.#alias();
      const beyond = placeBeyond(first.target, start);
      const value = this.#valueOfRow(others, field, descending, far, first.target.table, beyond);
      const { tables, condition } = this.#step(first, alias, far, table, start);
      return `(SELECT ${value} FROM ${tables} WHERE ${condition} ORDER BY 1 LIMIT 1)`;
    }
    const tables: string[] = [];
    const conditions: string[] = [];
    let near = alias;
    let place = start;
    for (const part of path) {
      const far = this.#alias();
      const step = this.#step(part, near, far, table, place);
      tables.push(step.tables);
      conditions.push(step.condition);
      near = far;
      place = placeBeyond(part.target, place);
    }
    const value = endOf(this.column(near, field), descending);
    return `(SELECT ${value} FROM ${tables.join(", ")} WHERE ${conditions.join(" AND ")})`;
  }

  /** From a row to those behind one of its attributes. */
  #step(
    { attribute, target }: SortKey["path"][number],
    near: string,
    far: string,
    table: string,
    place: Place,
  ): { tables: string; condition: string } {
    this.#takeScan(() => tableSize(this.#source.storage, table));
    const tables = `${quote(target.table)} ${far}`;
    if (attribute.kind === "relation" && attribute.column !== undefined)
      return { tables, condition: `${far}.id = ${near}.${quote(attribute.column)}` };
    if (attribute.kind === "relation" && attribute.virtual)
      return { tables, condition: `${far}.document_id = ${near}.document_id` };
    const link = this.#alias();
    const { near: end, condition } = this.#shownLink(attribute, link, place, target);
    const otherEnd = attribute.link.side === "owner" ? "target" : "owner";
    const version = this.#version(target, far, place, () => `${near}.status`);
    return {
      tables: `${tables}, galley_links ${link}`,
      condition: `${condition} AND ${end} = ${near}.id AND ${far}.id = ${link}.${otherEnd}${version}`,
    };
  }

  /**
   * Through nested to-many relations there are more paths to a row than rows. So values are aggregated one level at a time,
   * from the end of the path, in time linear in the number of links. SQLite does this once for all rows.
   */
  #valueByLevels(path: SortKey["path"], field: Field, descending: boolean, alias: string): string {
    const places: Place[] = [this.#start];
    for (const { target } of path) places.push(placeBeyond(target, places.at(-1)!));
    const levels: string[] = [];
    let beyond: string | undefined;
    for (const [at, { attribute, target }] of [...path.entries()].reverse()) {
      const level = this.#alias();
      const far = this.#alias();
      const { from, where, near } = this.#join(attribute, target, far, places[at]!, 1);
      const value = endOf(beyond ? `${beyond}.value` : this.column(far, field), descending);
      const same = `${far}.id = ${beyond}.id`;
      let rows = `${from} WHERE ${where}`;
      if (beyond) {
        // ascending, rows that lead to none count as null
        rows = descending
          ? `${beyond} CROSS JOIN ${from} WHERE ${where} AND ${same}`
          : `${from} LEFT JOIN ${beyond} ON ${same} WHERE ${where}`;
      }
      levels.push(`${level}(id, value) AS MATERIALIZED (SELECT ${near}, ${value} FROM ${rows} GROUP BY 1)`);
      beyond = level;
    }
    return `(WITH ${levels.join(", ")} SELECT value FROM ${beyond} WHERE id = ${alias}.id)`;
  }
}

/** Localizations are of both versions, whose links are not all shown. */
const isListOfLinks = ({ attribute }: SortKey["path"][number]): boolean =>
  attribute.many && !(attribute.kind === "relation" && attribute.virtual);

/** SQLite's `min` and `max` ignore null. */
const endOf = (value: string, descending: boolean): string =>
  descending ? `max(${value})` : `CASE WHEN count(*) = count(${value}) THEN min(${value}) END`;

/** 0 never published, 1 modified since, 2 published. */
function statusRank(alias: string, table: string): string {
  const published = `FROM ${quote(table)} p WHERE p.document_id = ${alias}.document_id AND p.locale IS ${alias}.locale AND p.status = 'published'`;
  return `CASE WHEN NOT EXISTS (SELECT 1 ${published}) THEN 0 WHEN ${alias}.updated_at > (SELECT max(p.updated_at) ${published}) THEN 1 ELSE 2 END`;
}

/** For rows of a type. Relations of a type with drafts lead to the version that is read. */
export function compilerFor({ storage, model, status, budget }: BudgetedReadContext, schema: Schema): Compiler {
  return new Compiler({ storage, model }, schema, hasVersions(schema) ? status : undefined, budget);
}
