/** Replaces the literals of an operation by variables, so that other texts can use it with their own values. */
import {
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  type IntValueNode,
  Kind,
  type StringValueNode,
  TokenKind,
  TypeInfo,
  type ValueNode,
  type VariableNode,
  valueFromAST,
  visit,
  visitWithTypeInfo,
} from "graphql";
import type { Literal } from "./parameterize.ts";

export type Variables = Readonly<Record<string, unknown>>;

export interface ParameterizedDocument {
  /** The variables of literals have numbers as names, which cannot clash with those of clients. */
  readonly document: DocumentNode;
  /** The types of those variables. */
  readonly types: readonly GraphQLInputType[];
}

/** `literals`: the literals of the document's text that become variables. */
export function literalsToVariables(
  schema: GraphQLSchema,
  document: DocumentNode,
  literals: readonly Literal[],
): ParameterizedDocument {
  const numbers = new Map(literals.map(({ start }, number) => [start, number]));
  const types: GraphQLInputType[] = [];
  const info = new TypeInfo(schema);
  const replace = ({ loc }: IntValueNode | StringValueNode): VariableNode | undefined => {
    const number = numbers.get(loc?.start ?? -1);
    const type = info.getInputType();
    if (number === undefined || !type) return undefined;
    types[number] = type;
    return { kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: String(number) } };
  };
  if (literals.length === 0) return { document, types };
  const parameterized = visit(
    document,
    visitWithTypeInfo(info, {
      [Kind.INT]: replace,
      [Kind.STRING]: replace,
    }),
  );
  return { document: parameterized, types };
}

const createNode = ({ kind, value }: Literal): ValueNode =>
  kind === TokenKind.INT ? { kind: Kind.INT, value } : { kind: Kind.STRING, value };

/** The values of the variables after coercion by the schema; undefined if one is invalid. */
export function coerceLiterals(
  types: readonly GraphQLInputType[],
  literals: readonly Literal[],
): Variables | undefined {
  const values: Record<string, unknown> = {};
  for (const [number, literal] of literals.entries()) {
    const type = types[number];
    const value = type && valueFromAST(createNode(literal), type);
    if (value === undefined) return undefined;
    values[number] = value;
  }
  return values;
}
