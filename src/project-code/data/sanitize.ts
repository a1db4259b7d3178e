/** Takes out of data and parameters what a caller may not see or use, as the reference's sanitizers do. */
import { isMorph } from "../../documents/linkable.ts";
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

/** Whether an entry of a relation to several types is of one that the caller may read; entries name their types themselves. */
const isReadableEntry = (schema: Schema, entry: unknown, canRead: CanRead): boolean =>
  isRecord(entry) && typeof entry.__type === "string" && canRead(entry.__type, schema.uid);

/**
 * The value of a relation to several types without entries that the caller may not read. What is left looks as if they were not
 * there; the reference leaves an attribute out that has such entries alone, which shows that there are some.
 */
function readableEntries(schema: Schema, value: unknown, canRead: CanRead): unknown {
  if (Array.isArray(value)) return value.filter((entry) => isReadableEntry(schema, entry, canRead));
  return !isRecord(value) || !("__type" in value) || isReadableEntry(schema, value, canRead) ? value : null;
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
      else if (!visible(own, attribute)) continue;
      else if (attribute.kind === "scalar") out[name] = inner;
      else out[name] = inside(attribute, isMorph(attribute) ? readableEntries(own, inner, canRead) : inner);
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

const LISTS = ["connect", "set", "disconnect"];

/** What a client sends for a relation to several types, without entries that the caller may not link. */
function linkableEntries(schema: Schema, value: unknown, canRead: CanRead): unknown {
  if (!isRecord(value) || "__type" in value) return readableEntries(schema, value, canRead);
  const lists = LISTS.filter((name) => name in value);
  return {
    ...value,
    ...Object.fromEntries(lists.map((name) => [name, readableEntries(schema, value[name], canRead)])),
  };
}

/** Keys that are set by the server, though they are no attributes. */
const ownKeys = new Set(["id", "documentId", "createdBy", "updatedBy"]);

/** Data that a client sends without keys that it may not write, and relations that it may not read. Unknown keys stay. */
export function sanitizeInput(model: Model, schema: Schema, data: unknown, canRead: CanRead): unknown {
  if (Array.isArray(data)) return data.map((item) => sanitizeInput(model, schema, item, canRead));
  if (!isRecord(data)) return data;
  const kept = Object.entries(data).filter(([name]) => schema.attributes.get(name)?.writable ?? !ownKeys.has(name));
  return linkable(model, schema, Object.fromEntries(kept), canRead);
}

/** The data without relations that the caller may not read, in components as well. */
function linkable(model: Model, schema: Schema, data: Record<string, unknown>, canRead: CanRead): unknown {
  const inside = (attribute: Attribute, value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((item) => inside(attribute, item));
    const target = isRecord(value) ? schemaOf(model, attribute, value) : undefined;
    return target ? linkable(model, target, value as Record<string, unknown>, canRead) : value;
  };
  const kept = Object.entries(data).flatMap(([name, value]): [string, unknown][] => {
    const attribute = schema.attributes.get(name);
    if (!attribute) return [[name, value]];
    if (!isReadable(schema, attribute, canRead)) return [];
    if (isMorph(attribute)) return [[name, linkableEntries(schema, value, canRead)]];
    return [[name, attribute.kind === "component" || attribute.kind === "zone" ? inside(attribute, value) : value]];
  });
  return Object.fromEntries(kept);
}

const isTrue = (value: unknown): boolean => value === true || value === "true";

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
      const left = target ? filters(target, inner) : isRecord(inner) ? onlyOperators(inner) : inner;
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
    if (Array.isArray(value)) return value.map((item) => texts(own, item)).filter((item) => item !== undefined);
    if (!isRecord(value)) return value;
    const kept = Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
      if (/^\d+$/.test(name)) return [[name, texts(own, inner)]];
      if (!path(own, name)) return [];
      // an order by an attribute of a relation
      const attribute = own.attributes.get(name);
      const target = attribute && attribute.kind !== "scalar" ? targetOf(model, attribute) : undefined;
      return [[name, target && isRecord(inner) ? texts(target, inner) : inner]];
    });
    return Object.fromEntries(kept.filter(([, inner]) => inner !== undefined));
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
      if (isMorph(attribute)) return [[name, ofSeveralTypes(own, inner)]];
      if (attribute.kind === "zone") return [[name, ofComponents(inner)]];
      const target = attribute.kind === "scalar" ? undefined : targetOf(model, attribute);
      return [[name, target && isRecord(inner) ? whole(target, inner) : inner]];
    });
    return Object.fromEntries(kept);
  };
  /** A count counts what the caller may read. */
  const ofSeveralTypes = (own: Schema, value: unknown): unknown => {
    // queries of the database take no star here
    if (value === "*") return true;
    if (!isRecord(value)) return value;
    const on = isRecord(value.on) ? Object.entries(value.on) : undefined;
    if (!on && !isTrue(value.count)) return value;
    const all = on ?? [...model.types.keys()].map((uid): [string, unknown] => [uid, true]);
    const kept = all.flatMap(([uid, inner]): [string, unknown][] => {
      const target = model.types.get(uid);
      if (!target || !canRead(uid, own.uid)) return [];
      return [[uid, isRecord(inner) ? whole(target, inner) : inner]];
    });
    return { ...value, on: Object.fromEntries(kept) };
  };
  const ofComponents = (value: unknown): unknown => {
    if (value === "*") return true;
    if (!isRecord(value) || !isRecord(value.on)) return value;
    const on = Object.entries(value.on).map(([uid, inner]) => {
      const target = model.components.get(uid);
      return [uid, target && isRecord(inner) ? whole(target, inner) : inner];
    });
    return { ...value, on: Object.fromEntries(on) };
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
