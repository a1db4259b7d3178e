/** A prepared operation: the part of a read that does not depend on the caller or on values of variables. */
import { collectFields, collectSubFields } from "@graphql-tools/utils";
import {
  type ASTNode,
  BREAK,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLSchema,
  getArgumentValues,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  visit,
} from "graphql";
import type { Operation } from "../operation.ts";
import type { RootPlan } from "../plan/field-plan.ts";
import { Planner } from "../plan/planner.ts";
import { interceptedReads } from "../plan/read-intercepted.ts";
import type { Nodes, RootInfo, Selected } from "../plan/root-field.ts";
import { compileArguments, type Variables } from "./literals.ts";
import { checkKey, FALLBACK, type Write, Writers } from "./writer.ts";

/** A selection, with the permissions that it depends on. */
interface CachedSelection {
  readonly selected: Selected;
  readonly permissions: ReadonlyMap<string, boolean>;
}

function hasSamePermissions({ permissions: rights }: CachedSelection, canRead: (uid: string) => boolean): boolean {
  for (const [uid, can] of rights) if (canRead(uid) !== can) return false;
  return true;
}

interface Root {
  readonly key: string;
  readonly field: GraphQLField<unknown, unknown>;
  readonly plan: RootPlan;
  readonly nodes: readonly FieldNode[];
  /** Reads the arguments. */
  readonly readArgs: (variables: Record<string, unknown>) => Record<string, unknown>;
  readonly write: Write;
  /** By the key of the nodes; undefined: the selection depends on variables. */
  readonly selections: Map<string, CachedSelection> | undefined;
}

type Fragments = Readonly<Record<string, FragmentDefinitionNode>>;

const listFragments = ({ definitions }: DocumentNode): Fragments =>
  Object.fromEntries(
    definitions.flatMap((definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition] as const] : [],
    ),
  );

/** Whether a document or a part of it contains a node of a kind. */
function has(part: ASTNode, kind: Kind): boolean {
  let found = false;
  visit(part, {
    enter(node) {
      if (node.kind === kind) found = true;
      return found ? BREAK : undefined;
    },
  });
  return found;
}

/** Whether variables occur only in the arguments of the root fields. */
const isIndependentOfVariables = (nodes: Nodes, fragments: Fragments): boolean =>
  !nodes.some(({ selectionSet }) => selectionSet && has(selectionSet, Kind.VARIABLE)) &&
  !Object.values(fragments).some((fragment) => has(fragment, Kind.VARIABLE));

export class PreparedRead {
  readonly #schema: GraphQLSchema;
  readonly #operation: OperationDefinitionNode;
  readonly #fragments: Fragments;
  readonly #roots: readonly Root[];

  private constructor(
    schema: GraphQLSchema,
    operation: OperationDefinitionNode,
    fragments: Fragments,
    roots: readonly Root[],
  ) {
    this.#schema = schema;
    this.#operation = operation;
    this.#fragments = fragments;
    this.#roots = roots;
  }

  /** Undefined for operations that cannot be prepared: those that do more than read documents. */
  static create(
    schema: GraphQLSchema,
    document: DocumentNode,
    operation: OperationDefinitionNode,
  ): PreparedRead | undefined {
    const type = schema.getQueryType();
    if (!type || operation.operation !== "query" || has(document, Kind.DIRECTIVE)) return undefined;
    const fragments = listFragments(document);
    const writers = new Writers(
      (parent, nodes) =>
        // variables are only needed for directives, and there are none
        collectSubFields(schema, fragments, {}, parent, nodes as FieldNode[]).fields,
    );
    const roots: Root[] = [];
    for (const [key, nodes] of collectFields(schema, fragments, {}, type, operation.selectionSet).fields) {
      const field = type.getFields()[nodes[0]?.name.value ?? ""];
      const plan = field?.extensions.galleyRoot;
      if (!field || !plan) return undefined;
      const selections = isIndependentOfVariables(nodes, fragments) ? new Map<string, CachedSelection>() : undefined;
      try {
        checkKey(key);
        const node = nodes[0] as FieldNode;
        const readArgs = compileArguments(field, node) ?? ((variables) => getArgumentValues(field, node, variables));
        roots.push({ key, field, plan, nodes, readArgs, write: writers.of(field.type, nodes), selections });
      } catch (error) {
        if (error === FALLBACK) return undefined;
        throw error;
      }
    }
    return new PreparedRead(schema, operation, fragments, roots);
  }

  /**
   * The data of the response. `values`: of the literals that became variables. Throws if the response would contain errors, or
   * takes long; the operation must then be executed by graphql-js.
   */
  run(operation: Operation, variables: Variables | undefined, values: Variables): Record<string, unknown> {
    const { variableDefinitions = [] } = this.#operation;
    const { coerced } = getVariableValues(this.#schema, variableDefinitions, { ...variables }, { maxErrors: 1 });
    if (!coerced) throw FALLBACK;
    const variableValues = { ...coerced, ...values };
    const data: Record<string, unknown> = {};
    for (const root of this.#roots) {
      data[root.key] = operation.inTurn(() => this.#runRoot(root, operation, variableValues));
    }
    return data;
  }

  #runRoot(root: Root, operation: Operation, variableValues: Record<string, unknown>): unknown {
    const { field, nodes, plan, readArgs, write } = root;
    if (!operation.ability.can(plan.action) || interceptedReads(operation, plan.type)) throw FALLBACK;
    const info: RootInfo = {
      schema: this.#schema,
      fragments: this.#fragments,
      variableValues,
      fieldNodes: nodes,
      returnType: field.type,
    };
    const value = plan.read({
      operation,
      info,
      type: plan.type,
      args: readArgs(variableValues),
      select: (below, key) => this.#select(root, operation, info, below, key),
    });
    if (value instanceof Promise) {
      // graphql-js reads the same list, which takes long only once
      value.catch(() => {});
      throw FALLBACK;
    }
    const data = write(value, operation);
    if (operation.overflow()) throw FALLBACK;
    return data;
  }

  /** Throws FALLBACK if a selected field is refused. */
  #select({ plan, selections }: Root, operation: Operation, info: RootInfo, nodes: Nodes, key: string): Selected {
    const { canRead } = operation.ability;
    const cached = selections?.get(key);
    if (cached && hasSamePermissions(cached, canRead)) return cached.selected;
    const permissions = new Map<string, boolean>();
    const planner = new Planner(operation, info, (uid) => {
      const can = canRead(uid);
      permissions.set(uid, can);
      return can;
    });
    const selected = planner.select(plan.type, nodes);
    if (operation.refusals.size > 0) throw FALLBACK;
    selections?.set(key, { selected, permissions });
    return selected;
  }
}
