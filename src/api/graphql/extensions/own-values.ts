/**
 * Values that the project's resolvers return for the types of responses, as Strapi's `format.returnTypes` creates them:
 * `{ value }` for one document, `{ nodes, info }` for a collection. Without them, the fields pick what a plan has loaded.
 */
import {
  defaultFieldResolver,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  getNullableType,
  isInputObjectType,
  isListType,
  isObjectType,
} from "graphql";
import { createReadContext, manyLocales } from "../../../engine/documents/document-reads.ts";
import { readFilters } from "../../../engine/query/filters.ts";
import type { Params } from "../../../engine/query/parse.ts";
import { countRows } from "../../../engine/query/run.ts";
import type { ContentType, Model } from "../../../engine/schema/model.ts";
import { isRecord } from "../../../lib/is-record.ts";
import { visibleError } from "../format-error.ts";
import { collectionName, relationCollectionName, responseName } from "../names.ts";
import type { Operation } from "../operation.ts";
import { completeRows } from "../plan/complete-rows.ts";
import { LISTS } from "../plan/field-plan.ts";
import { type Collection, findReplacedNodes, pick, pickNodes, picksAs } from "../plan/pick.ts";
import { buildQuery, versionParams } from "../plan/read.ts";
import type { RootField } from "../plan/root-field.ts";
import { toClientError } from "../schema/root-resolver.ts";
import { dateTime } from "../schema/scalars.ts";

/** The value of a field; undefined if its parent is not one of the project's. */
type OwnValue = (parent: Params, field: RootField) => { readonly value: unknown } | undefined;

const completeDocument: OwnValue = (parent, field) =>
  "value" in parent ? { value: completeRows(field, parent.value) } : undefined;

/** What a plan has loaded is in a row. */
const isLoaded = (parent: Params): boolean => "row" in parent;

const completeNodes: OwnValue = (parent, field) => {
  const nodes = isLoaded(parent) ? findReplacedNodes(parent as unknown as Collection) : (parent.nodes ?? []);
  return nodes === undefined ? undefined : { value: completeRows(field, nodes) };
};

/** Page information of the arguments in `info`, which have REST's form. */
const completePageInfo: OwnValue = ({ info, ...parent }, field) => {
  if (isLoaded(parent)) return undefined;
  if (!isRecord(info) || !isRecord(info.args))
    throw new TypeError("The info of a collection has args and resourceUID, from which its pageInfo is counted");
  const { args } = info;
  const { context } = field.operation.services;
  const { model } = context;
  const { filters } = args;
  const params = { ...versionParams(args), filters };
  const query = buildQuery(field, { fields: [], where: readFilters(model, field.type, filters) });
  const scope = { locales: manyLocales(context, field.type, params) };
  const total = countRows(createReadContext(context, params), query, scope);
  const start = Number(args.start ?? 0);
  const limit = Math.max(Number(args.limit), 1);
  const value =
    args.limit === -1
      ? { total, page: 1, pageSize: total - start, pageCount: 1 }
      : { total, page: Math.floor(start / limit) + 1, pageSize: limit, pageCount: Math.ceil(total / limit) };
  return { value };
};

const completeMeta: OwnValue = (parent, field) => {
  const pageInfo = completePageInfo(parent, field);
  return pageInfo && { value: { pagination: pageInfo.value } };
};

function readOwn(ownValue: OwnValue, parent: Params, field: RootField): ReturnType<OwnValue> {
  try {
    return ownValue(parent, field);
  } catch (error) {
    throw toClientError(visibleError(error));
  }
}

function accept(field: GraphQLField<unknown, Operation> | undefined, type: ContentType, ownValue: OwnValue): void {
  if (!field) return;
  const { resolve = defaultFieldResolver } = field;
  // the project may have its own resolver
  if (![defaultFieldResolver, pick, pickNodes].includes(resolve as typeof pick)) return;
  const accepting: typeof resolve = (parent, args, operation, info) => {
    const own = isRecord(parent) ? readOwn(ownValue, parent, { operation, info, type, args }) : undefined;
    return own ? own.value : resolve(parent, args, operation, info);
  };
  field.resolve = picksAs(accepting, resolve);
}

/** Changes the resolvers of the types of responses. */
export function acceptOwnValues(model: Model, schema: GraphQLSchema): void {
  const findFields = (name: string) => {
    const type = schema.getType(name);
    return isObjectType(type) ? type.getFields() : {};
  };
  for (const type of model.types.values()) {
    const collection = findFields(collectionName(type));
    accept(findFields(responseName(type)).data, type, completeDocument);
    for (const list of LISTS) {
      accept(collection[list], type, completeNodes);
      accept(findFields(relationCollectionName(type))[list], type, completeNodes);
    }
    accept(collection.pageInfo, type, completePageInfo);
    accept(collection.meta, type, completeMeta);
  }
}

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

/** Arguments as the project's resolvers get them: as in Strapi, times are dates. */
export const convertArguments = (
  list: readonly GraphQLArgument[],
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> =>
  convertMembers(Object.fromEntries(list.map((argument) => [argument.name, argument])), values);
