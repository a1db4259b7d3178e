/**
 * Makes answers of loaded rows, as graphql-js would: what a selection answers of a row is found out once, not for every
 * row. What would be an error in the answer, and what other resolvers answer, is left to graphql-js.
 */
import {
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
import type { Document } from "../../../query/select.ts";
import type { Operation } from "../operation.ts";
import { takings } from "../plan/pick.ts";
import type { Nodes } from "../plan/root-field.ts";

/** Thrown for what has to be executed step by step. */
export const STEP_BY_STEP = new Error("The operation has to be executed step by step");

/** The fields selected below nodes of a type, by their keys in the answer. */
export type Collect = (type: GraphQLObjectType, nodes: Nodes) => ReadonlyMap<string, FieldNode[]>;
/** Throws STEP_BY_STEP, or what a scalar throws. */
export type Write = (value: unknown, operation: Operation) => unknown;

type Source = Record<string, unknown>;

const isNothing = (value: unknown): value is null | undefined => value === null || value === undefined;

const orNull =
  (write: Write): Write =>
  (value, operation) =>
    isNothing(value) ? null : write(value, operation);

function writeLeaf(type: GraphQLLeafType): Write {
  return (value) => {
    const serialized = type.serialize(value);
    if (isNothing(serialized)) throw STEP_BY_STEP;
    return serialized;
  };
}

const writeList =
  (write: Write): Write =>
  (list, operation) => {
    if (!Array.isArray(list)) throw STEP_BY_STEP;
    return list.map((entry) => write(entry, operation));
  };

const writeSome =
  (write: Write): Write =>
  (value, operation) => {
    const written = write(value, operation);
    if (written === null) throw STEP_BY_STEP;
    return written;
  };

/** Throws STEP_BY_STEP for a key that usual objects do not take. */
export function checkKey(key: string): void {
  if (key === "__proto__") throw STEP_BY_STEP;
}

export class Writers {
  readonly #collect: Collect;

  constructor(collect: Collect) {
    this.#collect = collect;
  }

  /** Throws STEP_BY_STEP for a selection with fields that nobody knows how to answer beforehand. */
  of(type: GraphQLOutputType, nodes: Nodes): Write {
    if (isNonNullType(type)) return writeSome(this.of(type.ofType, nodes));
    if (isListType(type)) return orNull(writeList(this.of(type.ofType, nodes)));
    if (isLeafType(type)) return orNull(writeLeaf(type));
    if (isUnionType(type)) return orNull(this.#union(type, nodes));
    if (isObjectType(type)) return orNull(this.#object(type, nodes));
    throw STEP_BY_STEP;
  }

  #object(type: GraphQLObjectType, nodes: Nodes): Write {
    const fields = [...this.#collect(type, nodes)].map(([key, below]) => [key, this.#field(type, key, below)] as const);
    return (value, operation) => {
      const written: Source = {};
      for (const [key, write] of fields) written[key] = write(value, operation);
      return written;
    };
  }

  /** What the resolver of a field does with the parent. */
  #field(parent: GraphQLObjectType, key: string, nodes: Nodes): Write {
    checkKey(key);
    const name = nodes[0]?.name.value ?? "";
    if (name === "__typename") return () => parent.name;
    const field = parent.getFields()[name];
    if (!field) throw STEP_BY_STEP;
    const write = this.of(field.type, nodes);
    if (!field.resolve) return (source, operation) => write((source as Source)[name], operation);
    const taking = takings.get(field.resolve);
    if (!taking) throw STEP_BY_STEP;
    const take = taking(key) as (source: unknown) => unknown;
    return (source, operation) => write(take(source), operation);
  }

  #union(type: GraphQLUnionType, nodes: Nodes): Write {
    const nameOf = type.extensions.galleyMember;
    if (!nameOf) throw STEP_BY_STEP;
    const members = new Map(type.getTypes().map((member) => [member.name, this.#object(member, nodes)]));
    return (value, operation) => {
      const write = members.get(nameOf(value as Document));
      if (!write) throw STEP_BY_STEP;
      return write(value, operation);
    };
  }
}
