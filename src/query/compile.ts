/** The checked tree as SQL. Every value is bound, every identifier quoted; the main row is always called `t`. */
import type { SqlValue } from "../attributes/index.ts";
import { hasVersions, type Schema } from "../schema/model.ts";
import { quote } from "../storage/quote.ts";
import type { Storage } from "../storage/storage.ts";
import { type Bind, comparisons, type Operator } from "./operators.ts";
import type { Reading, Status } from "./reading.ts";
import { contains } from "./text-match.ts";
import type { Condition, Field, JoinableAttribute, SortKey } from "./tree.ts";

/** Where a condition has come to on its way through relations. */
interface Place {
  /** Undefined: the row that is asked for. */
  readonly schema: Schema | undefined;
  /** The version in which rows of types with drafts are looked at from here on; undefined: any. */
  readonly status: Status | undefined;
}

/** Both versions of others may be linked to a document without drafts: beyond it, any version counts. */
const placeBeyond = (schema: Schema, { status }: Place): Place => ({
  schema,
  status: schema.modelType === "contentType" && !schema.draftAndPublish ? undefined : status,
});

/** One statement in the making: its values in the order of their placeholders, and fresh names for its inner tables. */
export class Compiler {
  readonly params: SqlValue[] = [];
  readonly #storage: Storage;
  readonly #status: Status | undefined;
  #aliases = 0;

  /** `status`: the version in which rows of types with drafts are looked at behind a relation; absent: any. */
  constructor(storage: Storage, status?: Status) {
    this.#storage = storage;
    this.#status = status;
  }

  /** The version of the rows `far`; where any counts, still that of the row which links to them: `near` tells it. */
  #version(target: Schema, far: string, { schema, status }: Place, near: (table: string) => string): string {
    if (!hasVersions(target)) return "";
    if (status) return ` AND ${far}.status = ${this.bind(status)}`;
    return schema && hasVersions(schema) ? ` AND ${far}.status = ${near(quote(schema.table))}` : "";
  }

  readonly bind: Bind = (value) => {
    this.params.push(value);
    return "?";
  };

  /** The condition that a column is one of the values; a list travels as one JSON value, so that the statement stays the same. */
  oneOf(column: string, values: readonly unknown[]): string {
    if (values.length === 1) return `${column} = ${this.bind(values[0] as SqlValue)}`;
    return `${column} IN (SELECT value FROM json_each(${this.bind(JSON.stringify(values))}))`;
  }

  #alias(): string {
    return `r${++this.#aliases}`;
  }

  column(alias: string, field: Field): string {
    return `${alias}.${quote(field.column)}`;
  }

  /**
   * The condition about the row `alias`. Three-valued logic is SQL's own, but for the rows behind a relation: a negation
   * concerns each of them, and a row without any counts as one whose fields are all null.
   */
  condition(condition: Condition, alias: string): string {
    return this.#condition(condition, alias, false, { schema: undefined, status: this.#status });
  }

  #condition(condition: Condition, alias: string, negated: boolean, place: Place): string {
    switch (condition.kind) {
      case "all":
      case "any": {
        const word = (condition.kind === "all") === negated ? "OR" : "AND";
        if (condition.of.length === 0) return (condition.kind === "all") === negated ? "0" : "1";
        return `(${condition.of.map((part) => this.#condition(part, alias, negated, place)).join(` ${word} `)})`;
      }
      case "not":
        return this.#condition(condition.of, alias, !negated, place);
      case "compare": {
        const sql = this.#comparison(condition, alias);
        return negated ? `NOT (${sql})` : sql;
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

  #related(
    { attribute, target, of }: Condition & { kind: "related" },
    alias: string,
    negated: boolean,
    place: Place,
  ): string {
    const whenNone = holdsForNull(of, negated) === true;
    if (isEmpty(attribute)) return whenNone ? "1" : "0";
    const row = this.#alias();
    const { sql, near } = this.#join(attribute, target, row, place);
    const beyond = this.#condition(of, row, negated, placeBeyond(target, place));
    const some = `${alias}.id IN (SELECT ${near} FROM ${sql} AND ${beyond})`;
    if (!whenNone) return some;
    const again = this.#join(attribute, target, this.#alias(), place);
    return `(${some} OR ${alias}.id NOT IN (SELECT ${again.near} FROM ${again.sql}))`;
  }

  /** Edges of an attribute joined to the rows behind them, as `far`; `near` is the id of the row that has the attribute. */
  #join(attribute: JoinableAttribute, target: Schema, far: string, place: Place): { sql: string; near: string } {
    const table = quote(target.table);
    const link = this.#alias();
    if (attribute.kind === "relation" && attribute.virtual === "localizations") {
      // to conditions, every row of the document is a localization: itself, and those of the other version
      const same = `${far}.document_id = ${link}.document_id`;
      return { sql: `${table} ${link} JOIN ${table} ${far} ON ${same} WHERE 1`, near: `${link}.id` };
    }
    const { near, condition } = this.link(attribute, link);
    const ends = attribute.link.side === "owner" ? "target" : "owner";
    const version = this.#version(target, far, place, (own) => `(SELECT n.status FROM ${own} n WHERE n.id = ${near})`);
    return {
      // mostly the other rows are what is few, so that they are looked for first
      sql: `${table} ${far} CROSS JOIN galley_links ${link} ON ${far}.id = ${link}.${ends} WHERE ${condition}${version}`,
      near,
    };
  }

  /** The condition that a row of links belongs to an attribute, and the column of the end that has the attribute. */
  link(attribute: JoinableAttribute, alias: string, table?: string): { near: string; condition: string } {
    const { field, side, polymorphic } = attribute.link;
    const parts = [`${alias}.field = ${this.bind(this.#storage.number(field))}`];
    if (polymorphic && side === "inverse" && table)
      parts.push(`${alias}.kind = ${this.bind(this.#storage.number(table))}`);
    return { near: `${alias}.${side === "owner" ? "owner" : "target"}`, condition: parts.join(" AND ") };
  }

  /** Through lists the smallest value counts when ascending, the largest when descending; ties go by id. */
  orderBy(sort: readonly SortKey[], alias: string, table: string): string {
    const keys = sort.map((key) => `${this.#sortValue(key, alias, table)} ${key.descending ? "DESC" : "ASC"}`);
    return [...keys, `${alias}.id`].join(", ");
  }

  #sortValue({ path, field, descending }: SortKey, alias: string, table: string): string {
    if (field === "status") return statusRank(alias, table);
    if (path.length === 0) return this.column(alias, field);
    if (path.some(({ attribute }) => isEmpty(attribute))) return "NULL";
    const tables: string[] = [];
    const conditions: string[] = [];
    let near = alias;
    let place: Place = { schema: undefined, status: this.#status };
    for (const { attribute, target } of path) {
      const far = this.#alias();
      tables.push(`${quote(target.table)} ${far}`);
      if (attribute.kind === "relation" && attribute.virtual) {
        conditions.push(`${far}.document_id = ${near}.document_id`);
      } else {
        const link = this.#alias();
        tables.push(`galley_links ${link}`);
        const { near: end, condition } = this.link(attribute, link);
        const otherEnd = attribute.link.side === "owner" ? "target" : "owner";
        const from = near;
        const version = this.#version(target, far, place, () => `${from}.status`);
        conditions.push(`${condition} AND ${end} = ${near}.id AND ${far}.id = ${link}.${otherEnd}${version}`);
      }
      near = far;
      place = placeBeyond(target, place);
    }
    const value = this.column(near, field);
    return `(SELECT ${descending ? "max" : "min"}(${value}) FROM ${tables.join(", ")} WHERE ${conditions.join(" AND ")})`;
  }

  /** `_q`: the text as it is, in any letter case, in every searchable attribute and the ids. */
  search(text: string, schema: Schema, alias: string): string {
    const find = contains("folded");
    const isNumber = !Number.isNaN(Number(text));
    const columns = [`CAST(${alias}.id AS TEXT)`];
    if (schema.modelType === "contentType") columns.push(`${alias}.document_id`, `${alias}.locale`);
    for (const attribute of schema.attributes.values()) {
      if (attribute.kind !== "scalar" || attribute.private || attribute.system || !attribute.searchable) continue;
      const column = `${alias}.${quote(attribute.column)}`;
      if (attribute.type.search === "text") columns.push(column);
      if (attribute.type.search === "number" && isNumber) columns.push(`CAST(${column} AS TEXT)`);
    }
    return `(${columns.map((column) => find(column, text, this.bind)).join(" OR ")})`;
  }
}

