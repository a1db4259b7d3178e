/** The resolvers below the root: they pick values that the operation's plan has loaded, without any reads. */
import { type FieldNode, GraphQLError, type GraphQLResolveInfo, responsePathAsArray } from "graphql";
import type { Document } from "../../../engine/query/select.ts";
import { ApiError } from "../../../lib/errors.ts";
import { isRecord } from "../../../lib/is-record.ts";
import type { MaybePromise } from "../../../lib/when-ready.ts";
import type { Operation } from "../operation.ts";
import { nodesSlot, slot } from "./field-plan.ts";

/** The source of a collection's fields. Its lists are in slots of a row, under the collection's key. */
export interface Collection {
  readonly row: Document;
  readonly key: string;
  readonly pageInfo?: Readonly<Record<string, number>>;
  /** The same as in Strapi 4. */
  readonly meta?: { readonly pagination: Collection["pageInfo"] };
}

/** The first list that a plan has loaded for a collection. */
function loadedNodes({ row, key }: Collection): unknown {
  const name = Object.keys(row).find((name) => name.startsWith(slot(key)) && Array.isArray(row[name]));
  return name === undefined ? [] : row[name];
}

/** With its rows as `nodes`, which middlewares of the project read and replace. */
export const withNodes = (collection: Collection) => ({ ...collection, nodes: loadedNodes(collection) });

/** The rows that middlewares have given a collection instead of those that a plan has loaded. */
export const findReplacedNodes = (collection: Collection & { readonly nodes?: unknown }): unknown =>
  collection.nodes === loadedNodes(collection) ? undefined : collection.nodes;

const PREFIX = Symbol("prefix");

/** A row, or below a field that leads to itself: a view of it, whose slots begin with those of such fields. */
interface Source extends Document {
  readonly [PREFIX]?: string;
}

const withPrefix = ({ [PREFIX]: prefix }: Source, key: string): string => (prefix === undefined ? key : prefix + key);

/** The row that a source is a view of. */
export const rowOf = <T>(source: T): T =>
  isRecord(source) && (source as Source)[PREFIX] !== undefined ? Object.getPrototypeOf(source) : source;

const pickSlot = (key: string) => {
  const slotKey = slot(key);
  return (row: Source): unknown => row[withPrefix(row, slotKey)];
};
const pickRowItself = (key: string) => {
  const slotKey = slot(key);
  return (row: Source): Source => Object.create(rowOf(row), { [PREFIX]: { value: withPrefix(row, slotKey) } });
};
const pickFromConnection =
  (key: string) =>
  (row: Source): Collection => ({ row, key: withPrefix(row, key) });
const pickFromNodes = (key: string) => (source: Collection) => source.row[nodesSlot(source.key, key)];

const nodeOf = (info: GraphQLResolveInfo): FieldNode => info.fieldNodes[0] as FieldNode;
const keyOf = (info: GraphQLResolveInfo): string => String(info.path.key);

const locations = new WeakMap<ApiError, GraphQLError["locations"]>();

/** A refusal with its path. Without one, graphql-js would compute the location in the text for every row. */
function withLocation(refusal: ApiError, info: GraphQLResolveInfo): GraphQLError {
  if (!locations.has(refusal)) {
    locations.set(refusal, new GraphQLError(refusal.message, { nodes: info.fieldNodes }).locations);
  }
  const error = new GraphQLError(refusal.message, { path: responsePathAsArray(info.path), originalError: refusal });
  return Object.assign(error, { locations: locations.get(refusal) });
}

function check(operation: Operation, info: GraphQLResolveInfo): void {
  try {
    operation.check(nodeOf(info));
  } catch (error) {
    throw error instanceof ApiError ? withLocation(error, info) : error;
  }
}

export function pick(row: Document, _args: unknown, operation: Operation, info: GraphQLResolveInfo): unknown {
  check(operation, info);
  return operation.paced(pickSlot(keyOf(info))(row));
}

/** A promise if fields are refused: as in Strapi, errors of a level come before those of the levels below. */
export function pickSelf(
  row: Document,
  _args: unknown,
  { refusals }: Operation,
  info: GraphQLResolveInfo,
): MaybePromise<Document> {
  const self = pickRowItself(keyOf(info))(row);
  return refusals.size === 0 ? self : Promise.resolve(self);
}

export function pickConnection(
  row: Document,
  _args: unknown,
  operation: Operation,
  info: GraphQLResolveInfo,
): Collection {
  check(operation, info);
  return pickFromConnection(keyOf(info))(row);
}

export const pickNodes = (
  source: Collection,
  _args: unknown,
  operation: Operation,
  info: GraphQLResolveInfo,
): unknown => operation.paced(pickFromNodes(keyOf(info))(source));

/** How a field picks its value from its parent. */
type Picker = (key: string) => (source: never) => unknown;

/** The same functions by resolver, for prepared operations, which call no resolvers. */
export const pickers: ReadonlyMap<unknown, Picker> = new Map<unknown, Picker>([
  [pick, pickSlot],
  [pickConnection, pickFromConnection],
  [pickNodes, pickFromNodes],
  [pickSelf, pickRowItself],
]);

const originals = new WeakMap<object, unknown>();

/** Declares that a resolver has the results of `original` for rows that a plan has loaded. */
export function picksAs<R extends object>(resolver: R, original: unknown): R {
  originals.set(resolver, original);
  return resolver;
}

/** The resolver that has the same results for loaded rows. */
export const findOriginal = (resolver: object | undefined): unknown =>
  resolver && (originals.get(resolver) ?? resolver);
