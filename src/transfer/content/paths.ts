/** Places in a content file: keys, and numbers of entries of lists. */

export type ContentPath = readonly (string | number)[];

/** Keys that need no quotes; one of digits would look like the number of an entry. */
const PLAIN_KEY = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;

/** For people, and as a key: `$locales.de.zone[2].title`, `["a.b"].c`. Different paths have different texts. */
export function formatPath(path: ContentPath): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "string" && PLAIN_KEY.test(part)) text += text === "" ? part : `.${part}`;
    else text += `[${JSON.stringify(part)}]`;
  }
  return text;
}
