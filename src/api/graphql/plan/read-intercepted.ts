/**
 * Reads documents for root fields through the document service, if reads of the type are intercepted. As in Strapi, only the query
 * for the rows is. The selection below the rows is then loaded without it.
 */
import type { Documents } from "../../../engine/documents/documents.ts";
import type { Params } from "../../../engine/query/parse.ts";
import type { Document } from "../../../engine/query/select.ts";
import type { ContentType } from "../../../engine/schema/model.ts";
import { visibleError } from "../format-error.ts";
import type { Operation } from "../operation.ts";
import { completeRows } from "./complete-rows.ts";
import { nodesSlot } from "./field-plan.ts";
import type { Collection } from "./pick.ts";
import { buildPageInfo, buildQuery, prepareList, selectedCollection, versionParams } from "./read.ts";
import type { RootField } from "./root-field.ts";

/** The documents of a type, if its reads are intercepted. */
export function interceptedReads({ services, reader }: Operation, type: ContentType): Documents | undefined {
  const documents = services.context.documents(type, reader);
  return documents.interceptsReads ? documents : undefined;
}

async function run<T>({ operation }: RootField, read: () => Promise<T>): Promise<T> {
  operation.isCacheable = false;
  try {
    return await read();
  } catch (error) {
    throw visibleError(error);
  }
}

/** The parameters of a list as in Strapi's resolver. Throws for parameters that the caller may not use. */
function readListParams(field: RootField) {
  const { list, filters } = prepareList(field);
  // not run: checks permissions and takes the size from the budget, since the document service reads the rows
  buildQuery(field, list);
  const sort = [field.args.sort ?? []].flat();
  const { start, limit } = list;
  const params: Params = {
    ...(sort.length === 0 ? {} : { sort }),
    start,
    limit: limit ?? -1,
    ...(filters === undefined ? {} : { filters }),
    ...versionParams(field.args),
  };
  return { list, params };
}

export async function listFrom(documents: Documents, field: RootField): Promise<unknown> {
  const { params } = readListParams(field);
  return completeRows(field, await run(field, () => documents.findMany(params)), readStatus(field));
}

const readStatus = ({ args }: RootField) => (args.status === "draft" ? "draft" : "published");

/** One row, of one document or of a single type. */
export async function documentFrom(documents: Documents, field: RootField): Promise<unknown> {
  const { type, args } = field;
  const params = versionParams(args);
  const found =
    type.kind === "singleType"
      ? await run(field, () => documents.findFirst(params))
      : await run(field, () => documents.findOne({ ...params, documentId: String(args.documentId) }));
  return completeRows(field, found, readStatus(field));
}

export async function collectionFrom(documents: Documents, field: RootField): Promise<Collection> {
  const { list, params } = readListParams(field);
  const { nodes, hasPageInfo, isCounted } = selectedCollection(field, list.limit);
  const found = await run(field, () => documents.findMany(params));
  const row: Document = {};
  for (const [key, below] of nodes) row[nodesSlot("", key)] = completeRows(field, found, readStatus(field), below);
  if (!hasPageInfo) return { row, key: "" };
  const count = isCounted ? await run(field, () => documents.count(params)) : undefined;
  return { row, key: "", ...buildPageInfo(list, count) };
}
