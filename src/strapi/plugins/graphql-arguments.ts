/** Arguments of GraphQL queries as parameters of the data layers: `service("utils").mappers` and parts of `service("builders")`. */
import { isRecord } from "../../lib/is-record.ts";
import { mapValues, pickBy } from "../../lib/records.ts";
import type { Members } from "../loader/plugin.ts";
import { strapiUtils } from "../packages/utils.ts";
import type { CodeSchema } from "./graphql-names.ts";

/** Filters of GraphQL are named as those of the data layers, without the dollar sign. */
const OPERATORS = Object.fromEntries(
  (
    "and or not eq eqi ne nei startsWith endsWith contains notContains containsi notContainsi gt gte lt lte null " +
    "notNull in notIn between"
  )
    .split(" ")
    .map((name) => [name, { fieldName: name, strapiOperator: `$${name}` }]),
);
const JUNCTIONS = new Set(["and", "or", "not"]);
const IDS = new Set(["id", "documentId"]);

export interface ArgumentParts {
  readonly scalars: Readonly<Record<string, string>>;
  /** The schema of a content-type or component. */
  readonly findSchema: (uid: string) => CodeSchema | undefined;
  readonly config: (path: string) => unknown;
}

/** Operators at any depth. Times are values. */
function renamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renamed);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [
      Object.hasOwn(OPERATORS, key) ? OPERATORS[key]!.strapiOperator : key,
      renamed(part),
    ]),
  );
}

/** Filters without keys that are neither attributes nor operators. */
export function queryFilters(filters: unknown, schema: CodeSchema | undefined, parts: ArgumentParts): unknown {
  if (filters === null || filters === undefined) return {};
  if (Array.isArray(filters)) return filters.map((each) => queryFilters(each, schema, parts));
  const attributes = schema?.attributes ?? {};
  const found = Object.entries(filters).flatMap(([key, value]): [string, unknown][] => {
    const attribute = attributes[key];
    if (IDS.has(key)) return [[key, renamed(value)]];
    if (!isRecord(attribute)) return JUNCTIONS.has(key) ? [[`$${key}`, queryFilters(value, schema, parts)]] : [];
    const { type, target, component } = attribute as { readonly [name: string]: string };
    if (Object.hasOwn(parts.scalars, String(type))) return [[key, renamed(value)]];
    const uid = type === "component" ? component : type === "media" ? "plugin::upload.file" : target;
    if (type !== "relation" && type !== "media" && type !== "component") return [];
    return [[key, queryFilters(value, parts.findSchema(String(uid)), parts)]];
  });
  return Object.fromEntries(found);
}

export const graphqlMappers = (parts: ArgumentParts): Members => {
  const entityToResponseEntity = (entity: { readonly id?: unknown }) => ({ id: entity.id, attributes: entity });
  return {
    graphQLFiltersToStrapiQuery: (filters: unknown, schema: CodeSchema) => queryFilters(filters, schema, parts),
    strapiScalarToGraphQLScalar: (type: string) => parts.scalars[type],
    entityToResponseEntity,
    entitiesToResponseEntities: (entities: readonly { readonly id?: unknown }[]) =>
      entities.map(entityToResponseEntity),
  };
};

interface ArgumentOptions {
  readonly contentType: CodeSchema;
  readonly usePagination?: boolean;
}

export const graphqlBuilders = (parts: ArgumentParts): Members => ({
  filters: { operators: OPERATORS },
  utils: {
    transformArgs: (args: Members, { contentType, usePagination = false }: ArgumentOptions): Members => {
      const { pagination = {}, filters, sort, ...others } = args;
      const limit = parts.config("defaultLimit");
      const limits = {
        maxLimit: parts.config("maxLimit") as number,
        ...(limit === undefined
          ? {}
          : { defaults: { offset: { limit: limit as number }, page: { pageSize: limit as number } } }),
      };
      return {
        ...others,
        ...(usePagination
          ? strapiUtils().pagination.withDefaultPagination(pagination as Record<string, number>, limits)
          : {}),
        ...(filters ? { filters: queryFilters(filters, contentType, parts) } : {}),
        ...(strapiUtils().hasSort(sort) ? { sort } : {}),
      };
    },
    getUniqueScalarAttributes: (attributes: Readonly<Record<string, unknown>>) =>
      pickBy(
        attributes,
        (attribute) => isRecord(attribute) && attribute.unique && Object.hasOwn(parts.scalars, String(attribute.type)),
      ),
    scalarAttributesToFiltersMap: (attributes: Readonly<Record<string, { readonly type: string }>>) =>
      mapValues(attributes, ({ type }) => `${parts.scalars[type]}FilterInput`),
  },
});
