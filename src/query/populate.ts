/**
 * Adds the populated attributes to a page of documents, for any number of rows: one statement for the edges of all
 * attributes that are followed as they are and one for the rows of each, or one statement for each of the others.
 */
import { isEmptyRelation, type PopulatableAttribute, type Schema } from "../schema/model.ts";
import { quote } from "../storage/quote.ts";
import { type Compiler, compilerFor } from "./compile.ts";
import { atMost, type Edge, edgesApart, hasKinds, idsOf, isPaged, isPlain, readEdges } from "./edges.ts";
import { listsUsers, openParts, usesOf } from "./file-users.ts";
import { answerBelow, rowLoader } from "./loaded-row.ts";
import { hasSeveralLocales } from "./locales-there.ts";
import type { BudgetedReading } from "./reading.ts";
import { rowsById } from "./rows-by-id.ts";
import { type Document, type LoadedRow, selectionOf } from "./select.ts";
import type { JoinableAttribute, Populate, Query } from "./tree.ts";
import { versionSql } from "./versions.ts";

/** Attributes whose targets are all of one kind. */
type Alike = Exclude<PopulatableAttribute, { kind: "zone" }>;

/** The rows behind each parent row, in order. */
type Children = Map<number, LoadedRow[]>;

/** What is populated of an attribute: the children, and each of the rows once, with what is populated of them in turn. */
interface Level {
  readonly children: Children;
  readonly below: readonly { readonly query: Query; readonly rows: Iterable<LoadedRow> }[];
  /** Where it is not the request's: the version in which the level and those below it are read. */
  readonly reading?: BudgetedReading;
}

const NOTHING: Level = { children: new Map(), below: [] };

/** Throws a ValidationError for more than the budget allows, as soon as a level shows it. */
export function populate(
  reading: BudgetedReading,
  schema: Schema,
  parents: readonly LoadedRow[],
  populates: readonly Populate[],
): void {
  if (parents.length === 0 || populates.length === 0) return;
  const plain = populates.filter((item) => isPlain(item) && !listsUsers(schema, item.attribute));
  const edges = edgesApart(reading, parents, plain);
  for (const item of populates) {
    const { attribute, key } = item;
    reading.budget.checkTime();
    if (item.count && attribute.kind !== "zone" && !hasKinds(attribute)) {
      const counts = countChildren(reading, schema, parents, attribute as JoinableAttribute, item.query);
      for (const { document } of parents) document[key] = { count: counts.get(document.id as number) ?? 0 };
      continue;
    }
    const own = isPlain(item) ? edges?.get(attribute.link.field) : undefined;
    const level = own ? follow(reading, item, own) : load(reading, schema, parents, item);
    const children = own ? pagesOf(level.children, item) : level.children;
    if (item.count) {
      for (const { document } of parents) document[key] = { count: children.get(document.id as number)?.length ?? 0 };
      continue;
    }
    answerBelow(reading.budget, parents, children, ({ document }, found) => {
      document[key] = attribute.many ? found.map((child) => child.document) : (found[0]?.document ?? null);
    });
    for (const { query, rows } of level.below) {
      if (query.populate.length === 0) continue;
      populate(level.reading ?? reading, query.schema, answeredOf(rows), query.populate);
    }
  }
}

const answeredOf = (rows: Iterable<LoadedRow>): LoadedRow[] => [...rows].filter(({ copies }) => copies > 0);

/** The wanted part of each parent's children. */
function pagesOf(children: Children, item: Populate): Children {
  if (!item.query || !isPaged(item)) return children;
  const { start, limit } = item.query;
  const end = limit === undefined ? undefined : start + limit;
  return new Map([...children].map(([parent, found]) => [parent, found.slice(start, end)]));
}

function load(reading: BudgetedReading, schema: Schema, parents: readonly LoadedRow[], item: Populate): Level {
  const { attribute } = item;
  if (isEmptyRelation(attribute)) return NOTHING;
  if (listsUsers(schema, attribute)) return loadUsers(reading, parents, item);
  if (hasKinds(attribute)) {
    const edges = readEdges(reading, parents, [item]);
    return follow(reading, item, edges?.get(attribute.link.field) ?? []);
  }
  return loadAlike(reading, schema, parents, attribute as Alike, item.query!, item.withPage);
}

