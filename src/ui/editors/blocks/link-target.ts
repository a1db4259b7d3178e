/** Where links may lead, by the rule with which the server checks a value. */

const PROTOCOLS = new Set(["http:", "https:", "ftp:", "mailto:", "tel:"]);

/** The URL, if it is one that a link or image may have. */
export function linkTarget(url: unknown): string | undefined {
  if (typeof url !== "string") return undefined;
  const absolute = url.startsWith("/") ? `https://example.com${url}` : url;
  return URL.canParse(absolute) && PROTOCOLS.has(new URL(absolute).protocol) ? url : undefined;
}
