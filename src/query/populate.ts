/** Adds the populated attributes to a page of documents: per attribute one statement, whatever the number of rows. */
import type { Model, PopulatableAttribute, Schema } from "../schema/model.ts";
import { quote } from "../storage/quote.ts";
import { Compiler } from "./compile.ts";
import { emptyQuery } from "./parse.ts";
import { type Reading, versionSql } from "./reading.ts";
import { type Document, selectionOf } from "./select.ts";
import type { JoinableAttribute, Populate, Query } from "./tree.ts";

/** The rows behind each parent row, in order. */
type Children = Map<number, Document[]>;

const idsOf = (parents: readonly Document[]): string => JSON.stringify([...new Set(parents.map(({ id }) => id))]);

/** The condition that `column` is one of the parents' ids; a list travels as one JSON value, so that the statement stays the same. */
function oneOf(compiler: Compiler, column: string, parents: readonly Document[]): string {
  if (parents.length === 1) return `${column} = ${compiler.bind(parents[0]!.id as number)}`;
  return `${column} IN (SELECT value FROM json_each(${compiler.bind(idsOf(parents))}))`;
}

export function populate(
  reading: Reading,
  schema: Schema,
  parents: readonly Document[],
  populates: readonly Populate[],
): void {
  for (const item of populates) {
    if (parents.length === 0) return;
    const { attribute, key } = item;
    if (item.count && attribute.kind !== "zone") {
      const counts = countChildren(reading, schema, parents, attribute as JoinableAttribute, item.query);
      for (const parent of parents) parent[key] = { count: counts.get(parent.id as number) ?? 0 };
      continue;
    }
    const children = load(reading, schema, parents, item);
    for (const parent of parents) {
      const found = children.get(parent.id as number);
      parent[key] = attribute.many ? (found ?? []) : (found?.[0] ?? null);
    }
  }
}

function load(reading: Reading, schema: Schema, parents: readonly Document[], item: Populate): Children {
  const { attribute } = item;
  if (attribute.kind === "relation" && attribute.virtual === "creator") return new Map();
  if (attribute.kind === "zone" || (attribute.kind === "relation" && !attribute.target)) {
    return loadMixed(reading, parents, item);
  }
  return loadAlike(reading, schema, parents, attribute, item.query!, item.withPage);
}

/** Where the children of an attribute come from: tables and condition, the parent's column, and their stored order. */
function source(
  compiler: Compiler,
  schema: Schema,
  attribute: JoinableAttribute,
  target: Schema,
  parents: readonly Document[],
  withPage = false,
) {
  const table = quote(target.table);
  if (attribute.kind === "relation" && attribute.virtual === "localizations") {
    const other = withPage ? "t.id <> p.id" : `NOT ${oneOf(compiler, "t.id", parents)}`;
    const rest = `t.document_id = p.document_id AND t.status = p.status AND ${other}`;
    return {
      from: `${table} p JOIN ${table} t ON ${rest}`,
      where: oneOf(compiler, "p.id", parents),
      parent: "p.id",
      order: "p.id, t.locale",
    };
  }
  const { near, condition } = compiler.link(attribute, "l", schema.table);
  const owns = attribute.link.side === "owner";
  return {
    from: `galley_links l JOIN ${table} t ON t.id = l.${owns ? "target" : "owner"}`,
    where: `${condition} AND ${oneOf(compiler, near, parents)}`,
    parent: near,
    order: owns ? "l.owner, l.position" : "l.target, l.inverse, l.owner",
  };
}

function loadAlike(
  reading: Reading,
  schema: Schema,
  parents: readonly Document[],
  attribute: Exclude<PopulatableAttribute, { kind: "zone" }>,
  query: Query,
  withPage?: boolean,
): Children {
  const target = query.schema;
  const compiler = new Compiler(reading.storage);
  const { columns, shape } = selectionOf(target, query.fields);
  const from = source(compiler, schema, attribute, target, parents, withPage);
  const where = [from.where, ...versionSql(compiler, reading, target)];
  if (query.where) where.push(compiler.condition(query.where, "t"));
  const order = query.sort.length > 0 ? compiler.orderBy(query.sort, "t", target.table) : from.order;
  const sql = paged(
    query,
    `SELECT ${from.parent}, ${columns}`,
    `FROM ${from.from} WHERE ${where.join(" AND ")}`,
    from.parent,
    order,
  );
  const rows = reading.storage.all(sql + atMost(reading, compiler), compiler.params);
  reading.rows?.take(rows.length);
  // a row that several parents share becomes one object
  const made = new Map<number, Document>();
  const children: Children = new Map();
  for (const row of rows) {
    const id = row[1] as number;
    let child = made.get(id);
    if (!child) {
      child = shape(row, 1);
      made.set(id, child);
    }
    const siblings = children.get(row[0] as number);
    if (siblings) siblings.push(child);
    else children.set(row[0] as number, [child]);
  }
  populate(reading, target, [...made.values()], query.populate);
  return children;
}

