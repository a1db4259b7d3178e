/** Headers of a response whose request did not pass all of `config/middlewares`. */

/** The headers that each of the server's own middlewares sets: none where the chain ended before it. */
const headersOf: Readonly<Record<string, RegExp>> = {
  cors: /^(access-control-|vary$)/,
  poweredBy: /^x-powered-by$/,
  security:
    /^(content-security-policy|referrer-policy|strict-transport-security|x-(content-type-options|dns-prefetch-control|download-options|frame-options|permitted-cross-domain-policies))$/,
};

/** Removes what an entry of `config/middlewares` would have set, since the request did not come as far. */
export function dropHeaders(headers: Headers, entry: { readonly builtin: string } | { readonly name: string }): void {
  const own = "builtin" in entry ? headersOf[entry.builtin] : undefined;
  if (own) for (const name of [...headers.keys()]) if (own.test(name)) headers.delete(name);
}
