/**
 * Adds the populated attributes to a page of documents, whatever the number of rows: one statement for the edges of all
 * attributes that are followed as they are and one for the rows of each, or one statement for each of the others.
 */
import { isUnlinked, type PopulatableAttribute, type Schema } from "../schema/model.ts";
import { quote } from "../storage/quote.ts";
import { type Compiler, compilerFor } from "./compile.ts";
import { atMost, type Edge, edgesApart, hasKinds, idsOf, isPaged, isPlain, readEdges } from "./edges.ts";
import { listsUsers, usesOf } from "./file-users.ts";
import { hasSeveralLocales } from "./locales-there.ts";
import { emptyQuery } from "./parse.ts";
import { type Reading, versionSql } from "./reading.ts";
import { rowsById } from "./rows-by-id.ts";
import { type Document, selectionOf } from "./select.ts";
import type { JoinableAttribute, Populate, Query } from "./tree.ts";

/** Attributes whose targets are all of one kind. */
type Alike = Exclude<PopulatableAttribute, { kind: "zone" }>;

/** The rows behind each parent row, in order. */
type Children = Map<number, Document[]>;

export function populate(
  reading: Reading,
  schema: Schema,
  parents: readonly Document[],
  populates: readonly Populate[],
): void {
  if (parents.length === 0 || populates.length === 0) return;
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
  if (attribute.kind === "relation" && (attribute.virtual === "creator" || isUnlinked(attribute))) return new Map();
  if (hasKinds(attribute)) {
    const edges = readEdges(reading, parents, [item]);
    return follow(reading, item, edges?.get(attribute.link.field) ?? []);
  }
  return loadAlike(reading, schema, parents, attribute as Alike, item.query!, item.withPage);
}

/** The users of files, in whatever version; those of kinds without a query are left out. */
function addUsers(reading: Reading, files: readonly Document[], { key, on, count }: Populate): void {
  const users = new Map<unknown, Document[]>();
  const all = usesOf(reading, files);
  const entries = new Map<Schema, ReadonlyMap<number, Document>>();
  for (const [schema, uses] of Map.groupBy(all, (use) => use.schema)) {
    const query = on ? on.get(schema.uid) : emptyQuery(schema);
    if (!query) continue;
    const owners = uses.map(({ owner }) => owner);
    entries.set(schema, loadKind({ ...reading, status: undefined }, query, owners, "__type"));
  }
  for (const { schema, file, owner } of all) {
    const entry = entries.get(schema)?.get(owner);
    if (entry) users.set(file, [...(users.get(file) ?? []), entry]);
  }
  for (const file of files) {
    const list = users.get(file.id) ?? [];
    file[key] = count ? { count: list.length } : list;
  }
}

/** Where the children of an attribute come from. */
interface Source {
  readonly from: string;
  readonly where: string;
  /** The column that says whose child a row is: the id of the parent's row, or of its document. */
  readonly parent: string;
  readonly isByDocument?: true;
  /** How children are stored. */
  readonly order: string;
}

function source(
  compiler: Compiler,
  schema: Schema,
  attribute: JoinableAttribute,
  target: Schema,
  parents: readonly Document[],
): Source {
  const { near, condition } = compiler.link(attribute, "l", schema.table);
  const owns = attribute.link.side === "owner";
  return {
    from: `galley_links l JOIN ${quote(target.table)} t ON t.id = l.${owns ? "target" : "owner"}`,
    where: `${condition} AND ${compiler.oneOf(near, idsOf(parents))}`,
    parent: near,
    order: owns ? "l.owner, l.position" : "l.target, l.inverse, l.owner",
  };
}

/** Other rows of the parents' documents. `withPage`: see `Populate`. */
function localizationsSource(
  compiler: Compiler,
  { status, orDraft }: Reading,
  target: Schema,
  parents: readonly Document[],
  withPage: boolean,
): Source {
  const table = quote(target.table);
  const others = (): string => `NOT ${compiler.oneOf("t.id", idsOf(parents))}`;
  // in one version, the rows of the page need not be looked at again to find the others
  if (!withPage && status !== undefined && !orDraft) {
    const documents = [...new Set(parents.map(({ documentId }) => documentId))];
    return {
      from: `${table} t`,
      where: `${compiler.oneOf("t.document_id", documents)} AND ${others()}`,
      parent: "t.document_id",
      isByDocument: true,
      order: "t.document_id, t.locale",
    };
  }
  // the plus keeps the planner from the index of status, which half of the rows share
  const same = "t.document_id = p.document_id AND +t.status = p.status";
  return {
    from: `${table} p CROSS JOIN ${table} t ON ${same} AND ${withPage ? "t.id <> p.id" : others()}`,
    where: compiler.oneOf("p.id", idsOf(parents)),
    parent: "p.id",
    order: withPage ? "p.id, t.id" : "p.id, t.locale",
  };
}

const isLocalizations = (attribute: Alike): boolean =>
  attribute.kind === "relation" && attribute.virtual === "localizations";

function loadAlike(
  reading: Reading,
  schema: Schema,
  parents: readonly Document[],
  attribute: Alike,
  query: Query,
  withPage = false,
): Children {
  const target = query.schema;
  if (isLocalizations(attribute) && !hasSeveralLocales(reading.storage, target)) return new Map();
  const compiler = compilerFor(reading, target);
  const { columns, shape } = selectionOf(target, query.fields);
  const from = isLocalizations(attribute)
    ? localizationsSource(compiler, reading, target, parents, withPage)
    : source(compiler, schema, attribute, target, parents);
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
  const children = new Map<unknown, Document[]>();
  for (const row of rows) {
    const id = row[1] as number;
    let child = made.get(id);
    if (!child) {
      child = shape(row, 1);
      made.set(id, child);
    }
    const siblings = children.get(row[0]);
    if (siblings) siblings.push(child);
    else children.set(row[0], [child]);
  }
  populate(reading, target, [...made.values()], query.populate);
  const keyOf = ({ id, documentId }: Document): unknown => (from.isByDocument ? documentId : id);
  return new Map(parents.map((parent) => [parent.id as number, children.get(keyOf(parent)) ?? []]));
}

/** Limits each parent's children by their number in order, in the same statement. */
function paged(query: Query, select: string, from: string, parent: string, order: string): string {
  if (query.limit === undefined && query.start === 0) return `${select} ${from} ORDER BY ${order}`;
  const last = query.limit === undefined ? "" : ` AND "$number" <= ${query.start + query.limit}`;
  const numbered = `${select}, row_number() OVER w AS "$number" ${from} WINDOW w AS (PARTITION BY ${parent} ORDER BY ${order})`;
  return `SELECT * FROM (${numbered}) WHERE "$number" > ${query.start}${last} ORDER BY "$number"`;
}

function countChildren(
  reading: Reading,
  schema: Schema,
  parents: readonly Document[],
  attribute: JoinableAttribute,
  query: Query | undefined,
): Map<number, number> {
  if (!query) return new Map();
  const compiler = compilerFor(reading, query.schema);
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
