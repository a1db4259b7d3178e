/** Arguments as the project's resolvers get them: as in Strapi, times are dates. */
import { type GraphQLArgument, type GraphQLInputType, getNullableType, isInputObjectType, isListType } from "graphql";
import { isRecord } from "../../../lib/is-record.ts";
import { dateTime } from "../schema/scalars.ts";

type Members = Readonly<Record<string, { readonly type: GraphQLInputType }>>;

function convertValue(givenType: GraphQLInputType, value: unknown): unknown {
  const type = getNullableType(givenType);
  if (isListType(type)) return Array.isArray(value) ? value.map((item) => convertValue(type.ofType, item)) : value;
  if (isInputObjectType(type)) return isRecord(value) ? convertMembers(type.getFields(), value) : value;
  return type.name === dateTime.name && typeof value === "string" ? new Date(value) : value;
}

const convertMembers = (members: Members, values: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      members[name] ? convertValue(members[name].type, value) : value,
    ]),
  );

export const convertArguments = (
  list: readonly GraphQLArgument[],
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> =>
  convertMembers(Object.fromEntries(list.map((argument) => [argument.name, argument])), values);
