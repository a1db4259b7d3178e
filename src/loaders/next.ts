/**
 * For Next.js: reads content so that a webhook renders again what shows it, and nothing else. Its functions are passed Next's own, so that
 * they are of the version that the site uses.
 */
import { getContent, isObject, type Params, RequestError, type Server } from "./client.ts";
import { type Source, selection } from "./documents.ts";
import { coarsen, requestTags } from "./tags.ts";
import { isSecret, readStaleTags, refuse } from "./webhook.ts";

export type { Params, Server, Source };
export { RequestError };

/** How an answer is kept. */
export interface Keep {
  /**
   * "fetch" (the default): in Next's cache of fetched data, by tags that the request tells. "none": not at all; for "use cache", with
   * `cacheTag(...tags)` of the answer, which knows more.
   */
  readonly cache?: "fetch" | "none" | undefined;
  /** Whether drafts are read, which are never kept: `(await draftMode()).isEnabled`. */
  readonly draft?: boolean | undefined;
}

/** Of lists by page and size. */
export interface Pagination {
  readonly page: number;
  readonly pageSize: number;
  readonly pageCount: number;
  readonly total: number;
}

type Meta = Readonly<Record<string, unknown>>;

export interface Result<T, M = Meta> {
  readonly data: T;
  readonly meta: M;
  /** For `cacheTag`. */
  readonly tags: readonly string[];
}

/** `params`: `filters`, `sort`, `pagination` and others of Strapi's, which are added to those of the source. */
export interface Reader<T> {
  /** `P`: with `start` and `limit`, `OffsetPagination` of `galley types`. */
  readonly find: <P = Pagination>(params?: Params, keep?: Keep) => Promise<Result<T[], { readonly pagination: P }>>;
  /** `data` is null if there is no such document. */
  readonly findOne: (documentId: string, params?: Params, keep?: Keep) => Promise<Result<T | null>>;
  /** Of a single type; `data` is null if it has no entry. */
  readonly findSingle: (params?: Params, keep?: Keep) => Promise<Result<T | null>>;
}

/** What `cacheTag` takes. */
const MAX_TAGS = 128;

/** React remembers fetches of a page that have no signal. `next` is what Next adds to `fetch`. */
function toInit(tags: readonly string[], { cache = "fetch", draft }: Keep): RequestInit {
  if (draft) return { signal: null, cache: "no-store" };
  if (cache === "none") return { signal: null };
  return { signal: null, cache: "force-cache", next: { tags } } as RequestInit;
}

/** Reads one content-type. Its functions reject with a RequestError if the server refuses, and with an Error if it cannot be reached. */
export function createReader<T = Readonly<Record<string, unknown>>>(source: Source & Server): Reader<T> {
  const { type, path } = source;

  async function read<D, M = Meta>(id: string | undefined, params: Params, keep: Keep): Promise<Result<D, M>> {
    const all: Params = { ...selection(source), ...(keep.draft ? { status: "draft" } : {}), ...params };
    const tags = requestTags(type, id, all.populate);
    const url = id === undefined ? path : `${path}/${encodeURIComponent(id)}`;
    const answer = await getContent(source, url, all, toInit(tags, keep));
    const { data, meta } = answer.body;
    return { data: data as D, meta: (isObject(meta) ? meta : {}) as M, tags: coarsen(answer.tags ?? tags, MAX_TAGS) };
  }

  async function readIfThere(id: string | undefined, params: Params, keep: Keep): Promise<Result<T | null>> {
    try {
      return await read<T>(id, params, keep);
    } catch (error) {
      if (!(error instanceof RequestError) || error.status !== 404) throw error;
      return { data: null, meta: {}, tags: requestTags(type, undefined, undefined) };
    }
  }

  return {
    find: <P = Pagination>(params = {}, keep = {}) => read<T[], { readonly pagination: P }>(undefined, params, keep),
    findOne: (documentId, params = {}, keep = {}) => readIfThere(documentId, params, keep),
    findSingle: (params = {}, keep = {}) => readIfThere(undefined, params, keep),
  };
}

export interface RevalidateOptions {
  /** The webhook has the header `Authorization: Bearer SECRET`. */
  readonly secret: string;
  /** Next's, as in `(tag) => revalidateTag(tag, { expire: 0 })`. */
  readonly revalidateTag: (tag: string) => void;
}

/** The handler `POST` of a route that webhooks of Strapi or Galley call. */
export function revalidateRoute({ secret, revalidateTag }: RevalidateOptions): (request: Request) => Promise<Response> {
  return async (request) => {
    const tags = await readStaleTags(request, secret);
    if (tags instanceof Response) return tags;
    for (const tag of tags) revalidateTag(tag);
    return Response.json({ revalidated: tags });
  };
}

export interface DraftOptions {
  readonly secret: string;
  /** Next's, of "next/headers". */
  readonly draftMode: () => Promise<{ enable(): void; disable(): void }>;
}

/** A path of the same site. Browsers read a backslash as a slash, and skip tabs and line breaks. */
const isPath = (url: string): boolean => /^\/(?![/\\])/.test(url) && !/[\t\r\n\\]/.test(url);

/** Headers have no other letters. What is encoded already stays as it is. */
const inHeader = (url: string): string => url.replace(/[^!-~]+/g, encodeURIComponent);

/**
 * The handler `GET` of a route for the preview of Strapi's admin: `?secret=…&url=/articles/x&status=draft` enables draft mode, and
 * `status=published` disables it; both go on to the page.
 */
export function draftRoute({ secret, draftMode }: DraftOptions): (request: Request) => Promise<Response> {
  return async (request) => {
    const { searchParams } = new URL(request.url);
    if (!(await isSecret(searchParams.get("secret"), secret))) return refuse(401, "not the preview's secret");
    const url = searchParams.get("url") ?? "/";
    if (!isPath(url)) return refuse(400, "url is not a path of this site");
    const mode = await draftMode();
    if (searchParams.get("status") === "published") mode.disable();
    else mode.enable();
    return new Response(null, { status: 307, headers: { location: inHeader(url) } });
  };
}
