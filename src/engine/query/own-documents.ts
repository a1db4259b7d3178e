/** Makes a document for each place in a result, for callers that change what they read: the author of two articles is two documents. */
import { isRecord } from "../../lib/is-record.ts";
import type { Document } from "./select.ts";
import type { Populate } from "./tree.ts";

/** What is populated below a document. */
const populatesOf = ({ query, on }: Populate, { __component, __type }: Document): readonly Populate[] =>
  (query ?? on?.get(String(__component ?? __type)))?.populate ?? [];

function copyDocument(document: Document, populates: readonly Populate[]): Document {
  const copy = { ...document };
  // of a JSON attribute; what is populated is copied later
  for (const [name, value] of Object.entries(copy))
    if (isRecord(value) || Array.isArray(value))
      if (!populates.some(({ key }) => key === name)) copy[name] = structuredClone(value);
  return copy;
}

export function ownDocuments(
  documents: readonly Document[],
  populates: readonly Populate[],
  seen = new Set<Document>(),
): void {
  for (const item of populates) {
    const own = (value: unknown): unknown => {
      if (!isRecord(value) || item.count) return value;
      const below = populatesOf(item, value);
      const document = seen.has(value) ? copyDocument(value, below) : value;
      seen.add(document);
      if (below.length > 0) ownDocuments([document], below, seen);
      return document;
    };
    for (const document of documents) {
      const value = document[item.key];
      document[item.key] = Array.isArray(value) ? value.map(own) : own(value);
    }
  }
}
