/**
 * For Astro: a loader of content collections that asks a Galley or Strapi server for what has changed since the last build, a loader of
 * live collections with hints for Astro's cache, and the route of the webhook that empties it.
 */
import { type Answer, getContent, type Params, RequestError, type Server } from "./client.ts";
import { keyOf, type Source, selection } from "./documents.ts";
import { type Document, isDocument } from "./stamps.ts";
import { sync } from "./sync.ts";
import { requestTags } from "./tags.ts";
import { readStaleTags } from "./webhook.ts";

export type { Document, Params, Server, Source };
export { RequestError };

type Data = Record<string, unknown>;

interface StoredEntry {
  readonly id: string;
  readonly data: Data;
}

/** What the loader uses of Astro's `LoaderContext`. */
interface LoaderContext {
  readonly store: {
    entries(): [id: string, entry: StoredEntry][];
    set(entry: { id: string; data: Data; digest: string }): boolean;
    delete(id: string): void;
    clear(): void;
  };
  readonly meta: { get(key: string): string | undefined; set(key: string, value: string): void };
  readonly logger: { info(message: string): void };
  parseData(entry: { id: string; data: Data }): Promise<Data>;
  generateDigest(data: Data): string;
}

/** Astro's `Loader`. */
export interface ContentLoader {
  readonly name: string;
  readonly load: (context: LoaderContext) => Promise<void>;
}

const NAME = "galley-cms";
const STATE = "state";

/** The store lists entries in the order in which they came, which must not depend on earlier builds. */
function sortStore(store: LoaderContext["store"]): void {
  const entries = store.entries().map(([, entry]) => entry as StoredEntry & { digest: string });
  if (entries.every(({ id }, index) => index === 0 || entries[index - 1]!.id < id)) return;
  store.clear();
  for (const entry of entries.sort((one, other) => (one.id < other.id ? -1 : 1))) store.set(entry);
}

/**
 * Entries have documents as data, and the `documentId` as id (with `locale: "*"`, the locale follows behind a colon). For types, the collection
 * has the schema `z.custom<Article<…>>()`. Its `load` rejects as `sync`.
 */
export function strapiLoader(source: Source & Server): ContentLoader {
  return {
    name: NAME,
    async load({ store, meta, logger, parseData, generateDigest }) {
      const { documents, removed, state } = await sync(source, source, meta.get(STATE));
      for (const id of removed) store.delete(id);
      for (const [id, data] of documents)
        store.set({ id, data: await parseData({ id, data }), digest: generateDigest(data) });
      sortStore(store);
      meta.set(STATE, state);
      logger.info(`${source.path}: ${documents.size} read, ${removed.length} removed`);
    },
  };
}

/**
 * Hints for `Astro.cache`. Without a time, which Astro would send as `Last-Modified`: it would stay as it is when what a document shows
 * changes, and let browsers keep the page.
 */
interface CacheHint {
  tags: string[];
}

interface LiveEntry<T> {
  id: string;
  data: T;
  cacheHint: CacheHint;
}

/** Astro's `LiveLoader`. Filters are parameters of Strapi's: `filters`, `sort`, `pagination`, and others. */
export interface LiveContentLoader<T extends Data> {
  readonly name: string;
  readonly loadEntry: (context: { filter: LiveFilter }) => Promise<LiveEntry<T> | undefined | { error: Error }>;
  readonly loadCollection: (context: {
    filter?: Params | undefined;
  }) => Promise<{ entries: LiveEntry<T>[]; cacheHint: CacheHint } | { error: Error }>;
}

/** The `documentId` as `id`, or parameters of which the first document is meant. */
export type LiveFilter = { readonly id: string } | Params;

/** Reads with each request for a page. Errors are returned, as Astro's live collections expect. */
export function strapiLiveLoader<T extends Data = Data>(source: Source & Server): LiveContentLoader<T> {
  async function read(
    id: string | undefined,
    params: Params,
  ): Promise<{ documents: Document[]; tags: readonly string[] }> {
    const all: Params = { ...selection(source), ...params };
    const url = id === undefined ? source.path : `${source.path}/${encodeURIComponent(id)}`;
    const { body, tags }: Answer = await getContent(source, url, all);
    const documents = [body.data].flat().filter(isDocument);
    return { documents, tags: tags ?? requestTags(source.type, id, all.populate) };
  }
  const toEntry = (document: Document, tags: readonly string[]): LiveEntry<T> => ({
    id: keyOf(source, document),
    data: document as unknown as T,
    cacheHint: { tags: [...tags] },
  });
  return {
    name: NAME,
    async loadEntry({ filter }) {
      const { id, ...params } = filter as { id?: unknown } & Params;
      try {
        const isId = typeof id === "string";
        const { documents, tags } = await read(isId ? id : undefined, isId ? params : { ...params, ...first });
        return documents[0] && toEntry(documents[0], tags);
      } catch (error) {
        if (error instanceof RequestError && error.status === 404) return undefined;
        return { error: error as Error };
      }
    },
    async loadCollection({ filter = {} }) {
      try {
        const { documents, tags } = await read(undefined, filter);
        return { entries: documents.map((document) => toEntry(document, tags)), cacheHint: { tags: [...tags] } };
      } catch (error) {
        return { error: error as Error };
      }
    },
  };
}

const first: Params = { pagination: { page: 1, pageSize: 1 } };

/** What the route uses of Astro's `APIContext`. */
interface RouteContext {
  readonly request: Request;
  readonly cache: { invalidate(what: { tags: string[] }): Promise<void> };
}

/** The handler `POST` of a route that webhooks of Strapi or Galley call, with the header `Authorization: Bearer SECRET`. */
export function invalidateRoute({ secret }: { readonly secret: string }): (context: RouteContext) => Promise<Response> {
  return async ({ request, cache }) => {
    const tags = await readStaleTags(request, secret);
    if (tags instanceof Response) return tags;
    if (tags.length > 0) await cache.invalidate({ tags: [...tags] });
    return Response.json({ invalidated: tags });
  };
}
