/** The query tree into which REST parameters, GraphQL selections and calls of programs are parsed. */

import type { Budget } from "../../lib/budget.ts";
import type { ScalarType, SqlValue } from "../attributes/index.ts";
import type {
  ComponentAttribute,
  MediaAttribute,
  PopulatableAttribute,
  RelationAttribute,
  ScalarAttribute,
  Schema,
} from "../schema/model.ts";
import type { ComparisonName } from "./operators.ts";

/** A column of a row: an attribute's, or one of the two ids. */
export interface Field {
  readonly name: string;
  readonly column: string;
  readonly type: ScalarType | undefined;
}

/** Attributes that filters and sort keys can follow to other rows. */
export type JoinableAttribute = RelationAttribute | MediaAttribute | ComponentAttribute;

export type Condition =
  | { readonly kind: "all" | "any"; readonly of: readonly Condition[] }
  | { readonly kind: "not"; readonly of: Condition }
  | { readonly kind: "compare"; readonly field: Field; readonly operator: ComparisonName; readonly operand: Operand }
  /** True when `of` is true for one of the related rows. A row without related rows is compared as if all their fields were null. */
  | {
      readonly kind: "related";
      readonly attribute: JoinableAttribute;
      readonly target: Schema;
      readonly of: Condition;
    };

export type Operand = SqlValue | boolean | readonly SqlValue[];

/** `status`: the document's state, never published, modified, published. `_relevance`: of the text of `_q`, the best first. */
export type ComputedKey = "status" | "_relevance";

export interface SortKey {
  /** The relations to follow, outermost first. */
  readonly path: readonly { readonly attribute: JoinableAttribute; readonly target: Schema }[];
  readonly field: Field | ComputedKey;
  readonly descending: boolean;
}

export interface Query {
  readonly schema: Schema;
  readonly where: Condition | undefined;
  /** The text of `_q`. */
  readonly search: string | undefined;
  /** Private attributes that `_q` searches as well. */
  readonly searchesPrivate?: ReadonlySet<string>;
  readonly sort: readonly SortKey[];
  /** Scalar attributes to return besides the ids. */
  readonly fields: readonly ScalarAttribute[];
  readonly populate: readonly Populate[];
  readonly start: number;
  /** Undefined: all. */
  readonly limit: number | undefined;
  /** The number of values per row, where it differs from the number of fields: GraphQL aliases. */
  readonly weight?: Weight;
  /** The rows have private attributes, too: resolvers of others get them. */
  readonly withPrivate?: true;
  /** Behind a relation to several types: only rows of the version that is read. Otherwise a link leads to either version. */
  readonly isOfVersion?: true;
}

export interface Weight {
  readonly values: number;
  /** The maximum number of times that a single field is returned. */
  readonly repeats: number;
}

export interface Populate {
  /** The key in the response: the attribute's name, or an alias. */
  readonly key: string;
  /** Further keys with the same value. */
  readonly sameKeys?: readonly string[];
  readonly attribute: PopulatableAttribute;
  /** The query for the target; undefined for targets of several types. */
  readonly query: Query | undefined;
  /** Return the number of targets instead of the targets. */
  readonly count: boolean;
  /** For targets of several types: the query for each type, by uid. Undefined: every type, with all fields. */
  readonly on: ReadonlyMap<string, Query> | undefined;
  /**
   * Localizations include rows that are on the same page, ordered by id. REST excludes those and orders by locale, as Strapi
   * does.
   */
  readonly includesPage?: true;
}

/** The number of keys in the response that have the same value. */
export const keyCount = ({ sameKeys }: Populate): number => 1 + (sameKeys?.length ?? 0);

declare const checked: unique symbol;

/** A query that has passed `checkQuery`: the caller may read everything in it. Only such queries are run. */
export interface CheckedQuery extends Query {
  readonly [checked]: true;
  /** The limits for running it. */
  readonly budget: Budget;
}

/** All rows of a type with their default fields, without populated attributes. */
export const emptyQuery = (schema: Schema): Query => ({
  schema,
  where: undefined,
  search: undefined,
  sort: [],
  fields: schema.defaultFields,
  populate: [],
  start: 0,
  limit: undefined,
});

/** Whether the caller may read a type through a relation of the type `from`. */
export type CanRead = (uid: string, from: string) => boolean;

export const ID: Field = { name: "id", column: "id", type: undefined };
export const DOCUMENT_ID: Field = { name: "documentId", column: "document_id", type: undefined };

/** The id fields by their key in a response. */
export const idFields: Readonly<Record<string, Field>> = { id: ID, documentId: DOCUMENT_ID };
export const isIdKey = (key: string): boolean => Object.hasOwn(idFields, key);

export const allOf = (conditions: readonly Condition[]): Condition | undefined =>
  conditions.length < 2 ? conditions[0] : { kind: "all", of: conditions };

/** Whether a condition follows a relation. */
export const filtersByRelation = (where: Condition | undefined): boolean => {
  if (!where || where.kind === "compare") return false;
  if (where.kind === "related") return true;
  return where.kind === "not" ? filtersByRelation(where.of) : where.of.some(filtersByRelation);
};

export const joinPath = (path: string | null, key: string): string => (path === null ? key : `${path}.${key}`);

/** What a condition is for a row whose fields are all null: true, false, or unknown (undefined). */
export function holdsForNull(condition: Condition, negated: boolean): boolean | undefined {
  switch (condition.kind) {
    case "not":
      return holdsForNull(condition.of, !negated);
    case "compare": {
      const { operator, operand } = condition;
      if (operator !== "$null" && operator !== "$notNull") return undefined;
      return ((operator === "$null") === operand) !== negated;
    }
    case "related":
      return holdsForNull(condition.of, negated);
    default: {
      const all = (condition.kind === "all") !== negated;
      const parts = condition.of.map((part) => holdsForNull(part, negated));
      if (parts.includes(!all)) return !all;
      return parts.includes(undefined) ? undefined : all;
    }
  }
}
