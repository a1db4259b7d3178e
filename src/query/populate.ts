/**
 * Adds the populated attributes to a page of documents, whatever the number of rows: one statement for the edges of all
 * attributes that are followed as they are and one for the rows of each, or one statement for each of the others.
 */
import type { PopulatableAttribute, Schema } from "../schema/model.ts";
import { perVersion } from "../storage/per-version.ts";
import { quote } from "../storage/quote.ts";
import { Compiler } from "./compile.ts";
import { listsUsers, usesOf } from "./file-users.ts";
import { emptyQuery } from "./parse.ts";
import { type Reading, versionSql } from "./reading.ts";
import { rowsById } from "./rows-by-id.ts";
import { type Document, selectionOf } from "./select.ts";
import type { JoinableAttribute, Populate, Query } from "./tree.ts";

/** Attributes whose targets are all of one kind. */
type Alike = Exclude<PopulatableAttribute, { kind: "zone" }>;

/** The rows behind each parent row, in order. */
type Children = Map<number, Document[]>;

const idsOf = (parents: readonly Document[]): string => JSON.stringify([...new Set(parents.map(({ id }) => id))]);

/** The condition that `column` is one of the parents' ids; a list travels as one JSON value, so that the statement stays the same. */
function oneOf(compiler: Compiler, column: string, parents: readonly Document[]): string {
  if (parents.length === 1) return `${column} = ${compiler.bind(parents[0]!.id as number)}`;
  return `${column} IN (SELECT value FROM json_each(${compiler.bind(idsOf(parents))}))`;
}

/** An edge from a parent to what it has; kind and field are numbers of the database. */
type Edge = [owner: number, target: number, kind: number, field: number];
/** By the field's name. */
type Edges = ReadonlyMap<string, readonly Edge[]>;

const hasKinds = ({ kind, target }: { readonly kind: string; readonly target?: string | undefined }): boolean =>
  kind === "zone" || (kind === "relation" && !target);

/** Whether just following the parents' own edges finds the children: nothing is filtered, sorted or counted. */
function isPlain({ attribute, query, count }: Populate): boolean {
  if (count || attribute.link.side !== "owner" || (attribute.kind === "relation" && attribute.virtual)) return false;
  return !query || (!query.where && query.sort.length === 0);
}

/** Whether only some of each parent's children are wanted. */
const isPaged = ({ query }: Populate): boolean => query !== undefined && (query.start > 0 || query.limit !== undefined);

const readBefore = perVersion(() => new Set<string>());
/** So many attributes are mostly not all there. */
const MANY = 4;

/**
 * Whether edges are read apart from the rows that they lead to: worth it for many attributes, and for rows that are
 * probably at hand, since they have been read before.
 */
function isReadApart({ storage }: Reading, plain: readonly Populate[]): boolean {
  if (plain.length === 0) return false;
  if (plain.length >= MANY || plain.some(({ attribute }) => hasKinds(attribute))) return true;
  const before = readBefore(storage);
  const key = plain.map(({ attribute }) => attribute.link.field).join();
  if (before.has(key)) return true;
  before.add(key);
  return false;
}

/** So many edges are read for the sake of pages of them. */
const MOST_PAGED = 1000;
/** Fields with more edges than that. */
const longFields = perVersion(() => new Set<string>());

/**
 * The edges of those attributes that are better read apart; undefined: of none. Pages of short lists are cut here, those
 * of long ones by the database.
 */
function edgesApart(reading: Reading, parents: readonly Document[], plain: readonly Populate[]): Edges | undefined {
  const long = longFields(reading.storage);
  const items = plain.filter((item) => !isPaged(item) || !long.has(item.attribute.link.field));
  if (!isReadApart(reading, items)) return undefined;
  const paged = items.filter(isPaged);
  if (paged.length === 0) return readEdges(reading, parents, items);
  const edges = readEdges(reading, parents, items, MOST_PAGED);
  if (edges) return edges;
  for (const { attribute } of paged) long.add(attribute.link.field);
  return edgesApart(reading, parents, plain);
}

/** The edges of several fields in one statement; undefined when there are more than `most`. */
function readEdges(
  reading: Reading,
  parents: readonly Document[],
  items: readonly Populate[],
  most?: number,
): Edges | undefined {
  const { storage } = reading;
  const compiler = new Compiler(storage);
  const fields = new Map(items.map(({ attribute }) => [storage.number(attribute.link.field), attribute.link.field]));
  const numbers = [...fields.keys()].map(compiler.bind).join(", ");
  const sql = `SELECT l.owner, l.target, l.kind, l.field FROM galley_links l
    WHERE l.field IN (${numbers}) AND ${oneOf(compiler, "l.owner", parents)} ORDER BY l.field, l.owner, l.position`;
  const limit = most === undefined ? atMost(reading, compiler) : ` LIMIT ${compiler.bind(most + 1)}`;
  const rows = storage.all(sql + limit, compiler.params) as Edge[];
  if (most !== undefined && rows.length > most) return undefined;
  reading.rows?.take(rows.length);
  const edges = new Map([...fields.values()].map((field): [string, Edge[]] => [field, []]));
  for (const edge of rows) edges.get(fields.get(edge[3]) ?? "")?.push(edge);
  return edges;
}

