/**
 * What is remembered of a document: the ids of all documents that it shows, itself first, their rows, and when each was last updated. A
 * draft that is published again without a change has another row, with the time of the former one.
 */
import { isObject } from "./client.ts";

export type Document = Readonly<Record<string, unknown>> & { readonly documentId: string };

export const isDocument = (value: unknown): value is Document =>
  isObject(value) && typeof value.documentId === "string";

/** As in "id@7@2027-01-31T10:00:00.000Z other@…": equal for documents that show the same versions in the same places. */
export function stampOf(document: Document): string {
  const parts: string[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (isObject(value)) {
      if (isDocument(value)) parts.push(`${value.documentId}@${value.id}@${value.updatedAt ?? ""}`);
      Object.values(value).forEach(visit);
    }
  };
  visit(document);
  return parts.join(" ");
}

export const idsIn = (stamp: string): string[] => stamp.split(" ").map((part) => part.slice(0, part.indexOf("@")));

/** Whether stamps tell when each document was updated. */
export const hasTimes = (stamps: Iterable<string>): boolean =>
  [...stamps].every((stamp) => stamp.split(" ").every((part) => !part.endsWith("@")));

/** The names of a list of attributes, or undefined if it has paths or stands for all. */
function namesIn(populate: unknown): readonly string[] | undefined {
  const names = typeof populate === "string" ? populate.split(",").map((name) => name.trim()) : populate;
  if (!Array.isArray(names)) return undefined;
  return names.every((name) => typeof name === "string" && /^\w+$/.test(name)) ? names : undefined;
}

/**
 * The same `populate`, with the times of documents only. Parts of `documents` without an id of their own, such as components, stay whole,
 * as does what no document has: it may be either.
 */
export function onlyTimes(populate: unknown, documents: readonly unknown[]): unknown {
  const names = namesIn(populate);
  const options = names ? Object.fromEntries(names.map((name) => [name, true])) : populate;
  if (!isObject(options)) return populate;
  return Object.fromEntries(
    Object.entries(options).map(([name, inner]) => {
      const shown = documents.flatMap((document) => (isObject(document) ? (document[name] ?? []) : []));
      // documents of several types take no fields
      const areDocuments = shown.length > 0 && shown.every((value) => isDocument(value) && !("__type" in value));
      if (!areDocuments || inner === false) return [name, inner];
      const own = isObject(inner) ? inner : {};
      const { populate: nested } = own;
      const narrowed = nested === undefined ? {} : { populate: onlyTimes(nested, shown) };
      return [name, { ...own, fields: ["updatedAt"], ...narrowed }];
    }),
  );
}
