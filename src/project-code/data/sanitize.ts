/** Takes out of data and parameters what a caller may not see or use, as the reference's sanitizers do. */
import { isRecord } from "../../query/key-check.ts";
import { isGroup, isOperator } from "../../query/operators.ts";
import type { Params } from "../../query/parse.ts";
import { readPublicationFilter } from "../../query/publication-filter.ts";
import type { CanRead } from "../../query/tree.ts";
import { isHidden, isReadable } from "../../query/visibility.ts";
import { type Attribute, type Model, type Schema, targetOf } from "../../schema/model.ts";

type Visible = (schema: Schema, attribute: Attribute) => boolean;

const visibleTo =
  (canRead: CanRead): Visible =>
  (schema, attribute) =>
    !isHidden(schema, attribute, canRead);

/** The schema of one value behind an attribute; entries of zones and polymorphic relations name theirs. */
function schemaOf(model: Model, attribute: Attribute, value: Record<string, unknown>): Schema | undefined {
  if (attribute.kind === "zone") return model.components.get(String(value.__component));
  if (attribute.kind === "relation" && !attribute.target) return model.types.get(String(value.__type));
  return targetOf(model, attribute);
}

/** Removes private attributes and relations that the caller may not read. Unknown keys stay. */
export function sanitizeOutput(model: Model, schema: Schema, data: unknown, canRead: CanRead): unknown {
  const visible = visibleTo(canRead);
  const walk = (own: Schema, value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((item) => walk(own, item));
    if (!isRecord(value) || value instanceof Date) return value;
    const out: Record<string, unknown> = {};
    for (const [name, inner] of Object.entries(value)) {
      const attribute = own.attributes.get(name);
      if (!attribute) out[name] = inner;
      else if (visible(own, attribute)) out[name] = attribute.kind === "scalar" ? inner : inside(attribute, inner);
    }
    return out;
  };
  const inside = (attribute: Attribute, value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((item) => inside(attribute, item));
    if (!isRecord(value)) return value;
    const target = schemaOf(model, attribute, value);
    return target ? walk(target, value) : value;
  };
  return walk(schema, data);
}

/** Keys that are set by the server, though they are no attributes. */
const ownKeys = new Set(["id", "documentId", "createdBy", "updatedBy"]);

/** Data that a client sends without keys that it may not write. Unknown keys stay. */
export function sanitizeInput(model: Model, schema: Schema, data: unknown, canRead: CanRead): unknown {
  if (Array.isArray(data)) return data.map((item) => sanitizeInput(model, schema, item, canRead));
  if (!isRecord(data)) return data;
  return Object.fromEntries(
    Object.entries(data).filter(([name]) => {
      const attribute = schema.attributes.get(name);
      if (!attribute) return !ownKeys.has(name);
      return attribute.writable && isReadable(schema, attribute, canRead);
    }),
  );
}

const isEmpty = (value: unknown): boolean => isRecord(value) && Object.keys(value).length === 0;

const onlyOperators = (value: Record<string, unknown>): unknown =>
  Object.fromEntries(Object.entries(value).filter(([name]) => isOperator(name)));

/** Several names in one string become a list; one stays as it is. */
const listOf = (names: unknown): unknown =>
  typeof names === "string" && names.includes(",") ? names.split(",") : names;

/**
 * Parameters without conditions, orders, fields and relations that the caller may not name. Throws a ValidationError for an
 * unknown `publicationFilter`.
 */
