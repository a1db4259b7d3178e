/** The fields that read: one document, many, and many with information about the page. */
import { type FieldNode, type GraphQLFieldConfig, GraphQLList, GraphQLNonNull } from "graphql";
import type { Params } from "../../../query/parse.ts";
import type { ContentType } from "../../../schema/model.ts";
import { connectionName, listQueryName, queryName } from "../names.ts";
import type { Operation } from "../operation.ts";
import type { RootPlan } from "../plan/field-plan.ts";
import { readCollection, readList, readOne } from "../plan/read.ts";
import { many, one } from "./arguments.ts";
import { collection } from "./collections.ts";
import { offerOf } from "./offers.ts";
import { type RootFields, rootField } from "./root-resolver.ts";
import type { Types } from "./types.ts";

type Root = Pick<GraphQLFieldConfig<unknown, Operation, Params>, "resolve" | "extensions">;

/** What a root field reads, noted at the field as well: operations that only read are prepared from these notes. */
function reads(plan: RootPlan): Root {
  const { type, action, read, hands } = plan;
  const resolve = rootField(type, action, (field) => {
    const found = read(field);
    return hands ? field.operation.hand(field.info.fieldNodes[0] as FieldNode, found) : found;
  });
  return { resolve, extensions: { galleyRoot: plan } };
}

export function queriesOf(types: Types, type: ContentType): RootFields {
  const offer = offerOf(type);
  if (!offer) return {};
  const row = types.object(type);
  const { find, findOne } = offer;
  const single: RootFields = {
    [queryName(type)]: { type: row, args: one(type), ...reads({ type, action: findOne, read: readOne, hands: true }) },
  };
  if (type.kind === "singleType") return single;
  const args = many(types, type);
  return {
    ...single,
    [connectionName(listQueryName(type))]: {
      type: collection(types, type),
      args,
      ...reads({ type, action: find, read: readCollection, hands: false }),
    },
    [listQueryName(type)]: {
      type: new GraphQLNonNull(new GraphQLList(row)),
      args,
      ...reads({ type, action: find, read: readList, hands: true }),
    },
  };
}
