/**
 * Adds populated attributes to a page of documents. The number of statements does not depend on the number of rows: either
 * one for the links of all attributes that are only followed and one for the rows of each, or one per attribute.
 */
import { hasPolymorphicTargets, isUnlinked, type Schema } from "../schema/model.ts";
import { perVersion } from "../storage/connection.ts";
import { quote } from "../storage/sql.ts";
import type { Storage } from "../storage/storage.ts";
import { addTo, type Children, countChildren, readChildren } from "./children.ts";
import { isLocalizations, type SingleTypeAttribute } from "./children-sql.ts";
import { dependOnDocuments, dependOnLinks, type Page, pageOf } from "./dependencies.ts";
import { expectAll, expectTargets } from "./expected-values.ts";
import { fileUses, listsUsers, publicEntries } from "./file-users.ts";
import { mayKeepLinks, withoutKeptLinks } from "./kept-links.ts";
import { isPaged, type LinkTuple, needsOnlyLinks, prefetchLinks, readLinks } from "./links.ts";
import type { BudgetedReadContext, Reading } from "./reading.ts";
import { rowsById } from "./rows-by-id.ts";
import { attachChildren, chargeRepeated, type LoadedRow } from "./select.ts";
import { keyCount, type Populate, type Query } from "./tree.ts";

const multipleByType = perVersion(() => new Map<Schema, boolean>());

/** Compares the smallest and largest locale of both versions, which SQLite finds in the version index. */
function readHasMultiple(storage: Storage, { table }: Schema): boolean {
  const ends = ["draft", "published"].flatMap((status) =>
    ["min", "max"].map((end) => `(SELECT ${end}(locale) FROM ${quote(table)} WHERE status = '${status}')`),
  );
  const locales = storage.first(`SELECT ${ends.join(", ")}`) ?? [];
  return new Set(locales.filter((locale) => locale !== null)).size > 1;
}

const hasMultipleLocales = (storage: Storage, schema: Schema): boolean =>
  multipleByType(storage).getOrInsertComputed(schema, () => readHasMultiple(storage, schema));

/** One populated attribute. */
interface Level {
  readonly children: Children;
  /** The distinct rows of the level, to be populated in turn. */
  readonly below: readonly { readonly query: Query; readonly rows: Iterable<LoadedRow> }[];
  /** For this level and those below it, where it differs from the request's. */
  readonly context?: BudgetedReadContext;
}

const EMPTY_LEVEL: Level = { children: new Map(), below: [] };

/** Throws a ValidationError as soon as a level is beyond the budget. */
export function* populate(
  context: BudgetedReadContext,
  schema: Schema,
  parents: readonly LoadedRow[],
  populates: readonly Populate[],
): Reading<void> {
  if (parents.length === 0 || populates.length === 0) return;
  yield* expectAll(context, schema, parents, populates);
  const linkOnly = populates.filter((item) => followsLinks(context, schema, item));
  const linksByField = prefetchLinks(context, parents, linkOnly);
  for (const item of populates) {
    const { attribute, key } = item;
    context.budget.checkTime();
    if (context.budget.isPauseDue) yield;
    if (item.count && attribute.kind !== "zone" && !hasPolymorphicTargets(attribute)) {
      const counts = item.query
        ? yield* countChildren(context, {
            schema,
            parents,
            attribute,
            query: item.query,
          })
        : new Map<number, number>();
      for (const { document } of parents) document[key] = { count: counts.get(document.id as number) ?? 0 };
      dependOnLinks(context, schema, parents, item, "unordered");
      continue;
    }
    const links = linkOnly.includes(item) ? linksByField?.get(context.storage.number(attribute.link.field)) : undefined;
    const level = yield* links ? followLinks(context, parents, item, links) : load(context, schema, parents, item);
    const { children } = level;
    const page = shownPage(item, children);
    dependOnLinks(context, schema, parents, item, page);
    if (item.count) {
      for (const { document } of parents) document[key] = { count: children.get(document.id as number)?.length ?? 0 };
      continue;
    }
    attachChildren(context.budget, parents, children, item);
    for (const { query, rows } of level.below) {
      const returned = returnedRows(rows);
      chargeRepeated(context.budget, query, returned, "level");
      dependOnRows(level.context ?? context, item, query, returned, page);
      if (query.populate.length > 0) yield* populate(level.context ?? context, query.schema, returned, query.populate);
    }
  }
}

function dependOnRows(
  { budget, status }: BudgetedReadContext,
  item: Populate,
  query: Query,
  rows: readonly LoadedRow[],
  page: Page,
): void {
  if (!budget.tags) return;
  const documents = rows.map(({ document }) => document);
  dependOnDocuments(budget.tags, query, documents, page, targetStatus(status, item, query));
}

