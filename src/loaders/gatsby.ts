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
    /** Of Gatsby 5.4 and later. */
    enableStatefulSourceNodes?(): void;
  };
  readonly cache: { get(key: string): Promise<unknown>; set(key: string, value: unknown): Promise<unknown> };
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

async function sourceType(server: Server, source: NodeSource, gatsby: SourceNodesArgs): Promise<void> {
  const { actions, cache, createNodeId, createContentDigest, getNode, reporter } = gatsby;
  const type = nameOf(source);
  const stateKey = `galley-cms ${type}`;
  const idOfNode = (key: string): string => createNodeId(`${type} ${key}`);
  const state = await cache.get(stateKey);
  const { documents, removed, state: next } = await sync(server, source, typeof state === "string" ? state : undefined);
  for (const key of removed) {
    const node = getNode(idOfNode(key));
    if (node) actions.deleteNode(node);
  }
  for (const [key, document] of documents)
    await actions.createNode({
      ...attributesOf(document),
      id: idOfNode(key),
      parent: null,
      children: [],
      internal: { type, contentDigest: createContentDigest(document) },
    });
  await cache.set(stateKey, next);
  reporter.info(`${source.path}: ${documents.size} read, ${removed.length} removed`);
}
