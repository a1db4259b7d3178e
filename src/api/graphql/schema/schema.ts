/** The whole GraphQL schema of a model. */
import { GraphQLObjectType, GraphQLSchema } from "graphql";
import type { Model } from "../../../schema/model.ts";
import { type GraphqlExtensions, ShadowCrud } from "../extensions/extensions.ts";
import { mediaMutations } from "./media.ts";
import { mutationsOf } from "./mutations.ts";
import { objectFields } from "./object-types.ts";
import { queriesOf } from "./queries.ts";
import type { RootFields } from "./root-resolver.ts";
import { Types } from "./types.ts";
import { userMutations, userQueries } from "./users-permissions.ts";

function generate(model: Model, shadowCrud: ShadowCrud): GraphQLSchema {
  const types = new Types(model, shadowCrud, objectFields);
  const query: RootFields = {};
  const mutation: RootFields = {};
  for (const type of model.types.values()) {
    if (!shadowCrud.has(type.uid)) continue;
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

/** Creates the schema of a model, with the changes of the project's code. */
export function createSchema(model: Model, extensions: GraphqlExtensions = {}): GraphQLSchema {
  const generated = generate(model, new ShadowCrud(extensions.shadowCrud));
  const { typeDefs, nexus, resolvers, resolversConfig } = extensions;
  if (!(typeDefs || nexus || resolvers || resolversConfig)) return generated;
  const { mergeExtensions } = require("../extensions/merge.ts") as typeof import("../extensions/merge.ts");
  const { wrapResolvers } = require("../extensions/resolvers.ts") as typeof import("../extensions/resolvers.ts");
  const schema = mergeExtensions(generated, extensions);
  wrapResolvers(model, schema, generated, extensions);
  return schema;
}