/** Limits each parent's children by their number in order, in the same statement. */
function paged(query: Query, select: string, from: string, parent: string, order: string): string {
  if (query.limit === undefined && query.start === 0) return `${select} ${from} ORDER BY ${order}`;
  const last = query.limit === undefined ? "" : ` AND "$number" <= ${query.start + query.limit}`;
  const numbered = `${select}, row_number() OVER w AS "$number" ${from} WINDOW w AS (PARTITION BY ${parent} ORDER BY ${order})`;
  return `SELECT * FROM (${numbered}) WHERE "$number" > ${query.start}${last} ORDER BY "$number"`;
}

const atMost = ({ rows }: Reading, compiler: Compiler): string => (rows ? ` LIMIT ${compiler.bind(rows.limit)}` : "");

function countChildren(
  reading: Reading,
  schema: Schema,
  parents: readonly Document[],
  attribute: JoinableAttribute,
  query: Query | undefined,
): Map<number, number> {
  if (!query) return new Map();
  const compiler = new Compiler(reading.storage);
  const from = source(compiler, schema, attribute, query.schema, parents);
  const where = [from.where, ...versionSql(compiler, reading, query.schema)];
  if (query.where) where.push(compiler.condition(query.where, "t"));
  const sql = `SELECT ${from.parent}, count(*) FROM ${from.from} WHERE ${where.join(" AND ")} GROUP BY ${from.parent}`;
  return new Map(reading.storage.all(sql, compiler.params) as [number, number][]);
}

/** Every relation of a schema, one level deep: what `populate=*` within a zone means. */
function firstLevel(model: Model, schema: Schema): Populate[] {
  return [...schema.attributes.values()].flatMap((attribute) => {
    if (attribute.kind === "scalar" || attribute.private) return [];
    const uid =
      attribute.kind === "component" ? attribute.component : attribute.kind === "zone" ? undefined : attribute.target;
    const target = uid === undefined ? undefined : (model.components.get(uid) ?? model.types.get(uid));
    return [
      { key: attribute.name, attribute, query: target && emptyQuery(target), count: false, on: undefined, deep: false },
    ];
  });
}

/** Targets of several kinds: one statement for the edges, one per kind that is there. */
function loadMixed(reading: Reading, parents: readonly Document[], item: Populate): Children {
  const { storage, model } = reading;
  const compiler = new Compiler(storage);
  const link = compiler.link(item.attribute as JoinableAttribute, "l");
  const edges = storage.all(
    `SELECT l.owner, l.target, l.kind FROM galley_links l WHERE ${link.condition} AND ${oneOf(compiler, "l.owner", parents)} ORDER BY l.owner, l.position${atMost(reading, compiler)}`,
    compiler.params,
  ) as [number, number, number][];
  reading.rows?.take(edges.length);
  const kinds = Map.groupBy(edges, ([, , kind]) => kind);
  const made = new Map<number, Map<number, Document>>();
  for (const [kind, of] of kinds) {
    const schema = schemaOf(reading, kind);
    const fragment = item.on ? item.on.get(schema?.uid ?? "") : schema && emptyQuery(schema);
    if (!schema || !fragment) continue;
    const query = item.deep && !item.on ? { ...fragment, populate: firstLevel(model, schema) } : fragment;
    made.set(
      kind,
      loadKind(
        reading,
        query,
        of.map(([, target]) => target),
        item.attribute.kind === "zone" ? "__component" : "__type",
      ),
    );
  }
  const children: Children = new Map();
  for (const [owner, target, kind] of edges) {
    const child = made.get(kind)?.get(target);
    if (!child) continue;
    const siblings = children.get(owner);
    if (siblings) siblings.push(child);
    else children.set(owner, [child]);
  }
  return children;
}

function schemaOf({ storage, model }: Reading, kind: number): Schema | undefined {
  const table = storage.nameOf(kind);
  return [...model.components.values(), ...model.types.values()].find((schema) => schema.table === table);
}

/** The rows of one kind by their ids, each with the name of its kind under `tag`. */
export function loadKind(reading: Reading, query: Query, ids: readonly number[], tag: string): Map<number, Document> {
  const { schema } = query;
  const compiler = new Compiler(reading.storage);
  const { columns, shape } = selectionOf(schema, query.fields);
  const where = [
    `t.id IN (SELECT value FROM json_each(${compiler.bind(JSON.stringify(ids))}))`,
    ...versionSql(compiler, reading, schema),
  ];
  if (query.where) where.push(compiler.condition(query.where, "t"));
  const sql = `SELECT ${columns} FROM ${quote(schema.table)} t WHERE ${where.join(" AND ")}`;
  const documents = reading.storage.all(sql, compiler.params).map((row) => shape(row, 0));
  for (const document of documents) document[tag] = schema.uid;
  populate(reading, schema, documents, query.populate);
  return new Map(documents.map((document) => [document.id as number, document]));
}
