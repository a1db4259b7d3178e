/** Runs the plan of one root field: reads the rows with their selection, and their count if it is selected. */
import { type GraphQLObjectType, type GraphQLOutputType, getNamedType, isObjectType } from "graphql";
import { createReadContext, manyLocales, oneLocale } from "../../../engine/documents/document-reads.ts";
import { checkQuery } from "../../../engine/query/check-query.ts";
import { isPresent } from "../../../engine/query/list-params.ts";
import type { Params } from "../../../engine/query/parse.ts";
import type { ReadContext, Reading } from "../../../engine/query/reading.ts";
import { countListed, countRows, findRows, prepareCount, prepareRows, readingRows } from "../../../engine/query/run.ts";
import type { Document } from "../../../engine/query/select.ts";
import { type CheckedQuery, emptyQuery, type Query } from "../../../engine/query/tree.ts";
import { type MaybePromise, whenReady } from "../../../lib/when-ready.ts";
import { LISTS, nodesSlot } from "./field-plan.ts";
import { type ListArguments, readListArguments } from "./list-arguments.ts";
import type { Collection } from "./pick.ts";
import { Planner } from "./planner.ts";
import type { Nodes, RootField, Selected } from "./root-field.ts";

const selectionBelow = ({ operation, info, type, select }: RootField, nodes: Nodes, key: string): Selected =>
  select ? select(nodes, key) : new Planner(operation, info).select(type, nodes);

/** The arguments for status and locale, as parameters of a document operation. */
export function versionParams({ status, locale, publicationFilter, hasPublishedVersion }: Params): Params {
  return {
    status: status ?? "published",
    // a variable may have any type; an invalid locale matches nothing
    ...(isPresent(locale) ? { locale: typeof locale === "object" ? locale : String(locale) } : {}),
    ...(isPresent(publicationFilter) ? { publicationFilter } : {}),
    ...(isPresent(hasPublishedVersion) ? { hasPublishedVersion } : {}),
  };
}

const readContextFor = ({ operation: { services } }: RootField, params: Params): ReadContext =>
  // resolvers of others get rows, and may change them
  createReadContext(services.context, params, { sharesRows: services.extensions === undefined });

export function prepareList(field: RootField) {
  const { operation, type, args } = field;
  const { context, settings } = operation.services;
  const { filters, ...list } = readListArguments(
    context.model,
    type,
    args,
    settings.graphql,
    operation.ability.canRead,
  );
  const params = { ...versionParams(args), filters };
  return {
    readContext: readContextFor(field, params),
    scope: { locales: manyLocales(context, type, params) },
    list,
    /** In REST's form. */
    filters,
  };
}

type Part = Partial<Omit<Query, "schema">>;

/** The checked query of a root field. */
export const buildQuery = ({ operation, type }: Pick<RootField, "operation" | "type">, part: Part): CheckedQuery =>
  checkQuery(operation.services.context.model, { ...emptyQuery(type), ...part }, operation.reader);

/** A promise for long lists of large tables. */
export function readList(field: RootField): MaybePromise<readonly Document[]> {
  const { readContext, scope, list } = prepareList(field);
  const selected = selectionBelow(field, field.info.fieldNodes, "");
  const query = buildQuery(field, { ...list, ...selected });
  return whenReady(prepareRows(readContext, query, scope, false), (context) =>
    field.operation.read(readingRows(context, query, scope), context.prepared !== undefined),
  );
}

/** One row, of one document or of a single type. */
export function readOne(field: RootField): MaybePromise<Document | null> {
  const { operation, info, type, args } = field;
  const { context } = operation.services;
  const params = versionParams(args);
  const selected = selectionBelow(field, info.fieldNodes, "");
  const scope = { locales: oneLocale(context, type, params) };
  const reading = readingRows(
    readContextFor(field, params),
    buildQuery(field, { ...selected, limit: 1 }),
    type.kind === "singleType" ? scope : { ...scope, documentId: String(args.documentId) },
  );
  return whenReady(operation.read(reading), ([row]) => row ?? null);
}

/** Rows by their ids with the selection below `nodes`. Without a status, relations lead to every version that they link to. */
export function readRows(
  { operation, info, type }: Omit<RootField, "args">,
  ids: readonly number[],
  status: ReadContext["status"],
  nodes: Nodes = info.fieldNodes,
): readonly Document[] {
  const { storage, model } = operation.services.context;
  const readContext: ReadContext = { storage, model, status };
  const query = buildQuery({ operation, type }, new Planner(operation, info).select(type, nodes));
  return findRows(readContext, query, { locales: undefined, ids });
}

