/**
 * GraphQL's filters in the form of REST's, which the query language checks and reads. The types have made sure that
 * there are no unknown keys; what differs is what nulls, empty lists and groups in unusual places mean.
 */
import { isRecord } from "../../../query/key-check.ts";
import type { Params } from "../../../query/parse.ts";
import { type Attribute, type Model, type Schema, targetOf } from "../../../schema/model.ts";

/** Holds for no row. */
const NEVER = { $in: [null] };

/** What a text comparison with null means: no text holds it, and every text lacks it. */
const withNull: Readonly<Record<string, Params>> = {
  contains: NEVER,
  containsi: NEVER,
  startsWith: NEVER,
  endsWith: NEVER,
  notContains: { $notNull: true },
  notContainsi: { $notNull: true },
  not: { $notNull: true },
};

/** What comparing the text of a point in time means: the reference writes it in a form that no stored one has. */
const onTime: Readonly<Record<string, Params>> = {
  contains: NEVER,
  containsi: NEVER,
  startsWith: NEVER,
  endsWith: NEVER,
  eqi: NEVER,
  notContains: { $notNull: true },
  notContainsi: { $notNull: true },
  nei: { $notNull: true },
};

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

function comparison(name: string, operand: unknown, isTime: boolean): Params {
  if (isTime && operand !== null && Object.hasOwn(onTime, name)) return onTime[name] ?? {};
  if (operand === null && Object.hasOwn(withNull, name)) return withNull[name] ?? {};
  // an empty list restricts nothing
  if (isList(operand) && operand.length === 0 && name !== "between") return {};
  return { [`$${name}`]: operand };
}

/** The conditions on one attribute. Groups below one are in the schema, and refused where filters are read. */
function attributeParams(name: string, filter: Params, isTime: boolean): Params[] {
  const plain: Record<string, unknown> = {};
  const others: Params[] = [];
  for (const [key, operand] of Object.entries(filter)) {
    if (key === "and" || key === "or") {
      if (!isList(operand) || operand.length > 0) plain[`$${key}`] = operand;
    } else if (key === "not" && isRecord(operand)) {
      const inner = attributeParams(name, operand, isTime);
      if (inner.length > 0) others.push({ $not: { $and: inner } });
    } else {
      for (const [operator, value] of Object.entries(comparison(key, operand, isTime))) {
        // two conditions of one name can only come from nulls, and then both must hold
        if (operator in plain) others.push({ [name]: { [operator]: value } });
        else plain[operator] = value;
      }
    }
  }
  // the name stays even when nothing is asked of it: it may be one that this caller must not use
  return [{ [name]: plain }, ...others];
}

/** Below a relation REST takes attributes or one group, not both. */
function relatedParams(model: Model, attribute: Attribute, filter: Params): Params[] {
  const target = targetOf(model, attribute);
  const conditions = target ? conditionsOf(model, target, filter) : [];
  const hasGroups = conditions.some((condition) => Object.keys(condition).some((key) => key.startsWith("$")));
  return [{ [attribute.name]: hasGroups ? { $and: conditions } : merged(conditions) }];
}

function groupParams(model: Model, schema: Schema, key: string, value: unknown): Params[] {
  if (key === "not") {
    const inner = isRecord(value) ? conditionsOf(model, schema, value) : [];
    return inner.length > 0 ? [{ $not: { $and: inner } }] : [];
  }
  const entries = (isList(value) ? value : []).map((item) => (isRecord(item) ? conditionsOf(model, schema, item) : []));
  const filled = entries.filter((conditions) => conditions.length > 0).map(($and) => ({ $and }));
  return filled.length > 0 ? [{ [`$${key}`]: filled }] : [];
}

/** Each condition is one object with one key; all of them must hold. */
function conditionsOf(model: Model, schema: Schema, filters: Params): Params[] {
  return Object.entries(filters).flatMap(([key, value]): Params[] => {
    const attribute = schema.attributes.get(key);
    const isColumn = attribute?.kind === "scalar" || (!attribute && key === "documentId");
    const isTime = attribute?.kind === "scalar" && attribute.type.names.graphql === "DateTime";
    if (isColumn) return isRecord(value) ? attributeParams(key, value, isTime) : [{ [key]: value }];
    if (attribute) return relatedParams(model, attribute, isRecord(value) ? value : {});
    return groupParams(model, schema, key, value);
  });
}

/** One object for all conditions; what shares its key with another comes into a group of its own. */
function merged(conditions: readonly Params[]): Params {
  const whole: Record<string, unknown> = {};
  const rest: Params[] = [];
  for (const condition of conditions) {
    if (Object.keys(condition).some((key) => key in whole)) rest.push(condition);
    else Object.assign(whole, condition);
  }
  if (rest.length === 0) return whole;
  const { $and } = whole;
  return { ...whole, $and: [...(isList($and) ? $and : []), ...rest] };
}

/** Undefined for filters that restrict nothing. */
export function filterParams(model: Model, schema: Schema, filters: unknown): Params | undefined {
  const conditions = isRecord(filters) ? conditionsOf(model, schema, filters) : [];
  return conditions.length > 0 ? merged(conditions) : undefined;
}
