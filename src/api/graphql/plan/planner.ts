/**
 * Plans the selection below a root field as a query tree, the same that REST parameters are parsed to. It includes fragments,
 * aliases, arguments and directives, so that one run of the query loads the whole response.
 *
 * Hidden fields and invalid arguments do not stop planning: the field gets a refusal, and nothing is read for it.
 */
import { collectSubFields } from "@graphql-tools/utils";
import {
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  getArgumentValues,
  getNamedType,
  isObjectType,
} from "graphql";
import type { Ability } from "../../../engine/access/access.ts";
import { emptyQuery, type Populate, type Query } from "../../../engine/query/tree.ts";
import { component, type Model, type ScalarAttribute, type Schema } from "../../../engine/schema/model.ts";
import { ApiError, forbidden } from "../../../lib/errors.ts";
import { typeName } from "../names.ts";
import type { Operation } from "../operation.ts";
import { type FieldPlan, LISTS, nodesSlot, slot } from "./field-plan.ts";
import { readListArguments } from "./list-arguments.ts";
import type { Nodes, RootInfo, Selected } from "./root-field.ts";

export const forbiddenAccess = (): ApiError => forbidden("Forbidden access");

/** A populated attribute, for any response key. */
interface PopulatePart extends Omit<Populate, "key"> {
  readonly findSlot: (key: string) => string;
}

interface PlannedPopulate {
  readonly part: Omit<Populate, "key">;
  readonly findSlot: (key: string) => string;
  /** The slots of all fields with the same text. */
  readonly keys: string[];
}

