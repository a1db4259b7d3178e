/** The whole GraphQL schema of a model. */
import { type GraphQLNamedType, GraphQLObjectType, GraphQLSchema } from "graphql";
import type { Settings } from "../../../engine/config/settings.ts";
import type { Model } from "../../../engine/schema/model.ts";
import { type GraphqlExtensions, ShadowCrud } from "../extensions/extensions.ts";
import { status } from "./arguments.ts";
import { collection, entityResponse, relationCollection } from "./collections.ts";
import { scalars } from "./filter-inputs.ts";
import { mediaMutations } from "./media.ts";
import { createMutations } from "./mutations.ts";
import { objectFields } from "./object-types.ts";
import { createQueries } from "./queries.ts";
import type { RootFields } from "./root-resolver.ts";
import { localeCode } from "./scalars.ts";
import { Types } from "./types.ts";
import { userMutations, userQueries } from "./users-permissions.ts";

/** What Strapi has whether a generated field needs it or not. */
const namedTypes: readonly GraphQLNamedType[] = [...Object.values(scalars), localeCode, status.type];

/** `offersAll`: also with the types that no generated field has, which the project's types may refer to. */
function generate(parts: ConstructorParameters<typeof Types>[0], offersAll: boolean): GraphQLSchema {
  const { model, shadowCrud } = parts;
  const types = new Types(parts, objectFields);
  const query: RootFields = {};
  const mutation: RootFields = {};
  const offered: GraphQLNamedType[] = offersAll ? [...namedTypes] : [];
  for (const type of model.types.values()) {
    if (!shadowCrud.has(type.uid)) continue;
    Object.assign(query, createQueries(types, type));
    Object.assign(mutation, createMutations(types, type));
    if (offersAll) offered.push(...[entityResponse, collection, relationCollection].map((of) => of(types, type)));
  }
  Object.assign(query, userQueries(types));
  Object.assign(mutation, mediaMutations(types), userMutations(types));
  return new GraphQLSchema({
    query: new GraphQLObjectType({ name: "Query", fields: query }),
    mutation: new GraphQLObjectType({ name: "Mutation", fields: mutation }),
    types: offered,
  });
}

/** Creates the schema of a model, with the changes of extensions. */
export function createSchema(
  model: Model,
  { v4CompatibilityMode: hasV4Fields }: Pick<Settings["graphql"], "v4CompatibilityMode">,
  extensions: GraphqlExtensions = {},
): GraphQLSchema {
  const { typeDefs, nexus, resolvers, resolversConfig } = extensions;
  const addsTypes = nexus !== undefined || (typeDefs ?? []).length > 0;
  const parts = { model, shadowCrud: new ShadowCrud(extensions.shadowCrud), hasV4Fields };
  const generated = generate(parts, addsTypes);
  if (!(typeDefs || nexus || resolvers || resolversConfig)) return generated;
  const { mergeExtensions } = require("../extensions/merge.ts") as typeof import("../extensions/merge.ts");
  const { acceptOwnValues } = require("../extensions/own-values.ts") as typeof import("../extensions/own-values.ts");
  const { wrapResolvers } = require("../extensions/resolvers.ts") as typeof import("../extensions/resolvers.ts");
  const schema = mergeExtensions(generated, extensions);
  wrapResolvers(model, schema, generated, extensions);
  acceptOwnValues(model, schema);
  return schema;
}
