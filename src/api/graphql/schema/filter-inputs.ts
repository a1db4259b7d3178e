/** The inputs of filters. Their operators are those of the query language. */
import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLID,
  type GraphQLInputFieldConfigMap,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLList,
  type GraphQLScalarType,
  GraphQLString,
} from "graphql";
import type { GraphqlScalarName } from "../../../engine/attributes/index.ts";
import { comparisons, isComparison } from "../../../engine/query/operators.ts";
import type { Attribute, Schema } from "../../../engine/schema/model.ts";
import { findTarget } from "../../../engine/schema/model.ts";
import { filtersName } from "../names.ts";
import { date, dateTime, json, long, timeOfDay } from "./scalars.ts";
import type { Types } from "./types.ts";

export const scalars: Readonly<Record<GraphqlScalarName, GraphQLScalarType>> = {
  String: GraphQLString,
  Int: GraphQLInt,
  Float: GraphQLFloat,
  Boolean: GraphQLBoolean,
  Long: long,
  Date: date,
  Time: timeOfDay,
  DateTime: dateTime,
  JSON: json,
};

/** Operators that Strapi offers in REST only. */
const restOnly: ReadonlySet<string> = new Set(["$startsWithi", "$endsWithi"]);

/** The names of the comparisons, without the dollar that they have in REST. */
const comparisonNames = Object.keys(comparisons)
  .filter((name) => !restOnly.has(name))
  .map((name) => name.slice(1));

function scalarFilter(types: Types, scalar: GraphQLScalarType): GraphQLInputObjectType {
  return types.getOrCreate(`${scalar.name}FilterInput`, `filters on ${scalar.name}`, (name): GraphQLInputObjectType => {
    const list = new GraphQLList(scalar);
    const operands = { value: scalar, text: scalar, list, pair: list, truth: GraphQLBoolean };
    return new GraphQLInputObjectType({
      name,
      fields: () => {
        const fields: GraphQLInputFieldConfigMap = {
          and: { type: list },
          or: { type: list },
          not: { type: scalarFilter(types, scalar) },
        };
        for (const comparison of comparisonNames) {
          const operator = `$${comparison}`;
          if (isComparison(operator)) fields[comparison] = { type: operands[comparisons[operator].takes] };
        }
        return fields;
      },
    });
  });
}

/** The filters of an attribute; undefined if it cannot be filtered. */
function attributeFilter(types: Types, attribute: Attribute): GraphQLInputObjectType | undefined {
  if (attribute.private || attribute.kind === "zone" || attribute.kind === "media") return undefined;
  if (attribute.kind === "scalar") return scalarFilter(types, scalars[attribute.type.graphqlName]);
  const isAdministrator = attribute.kind === "relation" && attribute.target === types.model.creator.uid;
  if (attribute.kind === "relation" && (attribute.relation.startsWith("morph") || isAdministrator)) return undefined;
  const target = findTarget(types.model, attribute);
  return target && filtersInput(types, target);
}

export function filtersInput(types: Types, schema: Schema): GraphQLInputObjectType {
  return types.getOrCreate(filtersName(schema), `filters on ${schema.uid}`, (name): GraphQLInputObjectType => {
    const fields = (): GraphQLInputFieldConfigMap => {
      const self = filtersInput(types, schema);
      const isCollection = schema.modelType === "contentType" && schema.kind === "collectionType";
      const fields: GraphQLInputFieldConfigMap =
        isCollection && types.shadowCrud.hasPart(schema.uid, "documentId", "filters")
          ? { documentId: { type: scalarFilter(types, GraphQLID) } }
          : {};
      for (const attribute of types.attributes(schema, "filters")) {
        const type = attributeFilter(types, attribute);
        if (type) fields[attribute.name] = { type };
      }
      return {
        ...fields,
        and: { type: new GraphQLList(self) },
        or: { type: new GraphQLList(self) },
        not: { type: self },
      };
    };
    return new GraphQLInputObjectType({ name, fields });
  });
}
