/** The resolvers below the root: they pick values that the operation's plan has loaded, without any reads. */
import { type FieldNode, GraphQLError, type GraphQLResolveInfo, responsePathAsArray } from "graphql";
import type { Document } from "../../../engine/query/select.ts";
import { ApiError } from "../../../lib/errors.ts";
import type { Operation } from "../operation.ts";
import { nodesSlot, slot } from "./field-plan.ts";

/** The source of a collection's fields. Its lists are in slots of a row, under the collection's key. */
export interface Collection {
  readonly row: Document;
  readonly key: string;
  readonly pageInfo?: Readonly<Record<string, number>>;
}

const pickSlot = (key: string) => {
  const slotKey = slot(key);
  return (row: Document): unknown => row[slotKey];
};
const pickFromConnection =
  (key: string) =>
  (row: Document): Collection => ({ row, key });
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
