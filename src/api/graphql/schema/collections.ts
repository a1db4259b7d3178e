/**
 * The types of responses: one document, and collection types with `nodes`: of root fields, with information about the page,
 * and of relations, without.
 */
import {
  type GraphQLFieldConfig,
  type GraphQLFieldConfigMap,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
} from "graphql";
import { FILE } from "../../../engine/schema/builtin/index.ts";
import type { ContentType } from "../../../engine/schema/model.ts";
import { collectionName, relationCollectionName, responseName } from "../names.ts";
import type { Operation } from "../operation.ts";
import { type Collection, pick, pickNodes } from "../plan/pick.ts";
import { pickFileNodes } from "../plan/pick-files.ts";
import type { Types } from "./types.ts";

const integer = { type: new GraphQLNonNull(GraphQLInt) };

const pagination = new GraphQLObjectType({
  name: "Pagination",
  fields: { total: integer, page: integer, pageSize: integer, pageCount: integer },
});

export const entityResponse = (types: Types, type: ContentType): GraphQLObjectType =>
  types.getOrCreate(responseName(type), `answers about ${type.uid}`, (name) => {
    return new GraphQLObjectType({ name, fields: () => ({ data: { type: types.object(type), resolve: pick } }) });
  });

const v4Meta = {
  type: new GraphQLNonNull(
    new GraphQLObjectType({
      name: "ResponseCollectionMeta",
      fields: { pagination: { type: new GraphQLNonNull(pagination) } },
    }),
  ),
  deprecationReason: "Use the `pageInfo` field instead",
};

/** The rows of a collection, with `v4CompatibilityMode` also as `data`. */
function lists(
  types: Types,
  type: ContentType,
  resolve: GraphQLFieldConfig<Collection, Operation>["resolve"],
): GraphQLFieldConfigMap<Collection, Operation> {
  const nodes = { type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(types.object(type)))), resolve };
  return types.hasV4Fields ? { nodes, data: { ...nodes, deprecationReason: "Use `nodes` field instead" } } : { nodes };
}

export const collection = (types: Types, type: ContentType): GraphQLObjectType =>
  types.getOrCreate(collectionName(type), `pages of ${type.uid}`, (name) => {
    const fields = () => ({
      ...lists(types, type, pickNodes),
      pageInfo: { type: new GraphQLNonNull(pagination) },
      ...(types.hasV4Fields ? { meta: v4Meta } : {}),
    });
    return new GraphQLObjectType({ name, fields });
  });

export const relationCollection = (types: Types, type: ContentType): GraphQLObjectType =>
  types.getOrCreate(relationCollectionName(type), `relations to ${type.uid}`, (name) => {
    const resolve = type.uid === FILE ? pickFileNodes : pickNodes;
    return new GraphQLObjectType({ name, fields: () => lists(types, type, resolve) });
  });
