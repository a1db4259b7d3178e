/**
 * The types of responses: one document, and collection types with `nodes`: of root fields, with information about the page,
 * and of relations, without.
 */
import { GraphQLInt, GraphQLList, GraphQLNonNull, GraphQLObjectType } from "graphql";
import { FILE } from "../../../engine/schema/builtin/index.ts";
import type { ContentType } from "../../../engine/schema/model.ts";
import { collectionName, relationCollectionName, responseName } from "../names.ts";
import { pick, pickNodes } from "../plan/pick.ts";
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

const nodes = (types: Types, type: ContentType) => ({
  type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(types.object(type)))),
  resolve: pickNodes,
});

export const collection = (types: Types, type: ContentType): GraphQLObjectType =>
  types.getOrCreate(collectionName(type), `pages of ${type.uid}`, (name) => {
    const fields = () => ({ nodes: nodes(types, type), pageInfo: { type: new GraphQLNonNull(pagination) } });
    return new GraphQLObjectType({ name, fields });
  });

export const relationCollection = (types: Types, type: ContentType): GraphQLObjectType =>
  types.getOrCreate(relationCollectionName(type), `relations to ${type.uid}`, (name) => {
    const resolve = type.uid === FILE ? { resolve: pickFileNodes } : {};
    return new GraphQLObjectType({ name, fields: () => ({ nodes: { ...nodes(types, type), ...resolve } }) });
  });
