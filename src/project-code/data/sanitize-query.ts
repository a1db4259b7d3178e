/** Takes out of parameters what a caller may not use, as the reference's sanitizers do. */
import { isMorph } from "../../documents/linkable.ts";
import { isRecord } from "../../query/key-check.ts";
import { isGroup, isOperator } from "../../query/operators.ts";
import type { Params } from "../../query/parse.ts";
import { readPublicationFilter } from "../../query/publication-filter.ts";
import type { CanRead } from "../../query/tree.ts";
import { isHidden } from "../../query/visibility.ts";
import { type Attribute, type Model, type Schema, targetOf } from "../../schema/model.ts";

const isEmpty = (value: unknown): boolean => isRecord(value) && Object.keys(value).length === 0;
const isId = (name: string): boolean => name === "id" || name === "documentId";
/** Of a list that was sent with its indices. */
const isIndex = (name: string): boolean => /^\d+$/.test(name);

const onlyOperators = (value: Record<string, unknown>): unknown =>
  Object.fromEntries(Object.entries(value).filter(([name]) => isOperator(name)));

/** Several names in one string become a list; one stays as it is. */
const listOf = (names: unknown): unknown =>
  typeof names === "string" && names.includes(",") ? names.split(",") : names;

/** Without the parts that are not kept; undefined where none is. */
const joinKept = (text: string, isKept: (part: string) => boolean): string | undefined =>
  text.split(",").filter(isKept).join(",") || undefined;

