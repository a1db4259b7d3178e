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

/** Percent-encodes what a header must not contain. As in Koa, what is encoded already stays, and so do brackets, `\\`, `^` and `|`. */
const encodeUrl = (url: string): string =>
  url
    .toWellFormed()
    .split(/(%[\da-f]{2})/i)
    .map((part, index) => (index % 2 === 1 ? part : encodeURI(part).replace(/%5[BCDE]|%7C/g, decodeURIComponent)))
    .join("");

/** `isHtml`: escape the URL in the body. */
export function redirectTo(url: string, isHtml: boolean): { readonly location: string; readonly text: string } {
  const target = normalizeUrl(url);
  return {
    location: encodeUrl(target),
    text: `Redirecting to ${isHtml ? escapeHtml(target) : target}.`,
  };
}

interface Referred {
  readonly get: (name: string) => string;
  readonly origin: string;
  readonly host: string;
}

/** The `Referer` of the request; undefined for one of another origin. */
export function referrerOf(request: Referred): string | undefined {
  const referrer = request.get("referrer");
  return URL.parse(referrer, `${request.origin}/`)?.host === request.host ? referrer : undefined;
}