function returnedRows(rows: Iterable<LoadedRow>): LoadedRow[] {
  const returned: LoadedRow[] = [];
  for (const row of rows) if (row.copies > 0) returned.push(row);
  return returned;
}

/** The version in which the rows behind links are read: behind polymorphic ones, any, unless the query is of one. */
const targetStatus = (
  status: BudgetedReadContext["status"],
  { attribute }: Populate,
  query: Query | undefined,
): BudgetedReadContext["status"] => (hasPolymorphicTargets(attribute) && !query?.isOfVersion ? undefined : status);

/** Whether the links of the parents alone lead to what an attribute shows. */
const followsLinks = (context: BudgetedReadContext, schema: Schema, item: Populate): boolean =>
  needsOnlyLinks(item) &&
  !listsUsers(schema, item.attribute) &&
  ![...listTargets(context, item)].some((target) =>
    mayKeepLinks(targetStatus(context.status, item, item.on?.get(target.uid)), schema, target),
  );

function shownPage({ query, count }: Populate, children: Children): Page {
  const { start = 0, limit = Number.POSITIVE_INFINITY } = query ?? {};
  if (count) return "unordered";
  let most = 0;
  for (const rows of children.values()) most = Math.max(most, rows.length);
  return pageOf(start, most >= limit, most);
}

function* load(
  context: BudgetedReadContext,
  schema: Schema,
  parents: readonly LoadedRow[],
  item: Populate,
): Reading<Level> {
  const { attribute } = item;
  if (isUnlinked(attribute)) return EMPTY_LEVEL;
  if (listsUsers(schema, attribute)) return yield* loadUsers(context, parents, item);
  if (hasPolymorphicTargets(attribute)) {
    const [links = []] = readLinks(context, parents, [item])?.values() ?? [];
    return yield* followLinks(context, parents, item, shownLinks(context, schema, item, links));
  }
  return yield* loadSingleType(context, schema, parents, item);
}

/** The entries that use files, in any version, unless the query is of one. Types without a query are omitted. */
function* loadUsers(context: BudgetedReadContext, files: readonly LoadedRow[], item: Populate): Reading<Level> {
  const uses = fileUses(context, files);
  const entries = new Map<Schema, ReadonlyMap<number, LoadedRow>>();
  const below: Level["below"][number][] = [];
  for (const [schema, usesOfType] of Map.groupBy(uses, (use) => use.schema)) {
    const query = item.on?.get(schema.uid);
    if (!query) continue;
    const owners = usesOfType.map(({ owner }) => owner);
    const visible = schema.modelType === "component" ? [...publicEntries(context, schema, owners)] : owners;
    const ofType = { ...context, status: targetStatus(context.status, item, query) };
    const rows = yield* loadRowsOfType(ofType, query, visible, "__type");
    entries.set(schema, rows);
    below.push({ query, rows: rows.values() });
  }
  const children: Children = new Map();
  for (const { schema, file, owner } of uses) {
    const entry = entries.get(schema)?.get(owner);
    if (entry) addTo(children, file, entry);
  }
  const isOfVersion = below.every(({ query }) => query.isOfVersion);
  return { children, below, context: isOfVersion ? context : { ...context, status: undefined } };
}

/** Strapi leaves the locale of a type without any in entries behind morphOne and morphMany. */
const showsLocale = ({ kind, link }: SingleTypeAttribute, { schema, fields }: Query): boolean =>
  kind === "relation" &&
  link.polymorphic &&
  link.side === "inverse" &&
  schema.modelType === "contentType" &&
  !schema.localized &&
  fields === schema.defaultFields;

function* loadSingleType(
  context: BudgetedReadContext,
  schema: Schema,
  parents: readonly LoadedRow[],
  item: Populate,
): Reading<Level> {
  const { includesPage = false } = item;
  const attribute = item.attribute as SingleTypeAttribute;
  const query = item.query!;
  const countsVersions = context.listsVersions || (includesPage && context.status === undefined);
  if (isLocalizations(attribute) && !countsVersions && !hasMultipleLocales(context.storage, query.schema))
    return EMPTY_LEVEL;
  const followed = { schema, parents, attribute, query, includesPage };
  const { children, rows } = yield* readChildren(context, followed, keyCount(item));
  if (showsLocale(attribute, query)) for (const { document } of rows.values()) document.locale = null;
  return { children, below: [{ query, rows: rows.values() }] };
}

