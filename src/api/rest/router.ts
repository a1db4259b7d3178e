/** Finds routes by path: letter case does not count in fixed segments, one slash at the end is accepted. */
import type { Method, Route } from "../actions.ts";

interface Node<R> {
  readonly fixed: Map<string, Node<R>>;
  parameter: { readonly name: string; readonly node: Node<R> } | undefined;
  /** Routes that take any rest of a path. */
  readonly rest: Map<Method, R>;
  readonly routes: Map<Method, R>;
}

export interface Match<R> {
  readonly routes: ReadonlyMap<Method, R>;
  readonly params: Readonly<Record<string, string>>;
}

const emptyNode = <R>(): Node<R> => ({ fixed: new Map(), parameter: undefined, rest: new Map(), routes: new Map() });

export class Router<R extends Route> {
  readonly #root: Node<R> = emptyNode();

  /** Of several rows for one method and path, the first counts. */
  constructor(routes: readonly R[]) {
    for (const route of routes) this.#add(route);
  }

  #add(route: R): void {
    let node = this.#root;
    for (const segment of route.path.slice(1).split("/")) {
      if (segment === "*") {
        node.rest.set(route.method, route);
        return;
      }
      if (segment.startsWith(":")) {
        node.parameter ??= { name: segment.slice(1), node: emptyNode() };
        node = node.parameter.node;
      } else {
        const key = segment.toLowerCase();
        const next = node.fixed.get(key) ?? emptyNode<R>();
        node.fixed.set(key, next);
        node = next;
      }
    }
    if (!node.routes.has(route.method)) node.routes.set(route.method, route);
  }

  /** The routes of a path below the prefix, which begins with a slash; undefined for an unknown path. */
  match(path: string): Match<R> | undefined {
    const segments = path.slice(1).split("/");
    const hasSlash = segments.length > 1 && segments.at(-1) === "";
    if (hasSlash) segments.pop();
    return segments.includes("") ? undefined : find(this.#root, { segments, hasSlash }, 0, {});
  }
}

interface Path {
  readonly segments: readonly string[];
  /** With a slash at the end, which begins an empty rest. */
  readonly hasSlash: boolean;
}

/** A fixed segment goes before a parameter; methods that only the latter has are still found. */
function find<R>(node: Node<R>, path: Path, at: number, params: Record<string, string>): Match<R> | undefined {
  const segment = path.segments[at];
  if (segment === undefined) {
    const routes = node.routes.size === 0 && path.hasSlash ? node.rest : node.routes;
    return routes.size > 0 ? { routes, params } : undefined;
  }
  const fixed = node.fixed.get(segment.toLowerCase());
  const first = fixed && find(fixed, path, at + 1, params);
  const { parameter } = node;
  const second =
    parameter && find(parameter.node, path, at + 1, { ...params, [parameter.name]: decodeURIComponent(segment) });
  if (first && second) return { routes: new Map([...second.routes, ...first.routes]), params: second.params };
  return first ?? second ?? (node.rest.size > 0 ? { routes: node.rest, params } : undefined);
}
