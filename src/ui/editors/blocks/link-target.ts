/** Where links may lead, by the rule with which the server checks a value. */

const PROTOCOLS = new Set(["http:", "https:", "ftp:", "mailto:", "tel:"]);

/** The URL, if it is one that a link or image may have. */
export function linkTarget(url: unknown): string | undefined {
  if (typeof url !== "string") return undefined;
  const absolute = url.startsWith("/") ? `https://example.com${url}` : url;
  return URL.canParse(absolute) && PROTOCOLS.has(new URL(absolute).protocol) ? url : undefined;
}

/** Where a link leads that somebody types, who may leave out the protocol of a site or an email address. */
export function typedTarget(text: string): string | undefined {
  const isSite = /^[^\s/:@]+\.\p{L}{2,}(?:[/?#:]|$)/u.test(text);
  const isEmail = /^[^\s/:@]+@[^\s/:@]+\.\p{L}{2,}$/u.test(text);
  return (
    linkTarget(text) ?? (isSite ? linkTarget(`https://${text}`) : isEmail ? linkTarget(`mailto:${text}`) : undefined)
  );
}
