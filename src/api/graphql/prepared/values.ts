/** Takes the values out of an operation, so that others can be put in their places. */
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
import type { Literal } from "./shapes.ts";

export type Variables = Readonly<Record<string, unknown>>;

export interface Emptied {
  /** The values are variables, called by their numbers, which no client can name. */
  readonly document: DocumentNode;
  /** The types of the values, by those numbers. */
  readonly types: readonly GraphQLInputType[];
}

/** `literals`: those of the document's own text that are to be taken out. */
export function takeValues(schema: GraphQLSchema, document: DocumentNode, literals: readonly Literal[]): Emptied {
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
  const emptied = visit(
    document,
    visitWithTypeInfo(info, {
      [Kind.INT]: replace,
      [Kind.STRING]: replace,
    }),
  );
  return { document: emptied, types };
}

const nodeOf = ({ kind, value }: Literal): ValueNode =>
  kind === TokenKind.INT ? { kind: Kind.INT, value } : { kind: Kind.STRING, value };

/** The values as what the schema makes of them; undefined when it takes one of them for none. */
export function readValues(types: readonly GraphQLInputType[], literals: readonly Literal[]): Variables | undefined {
  const values: Record<string, unknown> = {};
  for (const [number, literal] of literals.entries()) {
    const type = types[number];
    const value = type && valueFromAST(nodeOf(literal), type);
    if (value === undefined) return undefined;
    values[number] = value;
  }
  return values;
}
