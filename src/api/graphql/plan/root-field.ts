/** The input of a root field's plan. */
import type { FieldNode, GraphQLResolveInfo } from "graphql";
import type { Params } from "../../../engine/query/parse.ts";
import type { Query } from "../../../engine/query/tree.ts";
import type { ContentType } from "../../../engine/schema/model.ts";
import type { Operation } from "../operation.ts";

/** The selected part of an object type. */
export type Selected = Pick<Query, "fields" | "populate" | "weight" | "withPrivate">;
export type Nodes = readonly FieldNode[];

/** The part of graphql-js' resolve info that planning needs. */
export type RootInfo = Pick<
  GraphQLResolveInfo,
  "schema" | "fragments" | "variableValues" | "fieldNodes" | "returnType"
> & {
  /** The rows are read with all of their columns. */
  readonly isWhole?: boolean;
  /** The arguments of the field, if they are not those of the text. */
  readonly ownArguments?: Params;
};

/** A root field while it is resolved. */
export interface RootField {
  readonly operation: Operation;
  readonly info: RootInfo;
  readonly type: ContentType;
  readonly args: Params;
  /** The prepared selection below the nodes of a response key; undefined: the planner creates it. */
  readonly select?: (nodes: Nodes, key: string) => Selected;
}
