/** What a field reads, in its extensions: operations are planned from these. */

import type { Document } from "../../../query/select.ts";
import type {
  ComponentAttribute,
  ContentType,
  MediaAttribute,
  RelationAttribute,
  ScalarAttribute,
  Schema,
  ZoneAttribute,
} from "../../../schema/model.ts";
import type { RootField } from "./root-field.ts";

export type FieldPlan =
  | { readonly kind: "column"; readonly attribute: ScalarAttribute }
  | {
      readonly kind: "link";
      readonly attribute: RelationAttribute | MediaAttribute | ComponentAttribute;
      readonly target: Schema;
      /** The target's type that must be findable for the caller; undefined: anybody may look. */
      readonly needs: ContentType | undefined;
      /** The rows are below `nodes`. */
      readonly connection: boolean;
    }
  /** A resolver of the project, which may look at anything in the row. */
  | { readonly kind: "row" }
  /** Rows of several types, distinguished by a union. */
  | { readonly kind: "mixed"; readonly attribute: RelationAttribute | ZoneAttribute };

/** What a root field reads. */
export interface RootPlan {
  readonly type: ContentType;
  readonly action: string;
  readonly read: (field: RootField) => unknown;
}

declare module "graphql" {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    readonly galley?: FieldPlan;
    readonly galleyRoot?: RootPlan;
  }
  interface GraphQLUnionTypeExtensions {
    /** The name of the object type that a row is of. */
    readonly galleyMember?: (row: Document) => string;
  }
}

/** Where a loaded row keeps what a field of the operation reads, so that aliases and attributes never meet. */
export const slot = (responseKey: string): string => `${responseKey}>`;
export const nodesSlot = (responseKey: string, nodesKey: string): string => `${responseKey}>${nodesKey}`;
