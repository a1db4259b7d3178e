/** Removes names from query parameters that a caller may not use, as the reference's sanitizers do. */
import { isMorph } from "../../engine/documents/linkable.ts";
import { isGroup, isOperator } from "../../engine/query/operators.ts";
import type { Params } from "../../engine/query/parse.ts";
import { readPublicationFilter } from "../../engine/query/publication-filter.ts";
import type { CanRead } from "../../engine/query/tree.ts";
import { isHidden } from "../../engine/query/visibility.ts";
import { type Attribute, type Model, type Schema, targetOf } from "../../engine/schema/model.ts";
import { isRecord } from "../../lib/is-record.ts";

const isEmpty = (value: unknown): boolean => isRecord(value) && Object.keys(value).length === 0;
const isId = (name: string): boolean => name === "id" || name === "documentId";
/** A list index in a query string, as in `sort[0]`. */
const isIndex = (name: string): boolean => /^\d+$/.test(name);

const onlyOperators = (value: Record<string, unknown>): unknown =>
  Object.fromEntries(Object.entries(value).filter(([name]) => isOperator(name)));

/** Splits several names in one string. */
const listOf = (names: unknown): unknown =>
  typeof names === "string" && names.includes(",") ? names.split(",") : names;

/** Filters a comma-separated list; undefined if nothing remains. */
const filterList = (text: string, isKept: (part: string) => boolean): string | undefined =>
  text.split(",").filter(isKept).join(",") || undefined;

/** Maps the values of an object, and removes those for which `keep` returns undefined. */
function mapEntries(value: Record<string, unknown>, keep: (name: string, inner: unknown) => unknown) {
  const kept = Object.entries(value).map(([name, inner]) => [name, keep(name, inner)] as const);
  return Object.fromEntries(kept.filter(([, inner]) => inner !== undefined));
}

class QuerySanitizer {
  readonly #model: Model;
  readonly #canRead: CanRead;

  constructor(model: Model, canRead: CanRead) {
    this.#model = model;
    this.#canRead = canRead;
  }

