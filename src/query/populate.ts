/**
 * Adds the populated attributes to a page of documents, for any number of rows: one statement for the edges of all
 * attributes that are followed as they are and one for the rows of each, or one statement for each of the others.
 */
import { isEmptyRelation, type Schema } from "../schema/model.ts";
import { addTo, type Children, countChildren, readChildren } from "./children.ts";
import { type Alike, isLocalizations } from "./children-sql.ts";
import { type Edge, edgesApart, hasKinds, isPaged, isPlain, readEdges } from "./edges.ts";
import { listsUsers, openParts, usesOf } from "./file-users.ts";
import { answerBelow } from "./loaded-row.ts";
import { hasSeveralLocales } from "./locales-there.ts";
import type { BudgetedReading } from "./reading.ts";
import { rowsById } from "./rows-by-id.ts";
import type { LoadedRow } from "./select.ts";
import type { JoinableAttribute, Populate, Query } from "./tree.ts";

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
      const counts = item.query
        ? countChildren(reading, { schema, parents, attribute: attribute as JoinableAttribute, query: item.query })
        : new Map<number, number>();
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

function loadAlike(
  reading: BudgetedReading,
  schema: Schema,
  parents: readonly LoadedRow[],
  attribute: Alike,
  query: Query,
  withPage = false,
): Level {
  if (isLocalizations(attribute) && !hasSeveralLocales(reading.storage, query.schema)) return NOTHING;
  const { children, rows } = readChildren(reading, { schema, parents, attribute, query, withPage });
  return { children, below: [{ query, rows: rows.values() }] };
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
