/** Dynamic zones: a union of their components to read, and a scalar that takes any of them to write. */
import {
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLString,
  GraphQLUnionType,
  Kind,
  valueFromASTUntyped,
} from "graphql";
import type { Document } from "../../../engine/query/select.ts";
import { component, type Schema, type ZoneAttribute } from "../../../engine/schema/model.ts";
import { toRecord } from "../../../lib/is-record.ts";
import { typeName, zoneName } from "../names.ts";
import type { Types } from "./types.ts";

/** A member of every zone, as in Strapi; never returned here. */
const errorType = new GraphQLObjectType({
  name: "Error",
  fields: { code: { type: new GraphQLNonNull(GraphQLString) }, message: { type: GraphQLString } },
});

const zoneMembers = ({ model, shadowCrud }: Types, { components }: ZoneAttribute): Schema[] =>
  components.filter((uid) => shadowCrud.has(uid)).map((uid) => component(model, uid));

export function zoneUnion(types: Types, schema: Schema, attribute: ZoneAttribute): GraphQLUnionType {
  const of = `zone ${attribute.name} of ${schema.uid}`;
  return types.getOrCreate(zoneName(schema, attribute), of, (name) => {
    const galleyMember = (entry: Document): string => typeName(component(types.model, String(entry.__component)));
    return new GraphQLUnionType({
      name,
      types: () => [...zoneMembers(types, attribute).map((member) => types.object(member)), errorType],
      resolveType: galleyMember,
      extensions: { galleyMember },
    });
  });
}

/** The scalar of a zone's entries: objects with the component's type as `__typename`. */
export function zoneInput(types: Types, schema: Schema, attribute: ZoneAttribute): GraphQLScalarType {
  const of = `input of zone ${attribute.name} of ${schema.uid}`;
  return types.getOrCreate(`${zoneName(schema, attribute)}Input`, of, (name) => {
    const uids = new Map(zoneMembers(types, attribute).map((member) => [typeName(member), member.uid]));
    const parse = (value: unknown): unknown => {
      const { __typename, ...entry } = toRecord(value);
      const uid = typeof __typename === "string" ? uids.get(__typename) : undefined;
      if (!uid) throw new Error(`Component not found. expected one of: ${[...uids.keys()].join(", ")}`);
      return { __component: uid, ...entry };
    };
    return new GraphQLScalarType<unknown, unknown>({
      name,
      parseValue: parse,
      // for other literals, graphql-js reports what it expected
      parseLiteral: (node, variables) =>
        node.kind === Kind.OBJECT ? parse(valueFromASTUntyped(node, variables)) : undefined,
    });
  });
}
