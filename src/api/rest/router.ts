/** Finds routes by path: letter case does not count in fixed segments, one slash at the end is accepted. */
import type { Method, Route } from "../actions.ts";

interface Node<R> {
  readonly fixed: Map<string, Node<R>>;
  parameter: { readonly name: string; readonly node: Node<R> } | undefined;
  readonly routes: Map<Method, R>;
}

export interface Match<R> {
  readonly routes: ReadonlyMap<Method, R>;
  readonly params: Readonly<Record<string, string>>;
}

const emptyNode = <R>(): Node<R> => ({ fixed: new Map(), parameter: undefined, routes: new Map() });

export class Router<R extends Route> {
  readonly #root: Node<R> = emptyNode();

  /** Of several rows for one method and path, the first counts. */
  constructor(routes: readonly R[]) {
    for (const route of routes) {
      let node = this.#root;
      for (const segment of route.path.slice(1).split("/")) {
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
  }

  /** The routes of a path below the prefix, which begins with a slash; undefined for an unknown path. */
  match(path: string): Match<R> | undefined {
    const segments = path.slice(1).split("/");
    if (segments.length > 1 && segments.at(-1) === "") segments.pop();
    const params: Record<string, string> = {};
    let node = this.#root;
    for (const segment of segments) {
      if (segment === "") return undefined;
      const fixed = node.fixed.get(segment.toLowerCase());
      if (fixed) node = fixed;
      else if (node.parameter) {
        params[node.parameter.name] = decodeURIComponent(segment);
        node = node.parameter.node;
      } else return undefined;
    }
    return node.routes.size > 0 ? { routes: node.routes, params } : undefined;
  }
}
