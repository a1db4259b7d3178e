/** Removes names from query parameters that a caller may not use, as Strapi's sanitizers do. */
import { isMorph } from "../../engine/documents/linkable.ts";
import { isHidden } from "../../engine/query/key-check.ts";
import { isOperator } from "../../engine/query/operators.ts";
import type { Params } from "../../engine/query/parse.ts";
import { readPublicationFilter } from "../../engine/query/read-context.ts";
import type { CanRead } from "../../engine/query/tree.ts";
import { mapEntries, type Visit, visitFilters, visitSort } from "../../engine/query/visit-params.ts";
import { type Attribute, hasMixedTargets, type Model, type Schema, targetOf } from "../../engine/schema/model.ts";
import { isRecord } from "../../lib/is-record.ts";

const isId = (name: string): boolean => name === "id" || name === "documentId";
/** A list index in a query string, as in `sort[0]`. */
const isIndex = (name: string): boolean => /^\d+$/.test(name);

/** Splits several names in one string. */
const listOf = (names: unknown): unknown =>
  typeof names === "string" && names.includes(",") ? names.split(",") : names;

/** Filters a comma-separated list; undefined if nothing remains. */
const filterList = (text: string, isKept: (part: string) => boolean): string | undefined =>
  text.split(",").filter(isKept).join(",") || undefined;

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
      ...(filters === undefined ? {} : { filters: visitFilters(this.#model, schema, filters, this.#keepFilter) }),
      ...(sort === undefined ? {} : { sort: visitSort(this.#model, schema, sort, this.#keepSort) }),
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

  readonly #keepFilter: Visit = ({ schema, key, attribute, isInOperand }) => {
    if (isOperator(key)) return "visit";
    if (isInOperand) return "remove";
    if (isId(key)) return "visit";
    const isRemoved = !attribute || hasMixedTargets(attribute) || isHidden(schema, attribute, this.#canRead);
    return isRemoved ? "remove" : "visit";
  };

  readonly #keepSort: Visit = ({ schema, key, attribute, value }) => {
    if (isId(key)) return "keep";
    if (isIndex(key)) return "visit";
    const isRemoved = !attribute || hasMixedTargets(attribute) || isHidden(schema, attribute, this.#canRead);
    return isRemoved || (attribute.kind !== "scalar" && value === undefined) ? "remove" : "visit";
  };

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
