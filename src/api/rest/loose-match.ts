/**
 * Matches routes like Strapi's router, for paths that Elysia's does not match: fixed segments are case-insensitive, and
 * one trailing slash is accepted.
 */
import type { HttpRoute } from "../http-route.ts";
import { decodeSegment } from "./path.ts";

export interface LooseMatch {
  readonly route: HttpRoute;
  readonly params: Readonly<Record<string, string>>;
}

interface Pattern {
  readonly route: HttpRoute;
  /** In lower case, except for names of parameters. */
  readonly segments: readonly string[];
}

const splitPath = (path: string): string[] => path.slice(1).split("/");

const isFixed = (segment: string): boolean => !segment.startsWith(":") && segment !== "*";

/** The segments in front of the first parameter. */
function findPrefix({ segments }: Pattern): string {
  const end = segments.findIndex((segment) => !isFixed(segment));
  return (end < 0 ? segments : segments.slice(0, end)).join("/");
}

/** Returns a function that finds all routes for a path, of any method, those with fixed segments first. */
export function looseMatcher(routes: readonly HttpRoute[]): (path: string) => LooseMatch[] {
  const patterns = routes.map((route) => ({
    route,
    segments: splitPath(route.path).map((segment) => (isFixed(segment) ? segment.toLowerCase() : segment)),
  }));
  const byPrefix = Map.groupBy(patterns, findPrefix);
  const longest = Math.max(...patterns.map(({ segments }) => segments.length));
  return (path) => {
    const segments = splitPath(path);
    const hasSlash = segments.length > 1 && segments.at(-1) === "";
    if (hasSlash) segments.pop();
    if (segments.includes("")) return [];
    const matches: (LooseMatch & { readonly rank: string })[] = [];
    let prefix = "";
    for (const segment of segments.slice(0, longest)) {
      prefix += (prefix && "/") + segment.toLowerCase();
      for (const pattern of byPrefix.get(prefix) ?? []) {
        const match = matchPattern(pattern, segments, hasSlash);
        if (match) matches.push(match);
      }
    }
    return matches.sort((a, b) => (a.rank < b.rank ? -1 : a.rank > b.rank ? 1 : 0));
  };
}

/** `rank` sorts by the kinds of segments: fixed, parameter, rest. */
function matchPattern({ route, segments: pattern }: Pattern, segments: readonly string[], hasSlash: boolean) {
  const params: Record<string, string> = {};
  let rank = "";
  for (const [index, patternSegment] of pattern.entries()) {
    const segment = segments[index];
    if (patternSegment === "*") {
      if (segment === undefined && !hasSlash) return undefined;
      return { route, params: { ...params, "*": segments.slice(index).join("/") }, rank: `${rank}2` };
    }
    if (segment === undefined) return undefined;
    if (patternSegment.startsWith(":")) {
      params[patternSegment.slice(1)] = decodeSegment(segment);
      rank += "1";
    } else if (patternSegment === segment.toLowerCase()) rank += "0";
    else return undefined;
  }
  return pattern.length === segments.length ? { route, params, rank } : undefined;
}