/** Members that are left: `keep` returns the value of one, or undefined. */
function mapMembers(value: Record<string, unknown>, keep: (name: string, inner: unknown) => unknown) {
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

  whole(own: Schema, given: Params): Params {
    const { filters, sort, fields, populate } = given;
    return {
      ...given,
      ...(filters === undefined ? {} : { filters: this.#filters(own, filters) }),
      ...(sort === undefined ? {} : { sort: this.#sort(own, sort) }),
      ...(fields === undefined ? {} : { fields: this.#fields(own, listOf(fields)) }),
      ...(populate === undefined ? {} : { populate: this.#populate(own, populate) }),
    };
  }

  /** Undefined for a name that the caller may not use. */
  #named(own: Schema, name: string): Attribute | undefined {
    const attribute = own.attributes.get(name);
    return attribute && !isHidden(own, attribute, this.#canRead) ? attribute : undefined;
  }

  /** The schema behind a relation, component or media. */
  #behind(attribute: Attribute): Schema | undefined {
    return attribute.kind === "scalar" ? undefined : targetOf(this.#model, attribute);
  }

  #filters(own: Schema, value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#filters(own, item)).filter((item) => !isEmpty(item));
    if (!isRecord(value)) return value;
    return mapMembers(value, (name, inner) => {
      if (isId(name)) return inner;
      if (isGroup(name) || name === "$not") return this.#filters(own, inner);
      if (isOperator(name)) return inner;
      const attribute = this.#named(own, name);
      if (!attribute || attribute.kind === "zone") return undefined;
      const target = this.#behind(attribute);
      const left = target ? this.#filters(target, inner) : isRecord(inner) ? onlyOperators(inner) : inner;
      return isEmpty(left) ? undefined : left;
    });
  }

  /** Whether a key leads to an attribute that can be sorted by. */
  #isSortable(own: Schema, key: string): boolean {
    const [name = "", ...rest] = key.trim().split(":")[0]!.split(".");
    if (isId(name)) return true;
    const attribute = this.#named(own, name);
    if (!attribute || rest.length === 0) return attribute?.kind === "scalar";
    const target = this.#behind(attribute);
    return target !== undefined && this.#isSortable(target, rest.join("."));
  }

  #sort(own: Schema, value: unknown): unknown {
    if (typeof value === "string") return joinKept(value, (key) => this.#isSortable(own, key));
    if (Array.isArray(value)) {
      const left = value.map((item) => this.#sort(own, item));
      return left.filter((item) => item !== undefined && !isEmpty(item));
    }
    if (!isRecord(value)) return value;
    return mapMembers(value, (name, inner) => {
      if (isIndex(name)) return this.#sort(own, inner);
      const attribute = this.#named(own, name);
      const target = attribute && this.#behind(attribute);
      if (!target) return isId(name) || attribute?.kind === "scalar" ? inner : undefined;
      const left = this.#sort(target, inner);
      return isEmpty(left) ? undefined : left;
    });
  }

  #fields(own: Schema, value: unknown): unknown {
    const isKept = (name: string): boolean => {
      const key = name.trim();
      return key === "*" || isId(key) || this.#named(own, key)?.kind === "scalar";
    };
    if (typeof value === "string") return joinKept(value, isKept);
    if (Array.isArray(value)) return value.map((item) => this.#fields(own, item)).filter((item) => item !== undefined);
    if (!isRecord(value)) return value;
    return mapMembers(value, (name, inner) => {
      if (isIndex(name)) return this.#fields(own, inner);
      return isKept(name) ? inner : undefined;
    });
  }

  /** Unknown names stay, for validation to refuse; what the caller may not read is removed. */
  #isPopulatable(own: Schema, path: string): boolean {
    const [name = "", ...rest] = path.trim().split(".");
    if (!own.attributes.has(name)) return true;
    const attribute = this.#named(own, name);
    if (!attribute) return false;
    const target = this.#behind(attribute);
    return rest.length === 0 || !target || this.#isPopulatable(target, rest.join("."));
  }

  #populate(own: Schema, value: unknown): unknown {
    const isKept = (path: string): boolean => this.#isPopulatable(own, path);
    if (value === "*") {
      const seen = [...own.attributes.values()].filter(({ kind, name }) => kind !== "scalar" && this.#named(own, name));
      return Object.fromEntries(seen.map(({ name }) => [name, true]));
    }
    if (typeof value === "string") return joinKept(value, isKept);
    if (Array.isArray(value)) return value.filter((item) => typeof item !== "string" || isKept(item));
    if (!isRecord(value)) return value;
    return mapMembers(value, (name, inner) => {
      if (typeof inner === "string" && isIndex(name)) return isKept(inner) ? inner : undefined;
      if (!own.attributes.has(name)) return inner;
      const attribute = this.#named(own, name);
      if (!attribute) return undefined;
      if (isMorph(attribute)) return this.#ofSeveralTypes(own, inner);
      if (attribute.kind === "zone") return this.#ofComponents(inner);
      const target = this.#behind(attribute);
      return target && isRecord(inner) ? this.whole(target, inner) : inner;
    });
  }

  /** A count counts what the caller may read. */
  #ofSeveralTypes(own: Schema, value: unknown): unknown {
    // queries of the database take no star here
    if (value === "*") return true;
    if (!isRecord(value)) return value;
    const { types } = this.#model;
    const isCount = value.count === true || value.count === "true";
    if (!isRecord(value.on) && !isCount) return value;
    const all = isRecord(value.on) ? value.on : Object.fromEntries([...types.keys()].map((uid) => [uid, true]));
    const on = mapMembers(all, (uid, inner) => {
      const target = types.get(uid);
      if (!target || !this.#canRead(uid, own.uid)) return undefined;
      return isRecord(inner) ? this.whole(target, inner) : inner;
    });
    return { ...value, on };
  }

  #ofComponents(value: unknown): unknown {
    if (value === "*") return true;
    if (!isRecord(value) || !isRecord(value.on)) return value;
    const on = mapMembers(value.on, (uid, inner) => {
      const target = this.#model.components.get(uid);
      return target && isRecord(inner) ? this.whole(target, inner) : inner;
    });
    return { ...value, on };
  }
}

/**
 * Parameters without conditions, orders, fields and relations that the caller may not name. Throws a ValidationError for an
 * unknown `publicationFilter`.
 */
export function sanitizeQuery(model: Model, schema: Schema, params: Params, canRead: CanRead): Params {
  readPublicationFilter({ publicationFilter: params.publicationFilter });
  return new QuerySanitizer(model, canRead).whole(schema, params);
}
