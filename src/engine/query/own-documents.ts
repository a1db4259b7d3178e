/** Makes a document for each place in a result, for callers that change what they read: the author of two articles is two documents. */
import { isRecord } from "../../lib/is-record.ts";
import type { Document } from "./select.ts";
import type { Populate } from "./tree.ts";

const NONE: readonly Populate[] = [];

/** What is populated below a document. */
const populatesOf = ({ query, on }: Populate, { __component, __type }: Document): readonly Populate[] =>
  (query ?? on?.get(String(__component ?? __type)))?.populate ?? NONE;

function copyDocument(document: Document, populates: readonly Populate[]): Document {
  const copy = { ...document };
  for (const name in copy) {
    const value = copy[name];
    // of a JSON attribute; what is populated is copied later
    if (typeof value === "object" && value !== null && !populates.some(({ key }) => key === name))
      copy[name] = structuredClone(value);
  }
  return copy;
}

export function ownDocuments(
  documents: readonly Document[],
  populates: readonly Populate[],
  seen = new Set<Document>(),
): void {
  for (const item of populates) {
    if (item.count) continue;
    const own = (value: Document): Document => {
      const below = populatesOf(item, value);
      const document = seen.has(value) ? copyDocument(value, below) : value;
      seen.add(document);
      if (below.length > 0) ownDocuments([document], below, seen);
      return document;
    };
    for (const document of documents) {
      const value = document[item.key];
      if (Array.isArray(value)) document[item.key] = value.map(own);
      else if (isRecord(value)) document[item.key] = own(value);
    }
  }
}
