/** The checked query: what REST parameters, GraphQL selections and programs all become before anything is read. */
import type { ScalarType, SqlValue } from "../attributes/index.ts";
import type { Budget } from "../budget.ts";
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

/** Attributes through which filters and sorts can look at other rows. */
export type JoinableAttribute = RelationAttribute | MediaAttribute | ComponentAttribute;

export type Condition =
  | { readonly kind: "all" | "any"; readonly of: readonly Condition[] }
  | { readonly kind: "not"; readonly of: Condition }
  | { readonly kind: "compare"; readonly field: Field; readonly operator: ComparisonName; readonly operand: Operand }
  /** Holds for a row when it holds for one of the related rows; a row without any is compared as if all fields were null. */
  | {
      readonly kind: "related";
      readonly attribute: JoinableAttribute;
      readonly target: Schema;
      readonly of: Condition;
    };

export type Operand = SqlValue | boolean | readonly SqlValue[];

export interface SortKey {
  /** The attributes to go through, from the outermost. */
  readonly path: readonly { readonly attribute: JoinableAttribute; readonly target: Schema }[];
  /** `status` is the state of the document: never published, modified, published. */
  readonly field: Field | "status";
  readonly descending: boolean;
}

export interface Query {
  readonly schema: Schema;
  readonly where: Condition | undefined;
  /** The text of `_q`. */
  readonly search: string | undefined;
  readonly sort: readonly SortKey[];
  /** Scalar attributes to answer besides the ids. */
  readonly fields: readonly ScalarAttribute[];
  readonly populate: readonly Populate[];
  readonly start: number;
  /** Undefined: all. */
  readonly limit: number | undefined;
  /** What a row adds to the answer, where that is not one value for each field: GraphQL's aliases. */
  readonly weight?: Weight;
  /** The rows are for a project's own code, which also sees private attributes. */
  readonly isForCode?: true;
}

export interface Weight {
  readonly values: number;
  /** How often a field is answered at most. */
  readonly repeats: number;
}

export interface Populate {
  /** The key in the answer: the attribute's name, or an alias. */
  readonly key: string;
  readonly attribute: PopulatableAttribute;
  /** What to read of the target; absent for targets of several kinds. */
  readonly query: Query | undefined;
  /** Answer the number of targets instead of the targets. */
  readonly count: boolean;
  /** Targets of several kinds: what to read of each schema, by uid. Absent: everything, of every kind. */
  readonly on: ReadonlyMap<string, Query> | undefined;
  /**
   * Localizations may be rows that are on the page themselves, in the order of their ids; REST leaves those out and
   * orders by locale, as the reference does.
   */
  readonly withPage?: true;
}

declare const checked: unique symbol;

/** A query that `checkQuery` has seen: nothing in it is hidden from the caller. Nothing else is run. */
export interface CheckedQuery extends Query {
  readonly [checked]: true;
  /** What running it may cost. */
  readonly budget: Budget;
}

/** Everything that is answered of a type's rows, and nothing behind them. */
export const emptyQuery = (schema: Schema): Query => ({
  schema,
  where: undefined,
  search: undefined,
  sort: [],
  fields: schema.answered,
  populate: [],
  start: 0,
  limit: undefined,
});

/** Whether the caller may look at a type through a relation of the type `from`. */
export type CanRead = (uid: string, from: string) => boolean;

export const ID: Field = { name: "id", column: "id", type: undefined };
export const DOCUMENT_ID: Field = { name: "documentId", column: "document_id", type: undefined };

/** The ids by their keys. */
export const idFields: Readonly<Record<string, Field>> = { id: ID, documentId: DOCUMENT_ID };
export const isIdKey = (key: string): boolean => Object.hasOwn(idFields, key);

export const allOf = (conditions: readonly Condition[]): Condition | undefined =>
  conditions.length < 2 ? conditions[0] : { kind: "all", of: conditions };

/** Whether rows are found by way of others. */
export const looksThrough = (where: Condition | undefined): boolean => {
  if (!where || where.kind === "compare") return false;
  if (where.kind === "related") return true;
  return where.kind === "not" ? looksThrough(where.of) : where.of.some(looksThrough);
};
