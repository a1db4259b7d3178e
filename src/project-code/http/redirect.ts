/** Where a redirect leads, and its text, as Koa writes them. */

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);

/** URLs with a host get the form that browsers read, so that what is escaped is what they follow. */
const normalizeUrl = (url: string): string => (/^https?:\/\//i.test(url) ? new URL(url).href : url);

function decodeSafely(url: string): string {
  try {
    return decodeURI(url);
  } catch {
    return url;
  }
}

/** `url` as it is sent in a header, and in the body. */
export function redirectTo(url: string, isHtml: boolean): { readonly location: string; readonly text: string } {
  const target = normalizeUrl(url);
  return {
    location: encodeURI(decodeSafely(target)),
    text: `Redirecting to ${isHtml ? escapeHtml(target) : target}.`,
  };
}