function addTo<K, V>(lists: Map<K, V[]>, key: K, item: V): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}

/** The users of files, in any version; kinds without a query are left out. */
function loadUsers(request: BudgetedReading, files: readonly LoadedRow[], { on }: Populate): Level {
  const reading = { ...request, status: undefined };
  const uses = usesOf(reading, files);
  const entries = new Map<Schema, ReadonlyMap<number, LoadedRow>>();
  const below: Level["below"][number][] = [];
  for (const [schema, of] of Map.groupBy(uses, (use) => use.schema)) {
    const query = on?.get(schema.uid);
    if (!query) continue;
    const owners = of.map(({ owner }) => owner);
    const visible = schema.modelType === "component" ? [...openParts(reading, schema, owners)] : owners;
    const rows = loadKind(reading, query, visible, "__type");
    entries.set(schema, rows);
    below.push({ query, rows: rows.values() });
  }
  const children: Children = new Map();
  for (const { schema, file, owner } of uses) {
    const entry = entries.get(schema)?.get(owner);
    if (entry) addTo(children, file, entry);
  }
  return { children, below, reading };
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
  parents: readonly LoadedRow[],
): Source {
  if (attribute.kind === "relation" && attribute.column !== undefined)
    return {
      from: `${quote(schema.table)} p CROSS JOIN ${quote(target.table)} t ON t.id = p.${quote(attribute.column)}`,
      where: compiler.oneOf("p.id", idsOf(parents)),
      parent: "p.id",
      order: "p.id",
    };
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
  { status, orDraft }: BudgetedReading,
  target: Schema,
  parents: readonly LoadedRow[],
  withPage: boolean,
): Source {
  const table = quote(target.table);
  const others = (): string => `NOT ${compiler.oneOf("t.id", idsOf(parents))}`;
  // in one version, the rows of the page need not be looked at again to find the others
  if (!withPage && status !== undefined && !orDraft) {
    const documents = [...new Set(parents.map(({ document }) => document.documentId))];
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
  reading: BudgetedReading,
  schema: Schema,
  parents: readonly LoadedRow[],
  attribute: Alike,
  query: Query,
  withPage = false,
): Level {
  const target = query.schema;
  if (isLocalizations(attribute) && !hasSeveralLocales(reading.storage, target)) return NOTHING;
  const compiler = compilerFor(reading, target);
  const from = isLocalizations(attribute)
    ? localizationsSource(compiler, reading, target, parents, withPage)
    : source(compiler, schema, attribute, target, parents);
  const where = [from.where, ...versionSql(compiler, reading, target)];
  if (query.where) where.push(compiler.condition(query.where, "t"));
  const order = query.sort.length > 0 ? compiler.orderBy(query.sort, "t", target.table) : from.order;
  const sqlOf = (columns: string): string =>
    paged(
      query,
      `SELECT ${from.parent}, ${columns}`,
      `FROM ${from.from} WHERE ${where.join(" AND ")}`,
      from.parent,
      order,
    );
  const found = readWhole(reading, query, compiler, sqlOf) ?? readApart(reading, query, compiler, sqlOf);
  const children = new Map<unknown, LoadedRow[]>();
  for (const [parent, id] of found.edges) {
    const child = found.rows.get(id);
    if (child) addTo(children, parent, child);
  }
  const keyOf = ({ id, documentId }: Document): unknown => (from.isByDocument ? documentId : id);
  return {
    children: new Map(parents.map(({ document }) => [document.id as number, children.get(keyOf(document)) ?? []])),
    below: [{ query, rows: found.rows.values() }],
  };
}

/** Rows and whose children they are. A row that several parents share is there once. */
interface Found {
  readonly edges: readonly (readonly [parent: unknown, id: number])[];
  readonly rows: ReadonlyMap<number, LoadedRow>;
}

/** With more rows than this, long text columns are not read once more for each parent. */
const MOST_LONG = 1000;

/** Everything in one statement; undefined when that would hold too much in memory. */
function readWhole(
  reading: BudgetedReading,
  query: Query,
  compiler: Compiler,
  sqlOf: (columns: string) => string,
): Found | undefined {
  const { columns } = selectionOf(query.schema, query.fields);
  const isLong = query.fields.some(({ type }) => type.long);
  const bound = compiler.params.length;
  const sql = sqlOf(columns) + atMost(reading, compiler, isLong ? MOST_LONG : undefined);
  const read = reading.storage.all(sql, compiler.params);
  compiler.params.length = bound;
  if (isLong && read.length > MOST_LONG) return undefined;
  reading.budget.take("entries", read.length);
  const load = rowLoader(query);
  const rows = new Map<number, LoadedRow>();
  const edges: [unknown, number][] = [];
  for (const row of read) {
    const id = row[1] as number;
    if (!rows.has(id)) rows.set(id, load(row, 1));
    edges.push([row[0], id]);
  }
  return { edges, rows };
}

/** The ids first, and then each row once. */
function readApart(
  reading: BudgetedReading,
  query: Query,
  compiler: Compiler,
  sqlOf: (columns: string) => string,
): Found {
  const sql = sqlOf("t.id") + atMost(reading, compiler);
  const edges = reading.storage.all(sql, compiler.params).map(([parent, id]) => [parent, id as number] as const);
  reading.budget.take("entries", edges.length);
  const ids = [...new Set(edges.map(([, id]) => id))];
  return { edges, rows: rowsById({ ...reading, status: undefined }, { ...query, where: undefined }, ids) };
}

/** Limits each parent's children by their number in order, in the same statement. */
function paged(query: Query, select: string, from: string, parent: string, order: string): string {
  if (query.limit === undefined && query.start === 0) return `${select} ${from} ORDER BY ${order}`;
  const last = query.limit === undefined ? "" : ` AND "$number" <= ${query.start + query.limit}`;
  const numbered = `${select}, row_number() OVER w AS "$number" ${from} WINDOW w AS (PARTITION BY ${parent} ORDER BY ${order})`;
  return `SELECT * FROM (${numbered}) WHERE "$number" > ${query.start}${last} ORDER BY "$number"`;
}

function countChildren(
  reading: BudgetedReading,
  schema: Schema,
  parents: readonly LoadedRow[],
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
function follow(reading: BudgetedReading, item: Populate, edges: readonly Edge[]): Level {
  const kinds = new Map<number, ReadonlyMap<number, LoadedRow>>();
  const below: Level["below"][number][] = [];
  for (const [kind, of] of Map.groupBy(edges, ([, , number]) => number)) {
    const query = hasKinds(item.attribute) ? fragmentFor(reading, item, kind) : item.query;
    if (!query) continue;
    const ids = [...new Set(of.map(([, target]) => target))];
    const tag = item.attribute.kind === "zone" ? "__component" : "__type";
    const isMixed = hasKinds(item.attribute);
    // links to rows of any type lead to their versions as they are
    const versions = isMixed ? { ...reading, status: undefined } : reading;
    const rows = loadKind(versions, query, ids, isMixed ? tag : undefined);
    kinds.set(kind, rows);
    below.push({ query, rows: rows.values() });
  }
  const children: Children = new Map();
  for (const [owner, target, kind] of edges) {
    const child = kinds.get(kind)?.get(target);
    if (child) addTo(children, owner, child);
  }
  return { children, below };
}

/** What to read of a kind of target; undefined: nothing. */
function fragmentFor({ storage, model }: BudgetedReading, { on }: Populate, kind: number): Query | undefined {
  const table = storage.nameOf(kind);
  const schema = [...model.components.values(), ...model.types.values()].find((each) => each.table === table);
  return schema && on?.get(schema.uid);
}

/** The rows of one kind by their ids; each with the name of its kind under `tag`. */
function loadKind(
  reading: BudgetedReading,
  query: Query,
  ids: readonly number[],
  tag: string | undefined,
): ReadonlyMap<number, LoadedRow> {
  const rows = rowsById(reading, query, ids);
  if (tag) for (const { document } of rows.values()) document[tag] = query.schema.uid;
  return rows;
}
