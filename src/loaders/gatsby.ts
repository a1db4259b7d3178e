/** For Gatsby: creates, updates and deletes the nodes of documents, asking a Galley or Strapi server for what has changed. */
import { isObject, RequestError, type Server } from "./client.ts";
import type { Source } from "./documents.ts";
import { sync } from "./sync.ts";

export type { Server, Source };
export { RequestError };

type Node = Readonly<Record<string, unknown>>;

/** What is used of Gatsby's `SourceNodesArgs`. */
interface SourceNodesArgs {
  readonly actions: {
    createNode(node: Node): unknown;
    deleteNode(node: Node): void;
    touchNode(node: Node): void;
    setPluginStatus(status: Node): void;
    /** Of Gatsby 5.4 and later. */
    enableStatefulSourceNodes?(): void;
  };
  readonly cache: { get(key: string): Promise<unknown>; set(key: string, value: unknown): Promise<unknown> };
  readonly store: { getState(): { readonly status: { readonly plugins: object } } };
  readonly reporter: { info(message: string): void };
  createNodeId(key: string): string;
  createContentDigest(value: unknown): string;
  getNode(id: string): Node | undefined;
  getNodesByType(type: string): readonly Node[];
}

export interface NodeSource extends Source {
  /** The type of its nodes; by default of the content-type's name, as "StrapiBlogPost" of "api::blog.blog-post". */
  readonly nodeType?: string | undefined;
}

const nameOf = ({ nodeType, type }: NodeSource): string =>
  nodeType ??
  `Strapi${type.slice(type.lastIndexOf(".") + 1).replace(/(?:^|[-_])(\w)/g, (_all, letter: string) => letter.toUpperCase())}`;

/** GraphQL keeps names with two underscores at their beginning for itself. */
function withNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNames);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name.replace(/^__/, "strapi_"), withNames(inner)]),
  );
}

/** Gatsby uses these of a node itself. */
const RESERVED = ["id", "parent", "children", "internal", "fields"];

const attributesOf = (document: Node): Node =>
  Object.fromEntries(
    Object.entries(withNames(document) as Node).map(([name, value]) => [
      RESERVED.includes(name) ? `strapi_${name}` : name,
      value,
    ]),
  );

export interface SourceOptions extends Server {
  readonly types: readonly NodeSource[];
}

/** The function `sourceNodes` of `gatsby-node`. It rejects as `sync`. */
export function sourceNodes({ types, ...server }: SourceOptions): (gatsby: SourceNodesArgs) => Promise<void> {
  return async (gatsby) => {
    // otherwise, what is not created or touched again is deleted
    const { enableStatefulSourceNodes } = gatsby.actions;
    enableStatefulSourceNodes?.();
    for (const source of types) {
      await sourceType(server, source, gatsby);
      if (!enableStatefulSourceNodes)
        for (const node of gatsby.getNodesByType(nameOf(source))) gatsby.actions.touchNode(node);
    }
  };
}

/** What was set by `setPluginStatus`. Gatsby saves it with the queries that have run; the cache is saved at once. */
function statusOf({ store }: SourceNodesArgs, key: string): unknown {
  const statuses = Object.values(store.getState().status.plugins).filter(isObject);
  return statuses.find((status) => key in status)?.[key];
}

async function sourceType(server: Server, source: NodeSource, gatsby: SourceNodesArgs): Promise<void> {
  const { actions, cache, createNodeId, createContentDigest, getNode, getNodesByType, reporter } = gatsby;
  const type = nameOf(source);
  const stateKey = `galley-cms ${type}`;
  const idOfNode = (key: string): string => createNodeId(`${type} ${key}`);
  const kept = await cache.get(stateKey);
  const state = typeof kept === "string" ? kept : undefined;
  // the last build has failed: it has written nodes, but not which queries must run again because of them
  const hasFailed = state !== undefined && statusOf(gatsby, stateKey) !== createContentDigest(state);
  const { documents, removed, state: next } = await sync(server, source, hasFailed ? undefined : state);
  const ids = new Set([...documents.keys()].map(idOfNode));
  const gone = hasFailed
    ? getNodesByType(type).filter(({ id }) => !ids.has(String(id)))
    : removed.map((key) => getNode(idOfNode(key))).filter((node) => node !== undefined);
  for (const node of gone) actions.deleteNode(node);
  // with another digest, all queries that read a node run
  const run = hasFailed ? Date.now() : undefined;
  for (const [key, document] of documents)
    await actions.createNode({
      ...attributesOf(document),
      id: idOfNode(key),
      parent: null,
      children: [],
      internal: { type, contentDigest: createContentDigest(hasFailed ? [document, run] : document) },
    });
  await cache.set(stateKey, next);
  actions.setPluginStatus({ [stateKey]: createContentDigest(next) });
  reporter.info(`${source.path}: ${documents.size} read, ${gone.length} removed`);
}
