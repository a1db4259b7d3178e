/** Everything that GraphQL answers of a model's types, as operations made from a server's own schema. */
import {
  buildClientSchema,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  type IntrospectionQuery,
  isAbstractType,
  isLeafType,
  isObjectType,
} from "graphql";

/** Levels of objects below a document. */
const DEPTH = 2;
const PAGE_SIZE = 25;
/** Lists in documents are cut off at ten otherwise. */
const NESTED = "(pagination: { limit: 100 })";

const hasArgument = (field: GraphQLField<unknown, unknown>, name: string): boolean =>
  field.args.some((argument) => argument.name === name);

/** Strapi refuses to select what uses a file. */
const UNION_OF_ALL = "GenericMorph";
const isSelectable = (field: GraphQLField<unknown, unknown>): boolean =>
  !field.name.endsWith("_connection") && field.name !== "id" && getNamedType(field.type).name !== UNION_OF_ALL;

interface Selectable {
  readonly schema: GraphQLSchema;
  readonly withheld: ReadonlySet<string>;
}

function selection(from: Selectable, type: GraphQLNamedType, depth: number): string | undefined {
  if (isAbstractType(type)) {
    const members = from.schema.getPossibleTypes(type).flatMap((member) => {
      const fields = selectFields(from, member, depth, `${member.name}_`);
      return fields === "" ? [] : [`... on ${member.name} { ${fields} }`];
    });
    return `{ __typename ${members.join(" ")} }`;
  }
  const fields = selectFields(from, type, depth, "");
  return fields === "" ? undefined : `{ ${fields} }`;
}

/** `prefix`: members of a union may give a name different types. */
function selectFields(from: Selectable, type: GraphQLNamedType, depth: number, prefix: string): string {
  if (!isObjectType(type)) return "";
  const fields = Object.values(type.getFields()).filter(
    (field) => isSelectable(field) && !from.withheld.has(field.name),
  );
  return fields
    .flatMap((field) => {
      const alias = prefix === "" ? "" : `${prefix}${field.name}: `;
      const target = getNamedType(field.type);
      if (isLeafType(target)) return [`${alias}${field.name}`];
      const below = depth > 0 ? selection(from, target, depth - 1) : undefined;
      return below ? [`${alias}${field.name}${hasArgument(field, "pagination") ? NESTED : ""} ${below}`] : [];
    })
    .join(" ");
}

export interface GraphqlQuery {
  readonly name: string;
  readonly query: string;
}

/** Query fields with documents of the project, for both statuses and every locale, a page each. */
export function graphqlQueries(
  introspection: IntrospectionQuery,
  locales: readonly string[],
  /** Of documents, by the name of the field. */
  count: (field: string) => number,
  /** Names of fields that are not selected. */
  withheld: ReadonlySet<string>,
): GraphqlQuery[] {
  const schema = buildClientSchema(introspection);
  return Object.values(schema.getQueryType()!.getFields()).flatMap((field) => {
    const target = getNamedType(field.type);
    const isList = hasArgument(field, "pagination") && String(field.type).includes("[");
    const isSingle = !field.args.some(({ type }) => String(type).endsWith("!")) && hasArgument(field, "status");
    if (!isObjectType(target) || (!isList && !isSingle) || field.name.endsWith("_connection")) return [];
    if (!isList && hasArgument(field, "documentId")) return [];
    const selected = selection({ schema, withheld }, target, DEPTH);
    const statuses = hasArgument(field, "status") ? ["PUBLISHED", "DRAFT"] : [undefined];
    const own = hasArgument(field, "locale") ? locales : [undefined];
    return statuses.flatMap((status) =>
      own.flatMap((locale) =>
        Array.from({ length: isList ? Math.max(1, Math.ceil(count(field.name) / PAGE_SIZE)) : 1 }, (_, page) => {
          const given = [
            isList ? `pagination: { page: ${page + 1}, pageSize: ${PAGE_SIZE} }` : "",
            status ? `status: ${status}` : "",
            locale ? `locale: ${JSON.stringify(locale)}` : "",
          ].filter(Boolean);
          const text = given.length === 0 ? "" : `(${given.join(", ")})`;
          return { name: `${field.name}${text}`, query: `{ ${field.name}${text} ${selected} }` };
        }),
      ),
    );
  });
}
