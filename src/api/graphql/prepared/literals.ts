/** Replaces the literals of an operation by variables, so that other texts can use it with their own values. */
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  type IntValueNode,
  isInputObjectType,
  isListType,
  isNonNullType,
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

/**
 * `literals`: the literals of the document's text that become variables. These have numbers as names, which cannot clash with those of
 * clients. Returns the document with the types of the variables.
 */
export function literalsToVariables(schema: GraphQLSchema, document: DocumentNode, literals: readonly Literal[]) {
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

/** Reads a value from the values of variables. */
type Read = (variables: Variables) => unknown;

const isLiteral = ({ name }: VariableNode): boolean => /^\d+$/.test(name.value);

/** Undefined for values with variables of the client, which may be missing. */
function compileValue(node: ValueNode, type: GraphQLInputType): Read | undefined {
  if (isNonNullType(type)) return compileValue(node, type.ofType);
  if (node.kind === Kind.VARIABLE) {
    const { value: name } = node.name;
    return isLiteral(node) ? (variables) => variables[name] : undefined;
  }
  if (isListType(type) && node.kind === Kind.LIST) return compileList(node.values, type.ofType);
  if (isInputObjectType(type) && node.kind === Kind.OBJECT) return compileObject(node.fields, type);
  if (node.kind === Kind.LIST || node.kind === Kind.OBJECT) return undefined;
  const value = valueFromAST(node, type);
  return value === undefined ? undefined : () => value;
}

function compileList(nodes: readonly ValueNode[], type: GraphQLInputType): Read | undefined {
  const items = nodes.map((node) => compileValue(node, type));
  return items.every((read) => read !== undefined) ? (variables) => items.map((read) => read(variables)) : undefined;
}

/** What takes values by name, all of which may be missing. */
type Named = readonly { readonly name: { readonly value: string }; readonly value: ValueNode }[];

function compileNamed(
  nodes: Named,
  declared: readonly { readonly name: string; readonly type: GraphQLInputType; readonly defaultValue?: unknown }[],
): Read | undefined {
  const byName = new Map(nodes.map(({ name, value }) => [name.value, value]));
  const reads: [name: string, read: Read][] = [];
  for (const { name, type, defaultValue } of declared) {
    const node = byName.get(name);
    const read = node ? compileValue(node, type) : () => defaultValue;
    if (!read) return undefined;
    if (node || defaultValue !== undefined) reads.push([name, read]);
  }
  return (variables) => {
    const values: Record<string, unknown> = {};
    for (const [name, read] of reads) values[name] = read(variables);
    return values;
  };
}

const compileObject = (fields: Named, type: GraphQLInputObjectType): Read | undefined =>
  compileNamed(fields, Object.values(type.getFields()));

/** As `getArgumentValues`, for a field whose arguments have no variables but literals; undefined for others. */
export const compileArguments = (
  { args }: GraphQLField<unknown, unknown>,
  node: FieldNode,
): ((variables: Variables) => Record<string, unknown>) | undefined =>
  compileNamed(node.arguments ?? [], args) as ((variables: Variables) => Record<string, unknown>) | undefined;
