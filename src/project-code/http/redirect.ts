/** The `Location` header and the body of a redirect, as in Koa. */

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);

/** Normalizes absolute URLs as browsers do, so that the escaped URL is the one that they follow. */
const normalizeUrl = (url: string): string => (/^https?:\/\//i.test(url) ? new URL(url).href : url);

function decodeSafely(url: string): string {
  try {
    return decodeURI(url);
  } catch {
    return url;
  }
}

/** `isHtml`: escape the URL in the body. */
export function redirectTo(url: string, isHtml: boolean): { readonly location: string; readonly text: string } {
  const target = normalizeUrl(url);
  return {
    location: encodeURI(decodeSafely(target)),
    text: `Redirecting to ${isHtml ? escapeHtml(target) : target}.`,
  };
}