  sanitize(schema: Schema, params: Params): Params {
    const { filters, sort, fields, populate } = params;
    return {
      ...params,
      ...(filters === undefined ? {} : { filters: this.#filters(schema, filters) }),
      ...(sort === undefined ? {} : { sort: this.#sort(schema, sort) }),
      ...(fields === undefined ? {} : { fields: this.#fields(schema, listOf(fields)) }),
      ...(populate === undefined ? {} : { populate: this.#populate(schema, populate) }),
    };
  }

  /** The attribute; undefined for a name that the caller may not use. */
  #visibleAttribute(schema: Schema, name: string): Attribute | undefined {
    const attribute = schema.attributes.get(name);
    return attribute && !isHidden(schema, attribute, this.#canRead) ? attribute : undefined;
  }

  /** The schema behind a relation, component or media. */
  #targetOf(attribute: Attribute): Schema | undefined {
    return attribute.kind === "scalar" ? undefined : targetOf(this.#model, attribute);
  }

  #filters(schema: Schema, value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#filters(schema, item)).filter((item) => !isEmpty(item));
    if (!isRecord(value)) return value;
    return mapEntries(value, (name, inner) => {
      if (isId(name)) return inner;
      if (isGroup(name) || name === "$not") return this.#filters(schema, inner);
      if (isOperator(name)) return inner;
      const attribute = this.#visibleAttribute(schema, name);
      if (!attribute || attribute.kind === "zone") return undefined;
      const target = this.#targetOf(attribute);
      const remaining = target ? this.#filters(target, inner) : isRecord(inner) ? onlyOperators(inner) : inner;
      return isEmpty(remaining) ? undefined : remaining;
    });
  }

  /** Whether a sort key ends with a scalar attribute, or an id. */
  #isSortable(schema: Schema, key: string): boolean {
    const [name = "", ...rest] = key.trim().split(":")[0]!.split(".");
    if (isId(name)) return true;
    const attribute = this.#visibleAttribute(schema, name);
    if (!attribute || rest.length === 0) return attribute?.kind === "scalar";
    const target = this.#targetOf(attribute);
    return target !== undefined && this.#isSortable(target, rest.join("."));
  }

  #sort(schema: Schema, value: unknown): unknown {
    if (typeof value === "string") return filterList(value, (key) => this.#isSortable(schema, key));
    if (Array.isArray(value)) {
      const remaining = value.map((item) => this.#sort(schema, item));
      return remaining.filter((item) => item !== undefined && !isEmpty(item));
    }
    if (!isRecord(value)) return value;
    return mapEntries(value, (name, inner) => {
      if (isIndex(name)) return this.#sort(schema, inner);
      const attribute = this.#visibleAttribute(schema, name);
      const target = attribute && this.#targetOf(attribute);
      if (!target) return isId(name) || attribute?.kind === "scalar" ? inner : undefined;
      const remaining = this.#sort(target, inner);
      return isEmpty(remaining) ? undefined : remaining;
    });
  }

  #fields(schema: Schema, value: unknown): unknown {
    const isKept = (name: string): boolean => {
      const key = name.trim();
      return key === "*" || isId(key) || this.#visibleAttribute(schema, key)?.kind === "scalar";
    };
    if (typeof value === "string") return filterList(value, isKept);
    if (Array.isArray(value))
      return value.map((item) => this.#fields(schema, item)).filter((item) => item !== undefined);
    if (!isRecord(value)) return value;
    return mapEntries(value, (name, inner) => {
      if (isIndex(name)) return this.#fields(schema, inner);
      return isKept(name) ? inner : undefined;
    });
  }

  /** Unknown names are kept, since validation refuses them. Names that the caller may not read are removed. */
  #isPopulatable(schema: Schema, path: string): boolean {
    const [name = "", ...rest] = path.trim().split(".");
    if (!schema.attributes.has(name)) return true;
    const attribute = this.#visibleAttribute(schema, name);
    if (!attribute) return false;
    const target = this.#targetOf(attribute);
    return rest.length === 0 || !target || this.#isPopulatable(target, rest.join("."));
  }

  #populate(schema: Schema, value: unknown): unknown {
    const isKept = (path: string): boolean => this.#isPopulatable(schema, path);
    if (value === "*") {
      const visible = [...schema.attributes.values()].filter(
        ({ kind, name }) => kind !== "scalar" && this.#visibleAttribute(schema, name),
      );
      return Object.fromEntries(visible.map(({ name }) => [name, true]));
    }
    if (typeof value === "string") return filterList(value, isKept);
    if (Array.isArray(value)) return value.filter((item) => typeof item !== "string" || isKept(item));
    if (!isRecord(value)) return value;
    return mapEntries(value, (name, inner) => {
      if (typeof inner === "string" && isIndex(name)) return isKept(inner) ? inner : undefined;
      if (!schema.attributes.has(name)) return inner;
      const attribute = this.#visibleAttribute(schema, name);
      if (!attribute) return undefined;
      if (isMorph(attribute)) return this.#morphPopulate(schema, inner);
      if (attribute.kind === "zone") return this.#zonePopulate(inner);
      const target = this.#targetOf(attribute);
      return target && isRecord(inner) ? this.sanitize(target, inner) : inner;
    });
  }

  /** Restricts a polymorphic relation, or its count, to types that the caller may read. */
  #morphPopulate(schema: Schema, value: unknown): unknown {
    // `strapi.db.query` does not accept `*` here
    if (value === "*") return true;
    if (!isRecord(value)) return value;
    const { types } = this.#model;
    const isCount = value.count === true || value.count === "true";
    if (!isRecord(value.on) && !isCount) return value;
    const all = isRecord(value.on) ? value.on : Object.fromEntries([...types.keys()].map((uid) => [uid, true]));
    const on = mapEntries(all, (uid, inner) => {
      const target = types.get(uid);
      if (!target || !this.#canRead(uid, schema.uid)) return undefined;
      return isRecord(inner) ? this.sanitize(target, inner) : inner;
    });
    return { ...value, on };
  }

  #zonePopulate(value: unknown): unknown {
    if (value === "*") return true;
    if (!isRecord(value) || !isRecord(value.on)) return value;
    const on = mapEntries(value.on, (uid, inner) => {
      const target = this.#model.components.get(uid);
      return target && isRecord(inner) ? this.sanitize(target, inner) : inner;
    });
    return { ...value, on };
  }
}

/**
 * Removes filters, sort keys, fields and relations that the caller may not use. Throws a ValidationError for an unknown
 * `publicationFilter`.
 */
export function sanitizeQuery(model: Model, schema: Schema, params: Params, canRead: CanRead): Params {
  readPublicationFilter({ publicationFilter: params.publicationFilter });
  return new QuerySanitizer(model, canRead).sanitize(schema, params);
}
