/** Removes names from query parameters that a caller may not use, as Strapi's sanitizers do. */

import { isPolymorphicRelation } from "../../engine/documents/input-keys.ts";
import { shownIn } from "../../engine/query/check-params.ts";
import { isHidden } from "../../engine/query/check-query.ts";
import { isOperator } from "../../engine/query/operators.ts";
import { type Params, populatesAnyType } from "../../engine/query/parse.ts";
import { readPublicationFilter } from "../../engine/query/reading.ts";
import { type CanRead, isIdKey } from "../../engine/query/tree.ts";
import {
  isAnyField,
  isVisited,
  mapEntries,
  type Visit,
  type Visited,
  visits,
} from "../../engine/query/visit-params.ts";
import {
  type Place,
  type PopulatedName,
  type PopulateVisitor,
  visitPath,
  visitPopulate,
} from "../../engine/query/visit-populate.ts";
import { hasPolymorphicTargets, type Model, type Schema } from "../../engine/schema/model.ts";
import { isRecord } from "../../lib/is-record.ts";

/** A list index in a query string, as in `sort[0]`. */
const isIndex = (name: string): boolean => /^\d+$/.test(name);

const isAll = (value: unknown): boolean => value === true || value === "true" || value === "*";

class QuerySanitizer implements PopulateVisitor {
  readonly #model: Model;
  readonly #canRead: CanRead;

  constructor(model: Model, canRead: CanRead) {
    this.#model = model;
    this.#canRead = canRead;
  }

  sanitize(schema: Schema, params: Params): Params {
    return mapEntries(params, (name, value) =>
      name === "populate" ? visitPopulate(this.#model, schema, value, this) : this.option({ schema }, name, value),
    );
  }

  option({ schema }: Pick<Place, "schema">, name: string, value: unknown): unknown {
    return isVisited(name) ? visits[name](this.#model, schema, value, this.#visit[name]) : value;
  }

  #isUsable({ schema, attribute }: Pick<Visited, "schema" | "attribute">): boolean {
    return attribute !== undefined && !isHidden(schema, attribute, this.#canRead);
  }

  #isCondition(visited: Visited): boolean {
    return this.#isUsable(visited) && !hasPolymorphicTargets(visited.attribute!);
  }

  readonly #visit: Readonly<Record<keyof typeof visits, Visit>> = {
    filters: (visited) => {
      if (isOperator(visited.key)) return "visit";
      if (visited.isInOperand) return "remove";
      return isIdKey(visited.key) || this.#isCondition(visited) ? "visit" : "remove";
    },
    sort: (visited) => {
      const { key, attribute, value, path } = visited;
      if (isIdKey(key) || (key === "_relevance" && path === null)) return "keep";
      if (isIndex(key)) return "visit";
      const isWithoutKey = attribute?.kind !== "scalar" && value === undefined;
      return this.#isCondition(visited) && !isWithoutKey ? "visit" : "remove";
    },
    fields: (visited) => {
      const isColumn = visited.attribute?.kind === "scalar" && this.#isUsable(visited);
      return isColumn || isAnyField(visited.key) ? "keep" : "remove";
    },
  };

  /** Unknown names are kept, since validation refuses them. Names that the caller may not read are removed. */
  name(name: PopulatedName): unknown {
    const { attribute, value, rest } = name;
    if (!attribute) return value;
    if (!this.#isUsable(name)) return undefined;
    if (attribute.kind === "zone" && !attribute.components.every((uid) => this.#keepsPath(uid, rest))) return undefined;
    if (isPolymorphicRelation(attribute) && isAll(value)) return this.#allTypes(name.schema);
    // `strapi.db.query` does not accept `*` here
    if (hasPolymorphicTargets(attribute) && value === "*") return true;
    if (isPolymorphicRelation(attribute) && isRecord(value) && !populatesAnyType(value)) return undefined;
    const isCount = isRecord(value) && (value.count === true || value.count === "true");
    if (!isPolymorphicRelation(attribute) || !isCount || isRecord(value.on)) return value;
    return { ...value, on: Object.fromEntries([...this.#model.types.keys()].map((uid) => [uid, true])) };
  }

  /** As in Strapi, a fragment for each type that the caller may find, which leads to any version; undefined: none. */
  #allTypes(schema: Schema): unknown {
    const uids = [...this.#model.types.keys()].filter((uid) => this.#canRead(uid, schema.uid));
    return uids.length > 0 ? { on: Object.fromEntries(uids.map((uid) => [uid, true])) } : undefined;
  }

  /** A path through a zone applies to all components that have it. */
  #keepsPath(uid: string, path: readonly string[]): boolean {
    const schema = this.#model.components.get(uid);
    return !schema || visitPath(this.#model, schema, path, (name) => this.name(name) !== undefined);
  }

  all(schema: Schema): unknown {
    const shown = shownIn(schema, this.#canRead).map((attribute) => [
      attribute.name,
      isPolymorphicRelation(attribute) ? this.#allTypes(schema) : true,
    ]);
    return Object.fromEntries(shown.filter(([, value]) => value !== undefined));
  }

  /** Entries of a zone belong to the document that is read. */
  fragment({ schema, owner }: Place, uid: string): boolean {
    return owner?.kind === "zone" || (this.#model.types.has(uid) && this.#canRead(uid, schema.uid));
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
