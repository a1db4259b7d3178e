/** Reads of documents that something beside the database takes part in. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import type { Params } from "../../engine/query/parse.ts";
import type { Document } from "../../engine/query/select.ts";
import type { ContentType } from "../../engine/schema/model.ts";
import { pickBy } from "../../lib/records.ts";

/**
 * The rows that were found, as reads of the document service return them: with its values of scalar attributes, and without rows
 * that it leaves out. `read`: its action.
 */
export async function interceptRows(
  context: DocumentsContext,
  type: ContentType,
  rows: readonly Document[],
  read: "findMany" | "findOne",
  { locale, status }: Params,
): Promise<readonly Document[]> {
  const documents = context.documents(type);
  const [first] = rows;
  if (!documents.interceptsReads || !first) return rows;
  const params = { ...(locale ? { locale } : {}), ...(status ? { status } : {}) };
  const found =
    read === "findOne"
      ? [await documents.findOne({ ...params, documentId: first.documentId as string })]
      : await documents.findMany({
          ...params,
          filters: { id: { $in: rows.map(({ id }) => id) } },
          limit: rows.length,
        });
  return rows.flatMap((row): readonly Document[] => {
    const returned = found.find((document) => document?.id === row.id);
    if (!returned) return [];
    const isReplaced = (name: string): boolean => name in row && type.attributes.get(name)?.kind === "scalar";
    return [{ ...row, ...pickBy(returned, (_, name) => isReplaced(name)) }];
  });
}
