/**
 * Completes the response from loaded rows, like graphql-js, but analyses a selection once instead of per row. Errors and other
 * resolvers are left to graphql-js.
 */
import {
  defaultFieldResolver,
  type FieldNode,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLUnionType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from "graphql";
import type { Document } from "../../../engine/query/select.ts";
import type { Operation } from "../operation.ts";
import { findOriginal, pickers } from "../plan/pick.ts";
import type { Nodes } from "../plan/root-field.ts";

/** Thrown if graphql-js must execute the operation. */
export const FALLBACK = new Error("graphql-js has to execute the operation");

/** The fields selected below nodes of a type, by response key. */
export type Collect = (type: GraphQLObjectType, nodes: Nodes) => ReadonlyMap<string, FieldNode[]>;
/** Throws FALLBACK, or the error of a scalar. */
export type Write = (value: unknown, operation: Operation) => unknown;

type Source = Record<string, unknown>;

const isNullish = (value: unknown): value is null | undefined => value === null || value === undefined;

const writeNullable =
  (write: Write): Write =>
  (value, operation) =>
    isNullish(value) ? null : write(value, operation);

function writeLeaf(type: GraphQLLeafType): Write {
  return (value) => {
    const serialized = type.serialize(value);
    if (isNullish(serialized)) throw FALLBACK;
    return serialized;
  };
}

const writeList =
  (write: Write): Write =>
  (list, operation) => {
    if (!Array.isArray(list)) throw FALLBACK;
    return list.map((entry) => write(entry, operation));
  };

const writeNonNull =
  (write: Write): Write =>
  (value, operation) => {
    const result = write(value, operation);
    if (result === null) throw FALLBACK;
    return result;
  };

/** Throws FALLBACK for a key that plain objects cannot have. */
export function checkKey(key: string): void {
  if (key === "__proto__") throw FALLBACK;
}

export class Writers {
  readonly #collect: Collect;

  constructor(collect: Collect) {
    this.#collect = collect;
  }

  /** Throws FALLBACK for fields with other resolvers than those of `pick.ts`. */
  of(type: GraphQLOutputType, nodes: Nodes): Write {
    if (isNonNullType(type)) return writeNonNull(this.of(type.ofType, nodes));
    if (isListType(type)) return writeNullable(writeList(this.of(type.ofType, nodes)));
    if (isLeafType(type)) return writeNullable(writeLeaf(type));
    if (isUnionType(type)) return writeNullable(this.#union(type, nodes));
    if (isObjectType(type)) return writeNullable(this.#object(type, nodes));
    throw FALLBACK;
  }

  #object(type: GraphQLObjectType, nodes: Nodes): Write {
    const fields = [...this.#collect(type, nodes)].map(([key, below]) => [key, this.#field(type, key, below)] as const);
    return (value, operation) => {
      const object: Source = {};
      for (const [key, write] of fields) object[key] = write(value, operation);
      return object;
    };
  }

  /** The equivalent of a field's resolver. */
  #field(parent: GraphQLObjectType, key: string, nodes: Nodes): Write {
    checkKey(key);
    const name = nodes[0]?.name.value ?? "";
    if (name === "__typename") return () => parent.name;
    const field = parent.getFields()[name];
    if (!field) throw FALLBACK;
    const write = this.of(field.type, nodes);
    const resolve = findOriginal(field.resolve);
    if (!resolve || resolve === defaultFieldResolver)
      return (source, operation) => write((source as Source)[name], operation);
    const picker = pickers.get(resolve);
    if (!picker) throw FALLBACK;
    const pickValue = picker(key) as (source: unknown) => unknown;
    return (source, operation) => write(pickValue(source), operation);
  }

  #union(type: GraphQLUnionType, nodes: Nodes): Write {
    const memberName = type.extensions.galleyMember;
    if (!memberName) throw FALLBACK;
    const members = new Map(type.getTypes().map((member) => [member.name, this.#object(member, nodes)]));
    return (value, operation) => {
      const write = members.get(memberName(value as Document));
      if (!write) throw FALLBACK;
      return write(value, operation);
    };
  }
}
