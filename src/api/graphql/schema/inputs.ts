/** The inputs of mutations. All fields are nullable: required attributes are checked when the document is written. */
import {
  GraphQLID,
  type GraphQLInputFieldConfigMap,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
} from "graphql";
import { type Attribute, component, type Schema } from "../../../engine/schema/model.ts";
import { inputName } from "../names.ts";
import { enumeration } from "./enumerations.ts";
import { scalars } from "./filter-inputs.ts";
import type { Types } from "./types.ts";
import { zoneInput } from "./zones.ts";

function attributeInput(types: Types, schema: Schema, attribute: Attribute): GraphQLInputType | undefined {
  switch (attribute.kind) {
    case "scalar":
      return attribute.type.name === "enumeration"
        ? enumeration(types, schema, attribute)
        : scalars[attribute.type.graphqlName];
    case "relation":
      if (!attribute.target || !types.model.types.has(attribute.target)) return undefined;
      if (attribute.relation.startsWith("morph")) return undefined;
      return attribute.many ? new GraphQLList(GraphQLID) : GraphQLID;
    case "media":
      return attribute.many ? new GraphQLList(GraphQLID) : GraphQLID;
    case "component": {
      const type = dataInput(types, component(types.model, attribute.component));
      return attribute.many ? new GraphQLList(type) : type;
    }
    case "zone":
      return new GraphQLList(new GraphQLNonNull(zoneInput(types, schema, attribute)));
  }
}

/** A localized document's locale is an argument. Other types have an input field for it without effect, as in Strapi. */
const isInput = (schema: Schema, { name, writable }: Attribute): boolean =>
  writable && !(name === "locale" && schema.modelType === "contentType" && schema.localized);

export function dataInput(types: Types, schema: Schema): GraphQLInputObjectType {
  return types.getOrCreate(inputName(schema), `input of ${schema.uid}`, (name): GraphQLInputObjectType => {
    const fields = (): GraphQLInputFieldConfigMap => {
      const fields: GraphQLInputFieldConfigMap = schema.modelType === "component" ? { id: { type: GraphQLID } } : {};
      for (const attribute of types.attributes(schema, "input")) {
        const type = isInput(schema, attribute) ? attributeInput(types, schema, attribute) : undefined;
        if (type) fields[attribute.name] = { type };
      }
      return fields;
    };
    return new GraphQLInputObjectType({ name, fields });
  });
}