export function sanitizeQuery(model: Model, schema: Schema, params: Params, canRead: CanRead): Params {
  const visible = visibleTo(canRead);
  const named = (own: Schema, name: string): Attribute | undefined => {
    const attribute = own.attributes.get(name);
    return attribute && visible(own, attribute) ? attribute : undefined;
  };
  const filters = (own: Schema, value: unknown): unknown => {
    if (Array.isArray(value)) {
      return value.map((item) => filters(own, item)).filter((item) => !isEmpty(item));
    }
    if (!isRecord(value)) return value;
    const kept = Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
      if (name === "id" || name === "documentId") return [[name, inner]];
      if (isGroup(name) || name === "$not") return [[name, filters(own, inner)]];
      if (isOperator(name)) return [[name, inner]];
      const attribute = named(own, name);
      if (!attribute || attribute.kind === "zone") return [];
      const target = attribute.kind === "scalar" ? undefined : targetOf(model, attribute);
      const left = isRecord(inner) ? (target ? filters(target, inner) : onlyOperators(inner)) : inner;
      return isEmpty(left) ? [] : [[name, left]];
    });
    return Object.fromEntries(kept);
  };
  const path = (own: Schema, text: string): boolean => {
    const [name = "", ...rest] = text.trim().split(":")[0]!.split(".");
    if (name === "id" || name === "documentId" || name === "*") return true;
    const attribute = named(own, name);
    if (!attribute) return false;
    const target = attribute.kind === "scalar" ? undefined : targetOf(model, attribute);
    return rest.length === 0 || !target || path(target, rest.join("."));
  };
  const texts = (own: Schema, value: unknown): unknown => {
    if (typeof value === "string")
      return (
        value
          .split(",")
          .filter((item) => path(own, item))
          .join(",") || undefined
      );
    if (Array.isArray(value)) return value.filter((item) => typeof item !== "string" || path(own, item));
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).filter(([name]) => /^\d+$/.test(name) || path(own, name)));
  };
  /** Unknown names stay, for validation to refuse; what the caller may not read is removed. */
  const isPopulatable = (own: Schema, text: string): boolean => {
    const [name = "", ...rest] = text.trim().split(".");
    const attribute = own.attributes.get(name);
    if (!attribute) return true;
    if (!visible(own, attribute)) return false;
    const target = attribute.kind === "scalar" ? undefined : targetOf(model, attribute);
    return rest.length === 0 || !target || isPopulatable(target, rest.join("."));
  };
  const everything = (own: Schema): Record<string, true> => {
    const seen = [...own.attributes.values()].filter((each) => each.kind !== "scalar" && visible(own, each));
    return Object.fromEntries(seen.map(({ name }) => [name, true]));
  };
  const populate = (own: Schema, value: unknown): unknown => {
    if (value === "*") return everything(own);
    if (typeof value === "string") {
      const items = value.split(",").filter((item) => isPopulatable(own, item));
      return items.join(",") || undefined;
    }
    if (Array.isArray(value)) return value.filter((item) => typeof item !== "string" || isPopulatable(own, item));
    if (!isRecord(value)) return value;
    const kept = Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
      if (typeof inner === "string" && /^\d+$/.test(name)) return isPopulatable(own, inner) ? [[name, inner]] : [];
      if (!own.attributes.has(name)) return [[name, inner]];
      const attribute = named(own, name);
      if (!attribute) return [];
      const target = attribute.kind === "scalar" ? undefined : targetOf(model, attribute);
      if (!isRecord(inner)) return [[name, inner]];
      return [[name, target ? whole(target, inner) : fragments(inner)]];
    });
    return Object.fromEntries(kept);
  };
  /** The parameters of each component or type that `on` names. */
  const fragments = (given: Params): Params => {
    if (!isRecord(given.on)) return given;
    const on = Object.entries(given.on).map(([uid, inner]) => {
      const target = model.components.get(uid) ?? model.types.get(uid);
      return [uid, target && isRecord(inner) ? whole(target, inner) : inner];
    });
    return { ...given, on: Object.fromEntries(on) };
  };
  const whole = (own: Schema, given: Params): Params => ({
    ...given,
    ...(given.filters === undefined ? {} : { filters: filters(own, given.filters) }),
    ...(given.sort === undefined ? {} : { sort: texts(own, given.sort) }),
    ...(given.fields === undefined ? {} : { fields: texts(own, listOf(given.fields)) }),
    ...(given.populate === undefined ? {} : { populate: populate(own, given.populate) }),
  });
  readPublicationFilter({ publicationFilter: params.publicationFilter });
  return whole(schema, params);
}
