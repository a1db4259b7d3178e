/**
 * Reads documents for root fields if the project's own code has middlewares or hooks for the type. As in the reference, these see
 * the query for the rows. The selection below the rows is then loaded without hooks.
 */
import type { DocumentCode } from "../../../engine/documents/own-code.ts";
import type { Params } from "../../../engine/query/parse.ts";
import type { Document } from "../../../engine/query/select.ts";
import { errorOfCode } from "../format-error.ts";
import type { Operation } from "../operation.ts";
import { completeRows } from "./complete-rows.ts";
import { nodesSlot } from "./field-plan.ts";
import type { Collection } from "./pick.ts";
import { buildQuery, pageInfoOf, prepareList, selectedCollection, versionParams } from "./read.ts";
import type { RootField } from "./root-field.ts";

/** The project's code, if it has middlewares or hooks for reads of a type. */
export function readerOf({ services }: Operation, uid: string): DocumentCode | undefined {
  const code = services.context.code?.current;
  return code?.watchesReads(uid) ? code : undefined;
}

async function runByCode(
  code: DocumentCode,
  { operation, type }: RootField,
  action: string,
  params: Params,
): Promise<unknown> {
  operation.ranOwnCode = true;
  try {
    // code may change the parameters
    return await code.run(
      type.uid,
      action,
      { ...params },
      { ...operation.reader, model: operation.services.context.model },
    );
  } catch (error) {
    throw errorOfCode(error);
  }
}

/** The parameters of a list as in the reference's resolver. Throws for parameters that the caller may not use. */
function readListParams(field: RootField) {
  const { list, filters } = prepareList(field);
  // not run: checks permissions and takes the size from the budget, since the code reads the rows
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

export async function listByCode(code: DocumentCode, field: RootField): Promise<unknown> {
  return completeRows(field, await runByCode(code, field, "findMany", readListParams(field).params), statusOf(field));
}

const statusOf = ({ args }: RootField) => (args.status === "draft" ? "draft" : "published");

/** One row, of one document or of a single type. */
export async function documentByCode(code: DocumentCode, field: RootField): Promise<unknown> {
  const { type, args } = field;
  const params = versionParams(args);
  const found =
    type.kind === "singleType"
      ? await runByCode(code, field, "findFirst", params)
      : await runByCode(code, field, "findOne", { ...params, documentId: String(args.documentId) });
  return completeRows(field, found, statusOf(field));
}

export async function collectionByCode(code: DocumentCode, field: RootField): Promise<Collection> {
  const { list, params } = readListParams(field);
  const { nodes, hasPageInfo, isCounted } = selectedCollection(field, list.limit);
  const found = await runByCode(code, field, "findMany", params);
  const row: Document = {};
  for (const [key, below] of nodes) row[nodesSlot("", key)] = completeRows(field, found, statusOf(field), below);
  if (!hasPageInfo) return { row, key: "" };
  const count = isCounted ? Number(await runByCode(code, field, "count", params)) : undefined;
  return { row, key: "", pageInfo: pageInfoOf(list, count) };
}