const LITERAL = /["\d]/;

/**
 * The text of a field without its alias: fields with the same text have the same value. Undefined for nodes without a text, and
 * with `isPrepared` for those with literals, since other texts with other literals share the nodes.
 */
function joinText(nodes: Nodes, isPrepared: boolean): string | undefined {
  const texts: string[] = [];
  for (const { name, loc } of nodes) {
    if (!name.loc || !loc) return undefined;
    texts.push(loc.source.body.slice(name.loc.start, loc.end));
  }
  const text = texts.join(" ");
  return isPrepared && LITERAL.test(text) ? undefined : text;
}

export class Planner {
  readonly #operation: Operation;
  readonly #info: RootInfo;
  readonly #model: Model;
  readonly #canRead: Ability["canRead"];

  /** `canRead`: whether the caller may follow relations to a type. */
  constructor(operation: Operation, info: RootInfo, canRead = operation.ability.canRead) {
    this.#operation = operation;
    this.#info = info;
    this.#model = operation.services.context.model;
    this.#canRead = canRead;
  }

  /** The fields selected below `nodes`, by response key. */
  collect(type: GraphQLObjectType, nodes: Nodes): Map<string, FieldNode[]> {
    const { schema, fragments, variableValues } = this.#info;
    const { fields } = collectSubFields(schema, fragments, variableValues, type, nodes as FieldNode[]);
    return fields;
  }

  /** Also those below fields that lead to the same row, whose keys begin with the slots of these fields. */
  #collectOfRow(type: GraphQLObjectType, nodes: Nodes, prefix = ""): [key: string, nodes: FieldNode[]][] {
    return [...this.collect(type, nodes)].flatMap(([responseKey, below]) => {
      const key = prefix + responseKey;
      const isSelf = type.getFields()[below[0]?.name.value ?? ""]?.extensions.galley?.kind === "self";
      return [[key, below], ...(isSelf ? this.#collectOfRow(type, below, slot(key)) : [])];
    });
  }

  /** The selection below `nodes`, which have the type of the schema. `isWhole`: with all columns. */
  select(schema: Schema, nodes: Nodes, isWhole = this.#info.isWhole === true): Selected {
    const fields = new Map<ScalarAttribute, number>();
    const count = (attribute: ScalarAttribute) => fields.set(attribute, (fields.get(attribute) ?? 0) + 1);
    let withPrivate: true | undefined;
    const countAll = () => {
      if (withPrivate) return;
      withPrivate = true;
      for (const attribute of schema.attributes.values()) {
        if (attribute.kind === "scalar" && !attribute.type.isSecret) count(attribute);
      }
    };
    if (isWhole) countAll();
    const populates: PlannedPopulate[] = [];
    const planned = new Map<string, readonly PlannedPopulate[]>();
    const type = this.#objectType(typeName(schema));
    const selected = this.#collectOfRow(type, nodes);
    for (const [key, nodes] of selected) {
      const field = type.getFields()[nodes[0]?.name.value ?? ""];
      const plan = field?.extensions.galley;
      if (!field || !plan || plan.kind === "self") continue;
      if (plan.kind === "row" || field.extensions.galleyWhole) countAll();
      if (plan.kind === "column") {
        // secrets are not read
        if (!plan.attribute.type.isSecret) count(plan.attribute);
      } else if (plan.kind !== "row") {
        const text = joinText(nodes, this.#operation.pauses === "refused");
        const same = text === undefined ? undefined : planned.get(text);
        if (same) {
          for (const { findSlot, keys } of same) keys.push(findSlot(key));
          continue;
        }
        const { size } = this.#operation.refusals;
        const selections =
          plan.kind === "polymorphic"
            ? this.#polymorphic(plan, nodes, field.extensions.galleyWhole === "result")
            : this.#link(plan, field, nodes);
        const parts = selections.map(({ findSlot, ...part }) => ({ part, findSlot, keys: [findSlot(key)] }));
        populates.push(...parts);
        // each field with a refused selection reports it
        if (text !== undefined && size === this.#operation.refusals.size) planned.set(text, parts);
      }
    }
    const populate = populates.map(({ part, keys: [key, ...sameKeys] }) => ({
      ...part,
      key: key!,
      ...(sameKeys.length > 0 ? { sameKeys } : {}),
    }));
    const weight = { values: 1 + selected.length, repeats: Math.max(1, ...fields.values()) };
    return { fields: [...fields.keys()], populate, weight, ...(withPrivate ? { withPrivate } : {}) };
  }

  #objectType(name: string): GraphQLObjectType {
    const type = this.#info.schema.getType(name);
    if (!isObjectType(type)) throw new Error(`The GraphQL schema has no object type ${name}`);
    return type;
  }

  #link(plan: FieldPlan & { kind: "link" }, field: GraphQLField<unknown, unknown>, nodes: Nodes): PopulatePart[] {
    const relationQuery = this.#rows(plan, field, nodes);
    if (!relationQuery) return [];
    const { attribute, target } = plan;
    const populate = (findSlot: (key: string) => string, below: Nodes): PopulatePart => ({
      findSlot,
      attribute,
      query: { ...relationQuery, ...this.select(target, below, field.extensions.galleyWhole === "result") },
      count: false,
      on: undefined,
      includesPage: true,
    });
    if (!plan.connection) return [populate(slot, nodes)];
    const type = getNamedType(field.type);
    if (!isObjectType(type)) throw new Error(`${field.name} is not a collection`);
    return [...this.collect(type, nodes)]
      .filter(([, below]) => LISTS.has(below[0]?.name.value ?? ""))
      .map(([nodesKey, below]) => populate((key) => nodesSlot(key, nodesKey), below));
  }

  /** The query for the rows of a relation; undefined if the field is refused. */
  #rows(plan: FieldPlan & { kind: "link" }, field: GraphQLField<unknown, unknown>, nodes: Nodes): Query | undefined {
    const { services, refusals } = this.#operation;
    const { target, needs } = plan;
    const node = nodes[0] as FieldNode;
    if (needs && !this.#canRead(needs.uid)) {
      refusals.set(node, forbiddenAccess());
      return undefined;
    }
    if (!plan.attribute.many) return emptyQuery(target);
    try {
      const { fieldNodes, ownArguments, variableValues } = this.#info;
      const isOwn = ownArguments !== undefined && fieldNodes.includes(node);
      const args = isOwn ? ownArguments : getArgumentValues(field, node, variableValues);
      const { graphql } = services.settings;
      const { filters: _, ...list } = readListArguments(this.#model, target, args, graphql, this.#canRead);
      return { ...emptyQuery(target), ...list };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refusals.set(node, error);
      return undefined;
    }
  }

  /** Each possible type gets its part of the selection. */
  #polymorphic({ attribute }: FieldPlan & { kind: "polymorphic" }, nodes: Nodes, isWhole: boolean): PopulatePart[] {
    const { types, components } = this.#model;
    const canRead = this.#canRead;
    const members: Schema[] =
      attribute.kind === "zone"
        ? attribute.components.map((uid) => component(this.#model, uid))
        : [...components.values(), ...[...types.values()].filter(({ uid }) => canRead(uid))];
    // a project may exclude types from the schema
    const selectable = members.filter((member) => this.#info.schema.getType(typeName(member)));
    const on = new Map(
      selectable.map((member) => [member.uid, { ...emptyQuery(member), ...this.select(member, nodes, isWhole) }]),
    );
    return [{ findSlot: slot, attribute, query: undefined, count: false, on }];
  }
}
