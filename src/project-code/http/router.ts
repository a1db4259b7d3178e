/** Finds the routes that fit a request, in the order in which they were added: the first one answers. */
import { match as compile, type MatchFunction } from "path-to-regexp";

export interface RoutePattern {
  /** In upper case; `ALL` is any. */
  readonly method: string;
  /** With parameters and regular expressions, as Koa's router takes them. */
  readonly path: string;
}

export interface RouteMatch<R> {
  readonly route: R;
  readonly params: Record<string, string>;
}

interface Compiled<R> {
  readonly route: R;
  readonly method: string;
  readonly match: MatchFunction<Record<string, string>>;
  /** The path as it is compared first; undefined for one with parameters. */
  readonly fixed: string | undefined;
  /** What every path of the pattern begins with. */
  readonly prefix: string;
}

const PARAMETER = /[:(*?+{]/;

/** A value that cannot be decoded stays as it is. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const plain = (path: string): string =>
  (path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path).toLowerCase();

export class Router<R extends RoutePattern> {
  readonly #routes: Compiled<R>[];

  constructor(routes: readonly R[]) {
    this.#routes = routes.map((route) => {
      const at = route.path.search(PARAMETER);
      return {
        route,
        method: route.method.toUpperCase(),
        match: compile<Record<string, string>>(route.path.replace(/(^|\/)\*(?=$|\/)/g, "$1(.*)"), { decode }),
        fixed: at < 0 ? plain(route.path) : undefined,
        prefix: (at < 0 ? route.path : route.path.slice(0, route.path.lastIndexOf("/", at))).toLowerCase(),
      };
    });
  }

  /** `path` is as it was sent. */
  find(method: string, path: string): RouteMatch<R> | undefined {
    const asked = method === "HEAD" ? "GET" : method;
    const lower = path.toLowerCase();
    for (const entry of this.#routes) {
      if (entry.method !== asked && entry.method !== "ALL") continue;
      if (entry.fixed !== undefined) {
        if (plain(lower) === entry.fixed) return { route: entry.route, params: {} };
        continue;
      }
      if (!lower.startsWith(entry.prefix)) continue;
      const found = entry.match(path);
      if (found) return { route: entry.route, params: { ...found.params } };
    }
    return undefined;
  }
}
