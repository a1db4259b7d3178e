/** `ctx.fresh`: whether the client has the response already. */

const withoutWeakness = (tag: string): string => tag.trim().replace(/^W\//, "");

/** By the conditions of the request, and the validators of the response. */
export function isFresh(request: Readonly<Record<string, string | undefined>>, response: Headers): boolean {
  const modifiedSince = request["if-modified-since"];
  const tags = request["if-none-match"];
  if (!modifiedSince && !tags) return false;
  if (/(?:^|,)\s*no-cache\s*(?:,|$)/.test(request["cache-control"] ?? "")) return false;
  if (tags && tags !== "*") {
    const tag = response.get("etag");
    if (tag === null || !tags.split(",").some((one) => withoutWeakness(one) === withoutWeakness(tag))) return false;
  }
  if (!modifiedSince) return true;
  const modified = Date.parse(response.get("last-modified") ?? "");
  return modified <= Date.parse(modifiedSince);
}
