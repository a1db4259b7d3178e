/** The union of all types, for polymorphic relations. */
import { GraphQLUnionType } from "graphql";
import type { Document } from "../../../engine/query/select.ts";
import { component, contentType, type Schema } from "../../../engine/schema/model.ts";
import { typeName } from "../names.ts";
import type { Types } from "./types.ts";

const listMembers = ({ model, shadowCrud }: Types): Schema[] =>
  [...model.components.values(), ...model.types.values()].filter(({ uid }) => shadowCrud.has(uid));

export const genericMorph = (types: Types): GraphQLUnionType =>
  types.getOrCreate("GenericMorph", "the union of all types", (name) => {
    // a file is also used by entries of components
    const galleyMember = ({ __type }: Document): string => {
      const uid = String(__type);
      const { model } = types;
      return typeName(model.components.has(uid) ? component(model, uid) : contentType(model, uid));
    };
    return new GraphQLUnionType({
      name,
      types: () => listMembers(types).map((schema) => types.object(schema)),
      resolveType: galleyMember,
      extensions: { galleyMember },
    });
  });
