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
  readonly params: Readonly<Record<string, string>>;
}

interface Compiled<R> {
  readonly route: R;
  /** Its place among all routes. */
  readonly at: number;
  readonly match: MatchFunction<Record<string, string>>;
  /** The path as it is compared first; undefined for one with parameters. */
  readonly fixed: string | undefined;
  /** What every path of the pattern begins with. */
  readonly prefix: string;
}

interface MethodRoutes<R> {
  /** By path. */
  readonly fixed: ReadonlyMap<string, Compiled<R>>;
  /** Those with parameters, in their order. */
  readonly patterns: readonly Compiled<R>[];
}

const PARAMETER = /[:(*?+{]/;

/** A value that cannot be decoded stays as it is. */
function decode(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const plain = (path: string): string =>
  (path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path).toLowerCase();

function compileRoute<R extends RoutePattern>(route: R, at: number): Compiled<R> {
  const parameter = route.path.search(PARAMETER);
  return {
    route,
    at,
    match: compile<Record<string, string>>(route.path.replace(/(^|\/)\*(?=$|\/)/g, "$1(.*)"), { decode }),
    fixed: parameter < 0 ? plain(route.path) : undefined,
    prefix: (parameter < 0 ? route.path : route.path.slice(0, route.path.lastIndexOf("/", parameter))).toLowerCase(),
  };
}

export class Router<R extends RoutePattern> {
  readonly #byMethod = new Map<string, MethodRoutes<R>>();
  readonly #routes: readonly Compiled<R>[];

  constructor(routes: readonly R[]) {
    const compiled = routes.map(compileRoute);
    this.#routes = compiled;
    for (const method of new Set(["ALL", ...routes.map((route) => route.method.toUpperCase())])) {
      const own = compiled.filter(({ route }) => [method, "ALL"].includes(route.method.toUpperCase()));
      const fixed = new Map<string, Compiled<R>>();
      for (const entry of own) if (entry.fixed !== undefined) fixed.getOrInsert(entry.fixed, entry);
      this.#byMethod.set(method, { fixed, patterns: own.filter((entry) => entry.fixed === undefined) });
    }
  }

  /** The methods of the routes that fit a path, in their order. */
  methodsOf(path: string): string[] {
    const fits = ({ fixed, match }: Compiled<R>): boolean =>
      fixed === undefined ? match(path) !== false : fixed === plain(path);
    return [...new Set(this.#routes.filter(fits).map(({ route }) => route.method.toUpperCase()))];
  }

  /** `path` is as it was sent. */
  find(method: string, path: string): RouteMatch<R> | undefined {
    const { fixed, patterns } = this.#byMethod.get(method === "HEAD" ? "GET" : method) ?? this.#byMethod.get("ALL")!;
    const lower = path.toLowerCase();
    const exact = fixed.get(plain(lower));
    for (const entry of patterns) {
      // the route that was added first answers
      if (exact && exact.at < entry.at) break;
      if (!lower.startsWith(entry.prefix)) continue;
      const found = entry.match(path);
      if (found) return { route: entry.route, params: found.params };
    }
    return exact && { route: exact.route, params: {} };
  }
}
