/** Which recorded requests have read a document, by the cache tags of their responses. */
import type { ContentType } from "../../../engine/schema/model.ts";
import { documentPart, LIST, tagName } from "../../../engine/storage/cache-tags.ts";
import type { RecordedRequest } from "../../builds/recorded-requests.ts";

const MAX_REQUESTS = 25;

function listed(requests: readonly RecordedRequest[]) {
  const shown = requests.slice(0, MAX_REQUESTS).map(({ method, path }) => `${method} ${path}`);
  return { total: requests.length, requests: shown };
}

/** Whether a tag is this one, or it with a locale or a status. */
const isOf = (tag: string, start: string): boolean => tag === start || tag.startsWith(`${start}:`);

/** `shows`: with the document; `dependsOnType`: which others of the type may change, too; `unknown`: without tags. */
export function readersOf(requests: readonly RecordedRequest[], { uid }: ContentType, documentId: string) {
  const name = tagName(uid);
  const document = name + documentPart(documentId);
  const kindOf = ({ tags }: RecordedRequest): "shows" | "dependsOnType" | "unknown" | "none" => {
    if (!tags) return "unknown";
    if (tags.some((tag) => isOf(tag, document))) return "shows";
    const isOfType = (tag: string): boolean =>
      tag === name || tag === `${name}:draft` || isOf(tag, name + LIST) || tag.startsWith(`${name}.`);
    return tags.some(isOfType) ? "dependsOnType" : "none";
  };
  const { shows = [], dependsOnType = [], unknown = [] } = Object.groupBy(requests, kindOf);
  return { shows: listed(shows), dependsOnType: listed(dependsOnType), unknown: listed(unknown) };
}
