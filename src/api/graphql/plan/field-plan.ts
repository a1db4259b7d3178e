/** The plans of fields, stored in their GraphQL extensions: operations are planned from them. */

import type { Document } from "../../../engine/query/select.ts";
import type {
  ComponentAttribute,
  ContentType,
  MediaAttribute,
  RelationAttribute,
  ScalarAttribute,
  Schema,
  ZoneAttribute,
} from "../../../engine/schema/model.ts";
import type { RootField } from "./root-field.ts";

export type FieldPlan =
  | { readonly kind: "column"; readonly attribute: ScalarAttribute }
  | {
      readonly kind: "link";
      readonly attribute: RelationAttribute | MediaAttribute | ComponentAttribute;
      readonly target: Schema;
      /** The type that the caller needs permission to find; undefined: none. */
      readonly needs: ContentType | undefined;
      /** The rows are below `nodes`. */
      readonly connection: boolean;
    }
  /** The row itself: `attributes` and `data` of Strapi 4. */
  | { readonly kind: "self" }
  /** A resolver of the project, which may use the whole row. */
  | { readonly kind: "row" }
  /** Rows of several types, distinguished by a union. */
  | { readonly kind: "polymorphic"; readonly attribute: RelationAttribute | ZoneAttribute };

export interface RootPlan {
  readonly type: ContentType;
  readonly action: string;
  readonly read: (field: RootField) => unknown;
}

declare module "graphql" {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    readonly galley?: FieldPlan;
    readonly galleyRoot?: RootPlan;
    /** Policies and middlewares of the project get the whole row, and with `result` the whole rows that the field returns. */
    readonly galleyWhole?: "row" | "result";
  }
  interface GraphQLUnionTypeExtensions {
    /** The name of a row's object type. */
    readonly galleyMember?: (row: Document) => string;
  }
}

/** The key of a response field in a loaded row, so that aliases and attributes cannot clash. */
export const slot = (responseKey: string): string => `${responseKey}>`;
/** The fields of a collection that list its rows; `data` with `v4CompatibilityMode`. */
export const LISTS: ReadonlySet<string> = new Set(["nodes", "data"]);
export const nodesSlot = (responseKey: string, nodesKey: string): string => `${responseKey}>${nodesKey}`;
