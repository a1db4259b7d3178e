/**
 * Finds routes as the reference's router does, for paths that Elysia's does not take: letter case does not count in fixed
 * segments, and one slash at the end is accepted. Only requests that no route took come here, so that it looks at every
 * route.
 */
import type { HttpRoute } from "../http-route.ts";

export interface LooseMatch {
  readonly route: HttpRoute;
  readonly params: Readonly<Record<string, string>>;
}

const segmentsOf = (path: string): string[] => path.slice(1).split("/");

/** Every route of a path that can be decoded, whatever its method; where several fit, fixed segments come first. */
export function looseMatches(routes: readonly HttpRoute[], path: string): LooseMatch[] {
  const segments = segmentsOf(path);
  const hasSlash = segments.length > 1 && segments.at(-1) === "";
  if (hasSlash) segments.pop();
  if (segments.includes("")) return [];
  return routes
    .flatMap((route) => {
      const match = matchRoute(segmentsOf(route.path), segments, hasSlash);
      return match ? [{ route, ...match }] : [];
    })
    .sort((a, b) => (a.rank < b.rank ? -1 : a.rank > b.rank ? 1 : 0));
}

/** `rank` sorts by the kind of each segment in turn: fixed, parameter, rest. */
function matchRoute(pattern: readonly string[], segments: readonly string[], hasSlash: boolean) {
  const params: Record<string, string> = {};
  let rank = "";
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index];
    if (part === "*") {
      if (segment === undefined && !hasSlash) return undefined;
      params["*"] = segments.slice(index).join("/");
      return { params, rank: `${rank}2` };
    }
    if (segment === undefined) return undefined;
    if (part.startsWith(":")) {
      params[part.slice(1)] = decodeURIComponent(segment);
      rank += "1";
    } else if (part.toLowerCase() === segment.toLowerCase()) rank += "0";
    else return undefined;
  }
  return pattern.length === segments.length ? { params, rank } : undefined;
}
