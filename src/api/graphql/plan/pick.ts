/** The resolvers below the root: they take what the operation's plan has loaded, and read nothing. */
import type { FieldNode, GraphQLResolveInfo } from "graphql";
import type { Document } from "../../../query/select.ts";
import type { Operation } from "../operation.ts";
import { nodesSlot, slot } from "../schema/field-plan.ts";

/** What a collection's fields are picked from: its lists are in slots of a row, under the collection's own key. */
export interface Collection {
  readonly row: Document;
  readonly key: string;
  readonly pageInfo?: Readonly<Record<string, number>>;
}

function allowed(operation: Operation, info: GraphQLResolveInfo): FieldNode {
  const node = info.fieldNodes[0] as FieldNode;
  operation.check(node);
  return node;
}

export const pick = (row: Document, _args: unknown, operation: Operation, info: GraphQLResolveInfo): unknown =>
  operation.hand(allowed(operation, info), row[slot(String(info.path.key))]);

export function pickConnection(
  row: Document,
  _args: unknown,
  operation: Operation,
  info: GraphQLResolveInfo,
): Collection {
  allowed(operation, info);
  return { row, key: String(info.path.key) };
}

export const pickNodes = (
  source: Collection,
  _args: unknown,
  operation: Operation,
  info: GraphQLResolveInfo,
): unknown => operation.hand(info.fieldNodes[0] as FieldNode, source.row[nodesSlot(source.key, String(info.path.key))]);
