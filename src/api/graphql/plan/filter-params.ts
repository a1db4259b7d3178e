/**
 * Converts GraphQL filters to REST filters. The GraphQL types have refused unknown keys already; nulls, empty lists, and
 * groups in unusual positions differ from REST. Policies and middlewares may add operators by their names of REST.
 */

import type { Params } from "../../../engine/query/parse.ts";
import { type Attribute, findTarget, type Model, type Schema } from "../../../engine/schema/model.ts";
import { isRecord, toRecord } from "../../../lib/is-record.ts";

/** Matches no row. */
const NEVER = { $in: [null] };

/** Text comparisons of a datetime: Strapi formats the operand in a way that no stored value has. */
const textComparisonsOfTime: Readonly<Record<string, Params>> = {
  contains: NEVER,
  containsi: NEVER,
  startsWith: NEVER,
  endsWith: NEVER,
  eqi: NEVER,
  notContains: { $notNull: true },
  notContainsi: { $notNull: true },
  nei: { $notNull: true },
};

/** An operator's name in GraphQL: `$eq` of REST is `eq`. */
const withoutPrefix = (key: string): string => (key.startsWith("$") ? key.slice(1) : key);

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

function comparison(name: string, operand: unknown, isTime: boolean): Params {
  if (isTime && operand !== null && Object.hasOwn(textComparisonsOfTime, name))
    return textComparisonsOfTime[name] ?? {};
  if (operand === null && name === "not") return { $notNull: true };
  // an empty list restricts nothing
  if (isList(operand) && operand.length === 0 && name !== "between") return {};
  return { [`$${name}`]: operand };
}

/** The conditions on one attribute. Groups below an attribute are in the schema, but refused when filters are read. */
function attributeParams(name: string, filter: Params, isTime: boolean): Params[] {
  const conditions: Record<string, unknown> = {};
  const separate: Params[] = [];
  for (const [given, operand] of Object.entries(filter)) {
    const key = withoutPrefix(given);
    if (key === "and" || key === "or") {
      if (!isList(operand) || operand.length > 0) conditions[`$${key}`] = operand;
    } else if (key === "not" && isRecord(operand)) {
      const inner = attributeParams(name, operand, isTime);
      if (inner.length > 0) separate.push({ $not: { $and: inner } });
    } else {
      for (const [operator, value] of Object.entries(comparison(key, operand, isTime))) {
        // two conditions with one operator come from nulls, and both apply
        if (operator in conditions) separate.push({ [name]: { [operator]: value } });
        else conditions[operator] = value;
      }
    }
  }
  // an attribute without conditions is kept, so that its permission is checked
  return [{ [name]: conditions }, ...separate];
}

/** Below a relation, REST accepts attributes or one group, not both. */
function relatedParams(model: Model, attribute: Attribute, filter: Params): Params[] {
  const target = findTarget(model, attribute);
  const conditions = target ? buildConditions(model, target, filter) : [];
  const hasGroups = conditions.some((condition) => Object.keys(condition).some((key) => key.startsWith("$")));
  return [{ [attribute.name]: hasGroups ? { $and: conditions } : mergeConditions(conditions) }];
}

function groupParams(model: Model, schema: Schema, key: string, value: unknown): Params[] {
  if (key === "not") {
    const inner = isRecord(value) ? buildConditions(model, schema, value) : [];
    return inner.length > 0 ? [{ $not: { $and: inner } }] : [];
  }
  const entries = (isList(value) ? value : []).map((item) =>
    isRecord(item) ? buildConditions(model, schema, item) : [],
  );
  const filled = entries.filter((conditions) => conditions.length > 0).map(($and) => ({ $and }));
  return filled.length > 0 ? [{ [`$${key}`]: filled }] : [];
}

/** A list of objects with one key each, to be combined by AND. */
function buildConditions(model: Model, schema: Schema, filters: Params): Params[] {
  return Object.entries(filters).flatMap(([key, value]): Params[] => {
    const attribute = schema.attributes.get(key);
    const isColumn = attribute?.kind === "scalar" || (!attribute && (key === "documentId" || key === "id"));
    const isTime = attribute?.kind === "scalar" && attribute.type.graphqlName === "DateTime";
    if (isColumn) return isRecord(value) ? attributeParams(key, value, isTime) : [{ [key]: value }];
    if (attribute) return relatedParams(model, attribute, toRecord(value));
    return groupParams(model, schema, withoutPrefix(key), value);
  });
}

/** Merges conditions into one object; those with duplicate keys are put into an `$and`. */
function mergeConditions(conditions: readonly Params[]): Params {
  const merged: Record<string, unknown> = {};
  const rest: Params[] = [];
  for (const condition of conditions) {
    if (Object.keys(condition).some((key) => key in merged)) rest.push(condition);
    else Object.assign(merged, condition);
  }
  if (rest.length === 0) return merged;
  const { $and } = merged;
  return { ...merged, $and: [...(isList($and) ? $and : []), ...rest] };
}

/** Undefined for empty filters. */
export function filterParams(model: Model, schema: Schema, filters: unknown): Params | undefined {
  const conditions = isRecord(filters) ? buildConditions(model, schema, filters) : [];
  return conditions.length > 0 ? mergeConditions(conditions) : undefined;
}
