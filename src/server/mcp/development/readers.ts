/** Which recorded requests have read a document, by the cache tags of their responses. */
import type { ContentType } from "../../../engine/schema/model.ts";
import { documentPart, tagName } from "../../../engine/storage/cache-tags.ts";
import type { RecordedRequest } from "../../builds/recorded-requests.ts";

const MAX_REQUESTS = 25;

function listed(requests: readonly RecordedRequest[]) {
  const shown = requests.slice(0, MAX_REQUESTS).map(({ method, path }) => `${method} ${path}`);
  return { total: requests.length, requests: shown };
}

/** `shows`: with the document; `dependsOnType`: which others of the type may change, too; `unknown`: without tags. */
export function readersOf(requests: readonly RecordedRequest[], { uid }: ContentType, documentId: string) {
  const name = tagName(uid);
  const document = name + documentPart(documentId);
  const kindOf = ({ tags }: RecordedRequest): "shows" | "dependsOnType" | "unknown" | "none" => {
    if (!tags) return "unknown";
    if (tags.some((tag) => tag === document || tag.startsWith(`${document}:`))) return "shows";
    const isOfType = (tag: string): boolean =>
      tag === name || tag === `${name}:draft` || tag.startsWith(`${name}:list`) || tag.startsWith(`${name}.`);
    return tags.some(isOfType) ? "dependsOnType" : "none";
  };
  const { shows = [], dependsOnType = [], unknown = [] } = Object.groupBy(requests, kindOf);
  return { shows: listed(shows), dependsOnType: listed(dependsOnType), unknown: listed(unknown) };
}