export function populate(
  reading: Reading,
  schema: Schema,
  parents: readonly Document[],
  populates: readonly Populate[],
): void {
  if (parents.length === 0) return;
  const plain = populates.filter((item) => isPlain(item) && !listsUsers(schema, item.attribute));
  const edges = edgesApart(reading, parents, plain);
  for (const item of populates) {
    const { attribute, key } = item;
    if (listsUsers(schema, attribute)) {
      addUsers(reading, parents, item);
      continue;
    }
    if (item.count && attribute.kind !== "zone") {
      const counts = countChildren(reading, schema, parents, attribute as JoinableAttribute, item.query);
      for (const parent of parents) parent[key] = { count: counts.get(parent.id as number) ?? 0 };
      continue;
    }
    const own = isPlain(item) ? edges?.get(attribute.link.field) : undefined;
    const children = own ? pagesOf(follow(reading, item, own), item) : load(reading, schema, parents, item);
    for (const parent of parents) {
      const found = children.get(parent.id as number);
      parent[key] = attribute.many ? (found ?? []) : (found?.[0] ?? null);
    }
  }
}

/** The wanted part of each parent's children. */
function pagesOf(children: Children, item: Populate): Children {
  if (!item.query || !isPaged(item)) return children;
  const { start, limit } = item.query;
  const end = limit === undefined ? undefined : start + limit;
  return new Map([...children].map(([parent, found]) => [parent, found.slice(start, end)]));
}

function load(reading: Reading, schema: Schema, parents: readonly Document[], item: Populate): Children {
  const { attribute } = item;
  if (attribute.kind === "relation" && attribute.virtual === "creator") return new Map();
  if (hasKinds(attribute)) {
    const edges = readEdges(reading, parents, [item]);
    return follow(reading, item, edges?.get(attribute.link.field) ?? []);
  }
  return loadAlike(reading, schema, parents, attribute as Alike, item.query!, item.withPage);
}

/** The users of files, in whatever version; those of kinds without a query are left out. */
function addUsers(reading: Reading, files: readonly Document[], { key, on, count }: Populate): void {
  const users = new Map<unknown, Document[]>();
  for (const [schema, uses] of Map.groupBy(usesOf(reading, files), (use) => use.schema)) {
    const query = on ? on.get(schema.uid) : emptyQuery(schema);
    if (!query) continue;
    const owners = uses.map(({ owner }) => owner);
    const found = loadKind({ ...reading, status: undefined }, query, owners, "__type");
    for (const { file, owner } of uses) {
      const entry = found.get(owner);
      if (entry) users.set(file, [...(users.get(file) ?? []), entry]);
    }
  }
  for (const file of files) {
    const list = users.get(file.id) ?? [];
    file[key] = count ? { count: list.length } : list;
  }
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
    // the plus keeps the planner from the index of status, which half of the rows share
    const rest = `t.document_id = p.document_id AND +t.status = p.status AND ${other}`;
    return {
      from: `${table} p CROSS JOIN ${table} t ON ${rest}`,
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
  attribute: Alike,
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

/** What edges lead to: one statement for each kind of target that is there. */
function follow(reading: Reading, item: Populate, edges: readonly Edge[]): Children {
  const made = new Map<number, ReadonlyMap<number, Document>>();
  for (const [kind, of] of Map.groupBy(edges, ([, , number]) => number)) {
    const query = hasKinds(item.attribute) ? fragmentFor(reading, item, kind) : item.query;
    if (!query) continue;
    const ids = [...new Set(of.map(([, target]) => target))];
    const tag = item.attribute.kind === "zone" ? "__component" : "__type";
    made.set(kind, loadKind(reading, query, ids, hasKinds(item.attribute) ? tag : undefined));
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

/** What to read of a kind of target; undefined: nothing. */
function fragmentFor(reading: Reading, { on }: Populate, kind: number): Query | undefined {
  const schema = schemaOf(reading, kind);
  return on || !schema ? on?.get(schema?.uid ?? "") : emptyQuery(schema);
}

function schemaOf({ storage, model }: Reading, kind: number): Schema | undefined {
  const table = storage.nameOf(kind);
  return [...model.components.values(), ...model.types.values()].find((schema) => schema.table === table);
}

/** The rows of one kind by their ids with what is populated of them; each with the name of its kind under `tag`. */
export function loadKind(
  reading: Reading,
  query: Query,
  ids: readonly number[],
  tag?: string,
): ReadonlyMap<number, Document> {
  const { schema } = query;
  const documents = rowsById(reading, query, ids);
  if (tag) for (const document of documents.values()) document[tag] = schema.uid;
  populate(reading, schema, [...documents.values()], query.populate);
  return documents;
}