/** Without those that rows keep to documents that are not published: one statement per target type with versions. */
function shownLinks(
  context: BudgetedReadContext,
  schema: Schema,
  item: Populate,
  links: readonly LinkTuple[],
): readonly LinkTuple[] {
  const kept = new Set<LinkTuple>();
  for (const [kind, linksOfKind] of Map.groupBy(links, ([, , number]) => number)) {
    const target = schemaOfKind(context, kind);
    const status = targetStatus(context.status, item, fragmentFor(context, item, kind));
    if (!target || !mayKeepLinks(status, schema, target)) continue;
    const condition = withoutKeptLinks(context, "l", schema, target);
    const sql = `SELECT l.key FROM (SELECT e.key, e.value ->> 0 AS owner, e.value ->> 1 AS target FROM json_each(?) e) l WHERE NOT ${condition}`;
    for (const [index] of context.storage.all(sql, [JSON.stringify(linksOfKind)]))
      kept.add(linksOfKind[index as number]!);
  }
  return kept.size === 0 ? links : links.filter((link) => !kept.has(link));
}

/** The rows that links lead to, in the requested page: one statement per target type. */
function* followLinks(
  context: BudgetedReadContext,
  parents: readonly LoadedRow[],
  item: Populate,
  links: readonly LinkTuple[],
): Reading<Level> {
  const rowsByKind = new Map<number | undefined, ReadonlyMap<number, LoadedRow>>();
  const below: Level["below"][number][] = [];
  const isPolymorphic = hasPolymorphicTargets(item.attribute);
  const typeKey = item.attribute.kind === "zone" ? "__component" : "__type";
  const byKind = isPolymorphic ? Map.groupBy(links, ([, , kind]) => kind) : [[undefined, links] as const];
  for (const [kind, linksOfKind] of byKind) {
    const query = kind === undefined ? item.query : fragmentFor(context, item, kind);
    if (!query || linksOfKind.length === 0) continue;
    const targets = new Set<number>();
    for (const link of linksOfKind) targets.add(link[1]);
    const ids = [...targets];
    const targetContext = isPolymorphic ? { ...context, status: targetStatus(context.status, item, query) } : context;
    // what is paged here is short
    if (!isPaged(item) && !item.count) yield* expectTargets(targetContext, item, query, parents, linksOfKind);
    const rows = yield* loadRowsOfType(targetContext, query, ids, isPolymorphic ? typeKey : undefined);
    rowsByKind.set(kind, rows);
    below.push({ query, rows: rows.values() });
  }
  const [single] = isPolymorphic ? [] : rowsByKind.values();
  const find = ([, target, kind]: LinkTuple): LoadedRow | undefined => (single ?? rowsByKind.get(kind))?.get(target);
  return { children: pageChildren(links, find, item), below };
}

/** The children of each parent that links lead to, as far as they are found, in the requested page. */
function pageChildren(
  links: readonly LinkTuple[],
  find: (link: LinkTuple) => LoadedRow | undefined,
  { query }: Populate,
): Children {
  const { start = 0, limit = Number.POSITIVE_INFINITY } = query ?? {};
  const children: Children = new Map();
  let owner: number | undefined;
  let rows: LoadedRow[] = [];
  let count = 0;
  for (let i = 0; i < links.length; i++) {
    const link = links[i]!;
    const child = find(link);
    if (!child) continue;
    if (link[0] !== owner) {
      // links are in order of their owners
      owner = link[0];
      rows = [];
      count = 0;
      children.set(owner, rows);
    }
    if (count >= start && count - start < limit) rows.push(child);
    count++;
  }
  return children;
}

/** The query for a target type; undefined: its rows are omitted. */
function fragmentFor(context: BudgetedReadContext, { on }: Populate, kind: number): Query | undefined {
  const schema = schemaOfKind(context, kind);
  return schema && on?.get(schema.uid);
}

function schemaOfKind({ storage, model }: BudgetedReadContext, kind: number): Schema | undefined {
  const table = storage.findName(kind);
  return [...model.components.values(), ...model.types.values()].find((each) => each.table === table);
}

/** What a populated attribute may lead to. */
const listTargets = ({ model }: BudgetedReadContext, { attribute, query }: Populate): Iterable<Schema> =>
  query ? [query.schema] : attribute.kind === "relation" ? model.types.values() : [];

/** The rows of one type by their ids, each with the type's uid under `typeKey`. */
function* loadRowsOfType(
  context: BudgetedReadContext,
  query: Query,
  ids: readonly number[],
  typeKey: string | undefined,
): Reading<ReadonlyMap<number, LoadedRow>> {
  const rows = yield* rowsById(context, query, ids, typeKey === undefined);
  if (typeKey) for (const { document } of rows.values()) document[typeKey] = query.schema.uid;
  return rows;
}
