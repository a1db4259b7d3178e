/** The whole GraphQL schema of a model. */
import { GraphQLObjectType, GraphQLSchema } from "graphql";
import type { Model } from "../../../schema/model.ts";
import { mediaMutations } from "./media.ts";
import { mutationsOf } from "./mutations.ts";
import { objectFields } from "./object-types.ts";
import { queriesOf } from "./queries.ts";
import type { RootFields } from "./root-resolver.ts";
import { Types } from "./types.ts";
import { userMutations, userQueries } from "./users-permissions.ts";

export function createSchema(model: Model): GraphQLSchema {
  const types = new Types(model, objectFields);
  const query: RootFields = {};
  const mutation: RootFields = {};
  for (const type of model.types.values()) {
    Object.assign(query, queriesOf(types, type));
    Object.assign(mutation, mutationsOf(types, type));
  }
  Object.assign(query, userQueries(types));
  Object.assign(mutation, mediaMutations(types), userMutations(types));
  return new GraphQLSchema({
    query: new GraphQLObjectType({ name: "Query", fields: query }),
    mutation: new GraphQLObjectType({ name: "Mutation", fields: mutation }),
  });
}
