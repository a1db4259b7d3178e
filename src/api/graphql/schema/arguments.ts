/** The arguments that queries and mutations share. */
import {
  GraphQLBoolean,
  GraphQLEnumType,
  type GraphQLFieldConfigArgumentMap,
  GraphQLID,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLString,
} from "graphql";
import { publicationFilters } from "../../../engine/query/reading.ts";
import type { ContentType, Schema } from "../../../engine/schema/model.ts";
import { filtersInput } from "./filter-inputs.ts";
import { localeCode } from "./scalars.ts";
import type { Types } from "./types.ts";

const publicationStatus = new GraphQLEnumType({
  name: "PublicationStatus",
  values: { DRAFT: { value: "draft" }, PUBLISHED: { value: "published" } },
});

const publicationFilter = new GraphQLEnumType({
  name: "PublicationFilter",
  values: Object.fromEntries(
    publicationFilters.map((value) => [value.toUpperCase().replaceAll("-", "_"), { value }] as const),
  ),
});

const paginationArgument = new GraphQLInputObjectType({
  name: "PaginationArg",
  fields: {
    page: { type: GraphQLInt },
    pageSize: { type: GraphQLInt },
    start: { type: GraphQLInt },
    limit: { type: GraphQLInt },
  },
});

export const documentId = { type: new GraphQLNonNull(GraphQLID) };
export const status = { type: publicationStatus, defaultValue: "published" };

const publication: GraphQLFieldConfigArgumentMap = {
  status,
  hasPublishedVersion: { type: GraphQLBoolean },
  publicationFilter: { type: publicationFilter },
};

export const locale = (type: ContentType): GraphQLFieldConfigArgumentMap =>
  type.localized ? { locale: { type: localeCode, description: "The locale to use for the query" } } : {};

/** Of lists at any depth. */
export const list = (types: Types, schema: Schema): GraphQLFieldConfigArgumentMap => ({
  filters: { type: filtersInput(types, schema) },
  pagination: { type: paginationArgument, defaultValue: {} },
  sort: { type: new GraphQLList(GraphQLString), defaultValue: [] },
});

export const many = (types: Types, type: ContentType): GraphQLFieldConfigArgumentMap => ({
  ...list(types, type),
  ...publication,
  ...locale(type),
});

export const one = (type: ContentType): GraphQLFieldConfigArgumentMap => ({
  ...(type.kind === "collectionType" ? { documentId } : {}),
  ...publication,
  ...locale(type),
});
