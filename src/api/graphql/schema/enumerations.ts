/** The enumerations of a model: stored values by their GraphQL names. */
import { GraphQLEnumType } from "graphql";
import { enumValueName } from "../../../engine/schema/enum-names.ts";
import type { ScalarAttribute, Schema } from "../../../engine/schema/model.ts";
import { enumName } from "../names.ts";
import type { Types } from "./types.ts";

export function enumeration(types: Types, schema: Schema, attribute: ScalarAttribute): GraphQLEnumType {
  const values = attribute.definition.enum as readonly string[];
  // two attributes may share a name if they have the same values
  return types.getOrCreate(enumName(schema, attribute), `the values ${values.join(", ")}`, (name) => {
    const entries = values.map((value) => [enumValueName(value), { value }] as const);
    return new GraphQLEnumType({ name, values: Object.fromEntries(entries) });
  });
}
