/** The parts of cache tags that one write makes stale are joined to one, which takes a row instead of some twenty. */
import { FILE } from "../../schema/builtin/index.ts";
import { CHANGED, documentPart, linkOf, type TagPart } from "../cache-tags.ts";
import type { Table } from "../layout.ts";

/** The attribute of files that shows what links to them. */
export const USES = "related";

const WHOLE = ":*";

/** Short for a document and each attribute that links to others. No tag has it. */
export const wholeDocumentPart = (documentId: string): TagPart => documentPart(documentId) + WHOLE;

/** No part has it. */
const SEPARATOR = " ";

export const joinParts = (parts: readonly TagPart[]): TagPart => parts.join(SEPARATOR);

/** The parts that are stale with those that were joined. A value that a document has got or lost is one that it has, or had. */
export function splitParts(joined: TagPart, { links = [], uid }: Table): readonly TagPart[] {
  return joined.split(SEPARATOR).flatMap((part) => {
    if (part.endsWith(CHANGED)) return [part, part.slice(0, -CHANGED.length)];
    if (!part.endsWith(WHOLE)) return part;
    const document = part.slice(0, -WHOLE.length);
    const attributes = links.map(({ name }) => document + linkOf(name));
    return [document, ...attributes, ...(uid === FILE ? [document + linkOf(USES)] : [])];
  });
}