/** A row that was written, by its id; null if it does not exist. Without a status, relations lead to every version. */
export const readRow = (
  field: Omit<RootField, "args">,
  id: number,
  { status, nodes }: { status?: ReadContext["status"]; nodes?: Nodes } = {},
): Document | null => readRows(field, [id], status, nodes)[0] ?? null;

/** The fields of a collection with information about the page; `meta` with `v4CompatibilityMode`. */
const PAGE_FIELDS: ReadonlySet<string> = new Set(["pageInfo", "meta"]);

const nameOf = ([node]: Nodes): string => node?.name.value ?? "";

/** `nodes`: by response key. `isCounted`: the total is needed for the selected page information. */
export function selectedCollection({ operation, info }: RootField, limit: number | undefined) {
  const planner = new Planner(operation, info);
  const collection = findObjectType(info.returnType);
  const selected = [...planner.collect(collection, info.fieldNodes)];
  const nodes = selected.filter(([, below]) => LISTS.has(nameOf(below)));
  /** The names that are selected below fields of `type`, along a path of names. */
  const namesBelow = (type: GraphQLObjectType, parents: Nodes, [name, ...path]: readonly string[]): string[] => {
    const fields = [...planner.collect(type, parents).values()];
    if (name === undefined) return fields.map(nameOf);
    const below = fields.filter((field) => nameOf(field) === name).flat();
    return below.length === 0 ? [] : namesBelow(findObjectType(type.getFields()[name]?.type), below, path);
  };
  const pageInfo = [["pageInfo"], ["meta", "pagination"]].flatMap((path) =>
    namesBelow(collection, info.fieldNodes, path),
  );
  const hasPageInfo = selected.some(([, below]) => PAGE_FIELDS.has(nameOf(below)));
  if (!hasPageInfo) return { nodes, hasPageInfo, isCounted: false };
  const isCounted = limit === undefined || pageInfo.some((name) => name === "total" || name === "pageCount");
  return { nodes, hasPageInfo: true, isCounted };
}

/** Reads the same rows for every `nodes`, and counts them if the total is selected. A promise for long lists of large tables. */
export function readCollection(field: RootField): MaybePromise<Collection> {
  const { readContext, scope, list } = prepareList(field);
  const { nodes, hasPageInfo, isCounted } = selectedCollection(field, list.limit);
  const lists = nodes.map(
    ([key, below]) => [key, buildQuery(field, { ...list, ...selectionBelow(field, below, key) })] as const,
  );
  const counted = buildQuery(field, { ...list, fields: [] });
  const prepare = () => {
    if (lists[0]) return prepareRows(readContext, lists[0][1], scope, isCounted);
    return isCounted ? prepareCount(readContext, counted, scope) : readContext;
  };
  function* reading(context: ReadContext): Reading<Collection> {
    const row: Document = {};
    for (const [key, query] of lists) row[nodesSlot("", key)] = yield* readingRows(context, query, scope);
    if (!hasPageInfo) return { row, key: "" };
    const countAll = lists.length > 0 ? countListed : countRows;
    const count = isCounted ? countAll(context, counted, scope) : undefined;
    return { row, key: "", ...buildPageInfo(list, count) };
  }
  return whenReady(prepare(), (context) => field.operation.read(reading(context), context.prepared !== undefined));
}

/** The object type inside lists and non-null types; throws for other types. */
export function findObjectType(type: GraphQLOutputType | undefined): GraphQLObjectType {
  const named = type && getNamedType(type);
  if (!isObjectType(named)) throw new Error(`${String(type)} is not an object type`);
  return named;
}

const asPageInfo = (pageInfo: Record<string, number>): Pick<Collection, "pageInfo" | "meta"> => ({
  pageInfo,
  meta: { pagination: pageInfo },
});

export function buildPageInfo(
  { start, limit }: Pick<ListArguments, "start" | "limit">,
  total: number | undefined,
): Pick<Collection, "pageInfo" | "meta"> {
  if (limit === undefined) {
    const count = total ?? 0;
    return asPageInfo({ total: count, page: 1, pageSize: Math.max(count - start, 0), pageCount: 1 });
  }
  const page = { page: Math.floor(start / limit) + 1, pageSize: limit };
  return asPageInfo(total === undefined ? page : { ...page, total, pageCount: Math.ceil(total / limit) });
}
