/** The fields that read: one document, many, and many with information about the page. */
import { type GraphQLFieldConfigMap, GraphQLList, GraphQLNonNull } from "graphql";
import type { ContentType } from "../../../schema/model.ts";
import type { Operation } from "../operation.ts";
import { readCollection, readList, readOne } from "../plan/read.ts";
import { many, one } from "./arguments.ts";
import { collection } from "./collections.ts";
import { connectionName, listQueryName, queryName } from "./names.ts";
import { objectType } from "./object-types.ts";
import { offerOf } from "./offers.ts";
import { rootField } from "./root-field.ts";
import type { Types } from "./types.ts";

export type RootFields = GraphQLFieldConfigMap<unknown, Operation>;

export function queriesOf(types: Types, type: ContentType): RootFields {
  const offer = offerOf(type);
  if (!offer) return {};
  const row = objectType(types, type);
  const single: RootFields = {
    [queryName(type)]: { type: row, args: one(type), resolve: rootField(type, offer.findOne, readOne) },
  };
  if (type.kind === "singleType") return single;
  const args = many(types, type);
  return {
    ...single,
    [connectionName(listQueryName(type))]: {
      type: collection(types, type),
      args,
      resolve: rootField(type, offer.find, readCollection),
    },
    [listQueryName(type)]: {
      type: new GraphQLNonNull(new GraphQLList(row)),
      args,
      resolve: rootField(type, offer.find, readList),
    },
  };
}
