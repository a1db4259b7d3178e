/** Reads of documents that something beside the database takes part in. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import type { Params } from "../../engine/query/parse.ts";
import type { Document } from "../../engine/query/select.ts";
import type { ContentType } from "../../engine/schema/model.ts";
import { pickBy } from "../../lib/records.ts";
import type { MaybePromise } from "../../lib/when-ready.ts";

type Read = "findMany" | "findOne";

/** As in Strapi, hooks find components, media and what relations lead to or how many they are. */
const populateAll = (type: ContentType, read: Read): Params =>
  Object.fromEntries(
    [...type.attributes.values()].flatMap((attribute) => {
      if (attribute.kind === "scalar" || attribute.system) return [];
      const isCounted = attribute.kind === "relation" && (read === "findOne" || attribute.many);
      return [[attribute.name, isCounted ? { count: true } : true]];
    }),
  );

/**
 * The rows that were found, as reads of the document service return them: with its values of scalar attributes, and without rows
 * that it leaves out. `read`: its action. No promise where nothing takes part, so that what follows is read from the same snapshot.
 */
export function interceptRows(
  context: DocumentsContext,
  type: ContentType,
  rows: readonly Document[],
  read: Read,
  { locale, status }: Params,
): MaybePromise<readonly Document[]> {
  const documents = context.documents(type);
  const [first] = rows;
  if (!documents.interceptsReads || !first) return rows;
  const populate = populateAll(type, read);
  const params = { ...(locale ? { locale } : {}), ...(status ? { status } : {}), populate };
  const merge = (found: readonly (Document | null)[]): readonly Document[] =>
    rows.flatMap((row) => {
      const returned = found.find((document) => document?.id === row.id);
      if (!returned) return [];
      const isReplaced = (name: string): boolean => name in row && type.attributes.get(name)?.kind === "scalar";
      return [{ ...row, ...pickBy(returned, (_, name) => isReplaced(name)) }];
    });
  if (read === "findOne")
    return documents.findOne({ ...params, documentId: first.documentId as string }).then((found) => merge([found]));
  const filters = { id: { $in: rows.map(({ id }) => id) } };
  return documents.findMany({ ...params, filters, limit: rows.length }).then(merge);
}
