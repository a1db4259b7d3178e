/** Removes headers of built-in middlewares that a request did not reach. */

/** The headers that each built-in middleware sets. */
const headersOf: Readonly<Record<string, RegExp>> = {
  cors: /^(access-control-|vary$)/,
  poweredBy: /^x-powered-by$/,
  security:
    /^(content-security-policy(-report-only)?|cross-origin-(embedder|opener|resource)-policy|expect-ct|origin-agent-cluster|referrer-policy|strict-transport-security|x-(content-type-options|dns-prefetch-control|download-options|frame-options|permitted-cross-domain-policies|xss-protection))$/,
};

/** Removes the headers of an entry of `config/middlewares`. */
export function dropHeaders(headers: Headers, entry: { readonly builtin: string } | { readonly name: string }): void {
  const pattern = "builtin" in entry ? headersOf[entry.builtin] : undefined;
  if (pattern) for (const name of [...headers.keys()]) if (pattern.test(name)) headers.delete(name);
}
