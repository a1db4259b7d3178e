/** Finds the route of a request: the first one that matches, in the order in which they were added. */
import { type Key, pathToRegexp } from "path-to-regexp";

export interface RoutePattern {
  /** In upper case; `ALL` is any. */
  readonly method: string;
  /** With parameters and regular expressions, as in Koa's router. */
  readonly path: string;
}

export interface RouteMatch<R> {
  readonly route: R;
  readonly params: Readonly<Record<string, string>>;
  /** The parts of the path that match parameters, without decoding. */
  readonly captures: readonly string[];
}

const NO_CAPTURES: readonly string[] = [];

interface Compiled<R> {
  readonly route: R;
  /** Position among all routes. */
  readonly index: number;
  readonly pattern: RegExp;
  /** Names of the pattern's groups. */
  readonly keys: readonly Key[];
  /** The normalized path; undefined for a path with parameters. */
  readonly fixed: string | undefined;
  /** The part of the path before the first parameter, in lower case. */
  readonly prefix: string;
}

interface MethodRoutes<R> {
  /** By path. */
  readonly fixed: ReadonlyMap<string, Compiled<R>>;
  /** Routes with parameters, in order. */
  readonly patterns: readonly Compiled<R>[];
}

const PARAMETER = /[:(*?+{]/;

/** Decodes a parameter. An invalid encoding is left unchanged. */
export function decode(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const normalizePath = (path: string): string =>
  (path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path).toLowerCase();

function compileRoute<R extends RoutePattern>(route: R, index: number): Compiled<R> {
  const parameter = route.path.search(PARAMETER);
  const keys: Key[] = [];
  return {
    route,
    index,
    pattern: pathToRegexp(route.path.replace(/(^|\/)\*(?=$|\/)/g, "$1(.*)"), keys),
    keys,
    fixed: parameter < 0 ? normalizePath(route.path) : undefined,
    prefix: (parameter < 0 ? route.path : route.path.slice(0, route.path.lastIndexOf("/", parameter))).toLowerCase(),
  };
}

/** As in Koa's router, parameters without text are left out, and repeated ones (`:path*`) are one string. */
function matchRoute<R>({ route, pattern, keys }: Compiled<R>, path: string): RouteMatch<R> | undefined {
  const found = pattern.exec(path);
  if (!found) return undefined;
  const captures = found.slice(1);
  const named = keys.flatMap(({ name }, index) => {
    const text = captures[index];
    return text ? [[name, decode(text)] as const] : [];
  });
  return { route, params: Object.fromEntries(named), captures };
}

export class Router<R extends RoutePattern> {
  readonly #byMethod = new Map<string, MethodRoutes<R>>();
  readonly #routes: readonly Compiled<R>[];

  constructor(routes: readonly R[]) {
    const compiled = routes.map(compileRoute);
    this.#routes = compiled;
    for (const method of new Set(["ALL", ...routes.map((route) => route.method.toUpperCase())])) {
      const candidates = compiled.filter(({ route }) => [method, "ALL"].includes(route.method.toUpperCase()));
      const fixed = new Map<string, Compiled<R>>();
      for (const entry of candidates) if (entry.fixed !== undefined) fixed.getOrInsert(entry.fixed, entry);
      this.#byMethod.set(method, { fixed, patterns: candidates.filter((entry) => entry.fixed === undefined) });
    }
  }

  /** The methods of the routes that match a path, in order. */
  listMethods(path: string): string[] {
    const matches = ({ fixed, pattern }: Compiled<R>): boolean =>
      fixed === undefined ? pattern.test(path) : fixed === normalizePath(path);
    return [...new Set(this.#routes.filter(matches).map(({ route }) => route.method.toUpperCase()))];
  }

  /** `path`: as received, without decoding. */
  find(method: string, path: string): RouteMatch<R> | undefined {
    const { fixed, patterns } = this.#byMethod.get(method === "HEAD" ? "GET" : method) ?? this.#byMethod.get("ALL")!;
    const lower = path.toLowerCase();
    const exact = fixed.get(normalizePath(lower));
    for (const entry of patterns) {
      // the route that was added first wins
      if (exact && exact.index < entry.index) break;
      if (!lower.startsWith(entry.prefix)) continue;
      const match = matchRoute(entry, path);
      if (match) return match;
    }
    return exact && { route: exact.route, params: {}, captures: NO_CAPTURES };
  }
}
