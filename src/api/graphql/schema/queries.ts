/** Root fields that read: one document, a list, and a collection with information about the page. */
import { type GraphQLFieldConfig, GraphQLList, GraphQLNonNull } from "graphql";
import type { Documents } from "../../../engine/documents/documents.ts";
import type { Params } from "../../../engine/query/parse.ts";
import type { ContentType } from "../../../engine/schema/model.ts";
import { whenReady } from "../../../lib/when-ready.ts";
import { connectionName, listQueryName, queryName } from "../names.ts";
import type { Operation } from "../operation.ts";
import type { RootPlan } from "../plan/field-plan.ts";
import { readCollection, readList, readOne } from "../plan/read.ts";
import { collectionFrom, documentFrom, interceptedReads, listFrom } from "../plan/read-intercepted.ts";
import type { RootField } from "../plan/root-field.ts";
import { many, one } from "./arguments.ts";
import { collection } from "./collections.ts";
import { rootFieldRules } from "./offers.ts";
import { type RootFields, rootField } from "./root-resolver.ts";
import type { Types } from "./types.ts";

type Root = Pick<GraphQLFieldConfig<unknown, Operation, Params>, "resolve" | "extensions">;

/** The resolver and the plan of a reading root field; operations are prepared from the plan. */
function reads(plan: RootPlan, fromService: (documents: Documents, field: RootField) => Promise<unknown>): Root {
  const { type, action, read } = plan;
  const work = (field: RootField): unknown => {
    const documents = interceptedReads(field.operation, type);
    return documents ? fromService(documents, field) : whenReady(read(field), (value) => field.operation.paced(value));
  };
  return { resolve: rootField(type, action, work), extensions: { galleyRoot: plan } };
}

export function createQueries(types: Types, type: ContentType): RootFields {
  const offer = rootFieldRules(type);
  if (!offer) return {};
  const isSingle = type.kind === "singleType";
  const { find, findOne, findPage = find } = offer;
  const row = types.object(type);
  const fields: RootFields = {};
  if (types.shadowCrud.hasAction(type.uid, isSingle ? "find" : "findOne")) {
    const plan = { type, action: findOne, read: readOne };
    fields[queryName(type)] = { type: row, args: one(type), ...reads(plan, documentFrom) };
  }
  if (isSingle || !types.shadowCrud.hasAction(type.uid, "find")) return fields;
  const args = many(types, type);
  return {
    ...fields,
    [connectionName(listQueryName(type))]: {
      type: collection(types, type),
      args,
      ...reads({ type, action: findPage, read: readCollection }, collectionFrom),
    },
    [listQueryName(type)]: {
      type: new GraphQLNonNull(new GraphQLList(row)),
      args,
      ...reads({ type, action: find, read: readList }, listFrom),
    },
  };
}
