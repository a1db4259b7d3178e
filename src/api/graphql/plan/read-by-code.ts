/**
 * Root fields that read documents at which a project's own code looks: its middlewares and hooks see the query for the rows,
 * as in the reference. What is selected below the rows is then loaded as for any others, without hooks.
 */
import type { DocumentCode } from "../../../documents/own-code.ts";
import type { Params } from "../../../query/parse.ts";
import type { Document } from "../../../query/select.ts";
import { errorOfCode } from "../format-error.ts";
import type { Operation } from "../operation.ts";
import { completeRows } from "./complete-rows.ts";
import { nodesSlot } from "./field-plan.ts";
import type { Collection } from "./pick.ts";
import { listRead, pageInfoOf, queryOf, selectedCollection, versionParams } from "./read.ts";
import type { RootField } from "./root-field.ts";

/** The project's code, if it has middlewares or hooks for reads of a type. */
export function readerOf({ services }: Operation, uid: string): DocumentCode | undefined {
  const code = services.context.code?.current;
  return code?.watchesReads(uid) ? code : undefined;
}

async function run(
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
function listOf(field: RootField) {
  const { list, filters } = listRead(field);
  // not run: checks permissions and takes the size from the budget, since the code reads the rows
  queryOf(field, list);
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
  return completeRows(field, await run(code, field, "findMany", listOf(field).params), statusOf(field));
}

const statusOf = ({ args }: RootField) => (args.status === "draft" ? "draft" : "published");

/** One row, of one document or of a single type. */
export async function oneByCode(code: DocumentCode, field: RootField): Promise<unknown> {
  const { type, args } = field;
  const params = versionParams(args);
  const found =
    type.kind === "singleType"
      ? await run(code, field, "findFirst", params)
      : await run(code, field, "findOne", { ...params, documentId: String(args.documentId) });
  return completeRows(field, found, statusOf(field));
}

export async function collectionByCode(code: DocumentCode, field: RootField): Promise<Collection> {
  const { list, params } = listOf(field);
  const { nodes, hasPageInfo, isCounted } = selectedCollection(field, list.limit);
  const found = await run(code, field, "findMany", params);
  const row: Document = {};
  for (const [key, below] of nodes) row[nodesSlot("", key)] = completeRows(field, found, statusOf(field), below);
  if (!hasPageInfo) return { row, key: "" };
  const count = isCounted ? Number(await run(code, field, "count", params)) : undefined;
  return { row, key: "", pageInfo: pageInfoOf(list, count) };
}