/** Nobody created anything here, and a relation without edges holds nothing. */
const isEmpty = (attribute: JoinableAttribute): boolean =>
  attribute.kind === "relation" && (attribute.virtual === "creator" || attribute.virtual === "unlinked");

/** 0 never published, 1 modified since, 2 published. */
function statusRank(alias: string, table: string): string {
  const published = `FROM ${quote(table)} p WHERE p.document_id = ${alias}.document_id AND p.locale IS ${alias}.locale AND p.status = 'published'`;
  return `CASE WHEN NOT EXISTS (SELECT 1 ${published}) THEN 0 WHEN ${alias}.updated_at > (SELECT max(p.updated_at) ${published}) THEN 1 ELSE 2 END`;
}

/** What a condition says about a row whose fields are all null: true, false, or (undefined) neither. */
function holdsForNull(condition: Condition, negated: boolean): boolean | undefined {
  switch (condition.kind) {
    case "not":
      return holdsForNull(condition.of, !negated);
    case "compare": {
      const { operator, operand } = condition;
      if (operator !== "$null" && operator !== "$notNull") return undefined;
      return ((operator === "$null") === operand) !== negated;
    }
    case "related":
      return holdsForNull(condition.of, negated);
    default: {
      const all = (condition.kind === "all") !== negated;
      const parts = condition.of.map((part) => holdsForNull(part, negated));
      if (parts.includes(!all)) return !all;
      return parts.includes(undefined) ? undefined : all;
    }
  }
}

/** For rows of a type: what is behind those of types with drafts is looked at in the version that is read. */
export function compilerFor({ storage, status }: Reading, schema: Schema): Compiler {
  return new Compiler(storage, hasVersions(schema) ? status : undefined);
}
