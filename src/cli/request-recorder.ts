/** Records requests, and finds lists of which not all pages were read. */

import { isRecord } from "../lib/is-record.ts";
import { readShortBody } from "../lib/short-body.ts";
import type { RecordedRequest } from "../server/builds/recorded-requests.ts";
import { isQuery } from "../server/contract/safe-requests.ts";

/** Which pages of a list were read. */
interface ListCoverage {
  readonly url: string;
  readonly ranges: [start: number, end: number][];
  total: number;
}

interface RecordedResponse {
  readonly status: number;
  readonly milliseconds: number;
  readonly bytes: number;
  readonly tags: readonly string[] | undefined;
  /** Whether the request had no credentials. */
  readonly isPublic: boolean;
  /** Parsed JSON of a list; undefined for everything else. */
  readonly body: unknown;
}

const NOT_MODIFIED = 304;
/** Maximum number of distinct requests; further ones are counted together. */
const MAX_REQUESTS = 100_000;
/** Bytes of a query for GraphQL, and of all of them. Beyond, they are not recorded. */
const MAX_QUERY = 50_000;
const MAX_QUERIES = 20_000_000;

const isNumber = (value: unknown): value is number => typeof value === "number";

/** The range of a list that a response contains, and the total; undefined for responses without a total. */
function readRange(body: unknown): { start: number; end: number; total: number } | undefined {
  if (!isRecord(body) || !Array.isArray(body.data) || !isRecord(body.meta)) return undefined;
  const { pagination } = body.meta;
  if (!isRecord(pagination) || !isNumber(pagination.total)) return undefined;
  const { page, pageSize, start, total } = pagination;
  const offset = isNumber(start) ? start : isNumber(page) && isNumber(pageSize) ? (page - 1) * pageSize : 0;
  return { start: offset, end: offset + body.data.length, total };
}

function withoutPagination(url: URL): string {
  const parameters = [...url.searchParams].filter(([key]) => !/^pagination(\[|$)/.test(key));
  const query = parameters.map(([key, value]) => `${key}=${value}`).join("&");
  return query === "" ? url.pathname : `${url.pathname}?${query}`;
}

function countCovered(ranges: readonly [number, number][]): number {
  let [sum, reached] = [0, 0];
  for (const [start, end] of ranges.toSorted(([a], [b]) => a - b)) {
    sum += Math.max(0, end - Math.max(start, reached));
    reached = Math.max(reached, end);
  }
  return sum;
}

/** Those of all responses; undefined if one has none. */
function mergeTags(previous: RecordedRequest | undefined, tags: RecordedRequest["tags"]): RecordedRequest["tags"] {
  if (!previous || !tags) return tags;
  return previous.tags && [...new Set([...previous.tags, ...tags])];
}

export class RequestRecorder {
  readonly #requests = new Map<string, RecordedRequest>();
  readonly #lists = new Map<string, ListCoverage>();
  readonly #graphqlLists = new Map<string, number>();
  #queryBytes = 0;
  readonly #total = { requests: 0, bytes: 0, unchanged: 0 };
  readonly #graphql: { readonly endpoint: string; readonly limits: readonly number[] };

  /** `limits`: page sizes at which a GraphQL list may have been cut off. */
  constructor(graphql: { readonly endpoint: string; readonly limits: readonly number[] }) {
    this.#graphql = graphql;
  }

  /** Whether `add` needs the body of a response. */
  needsBody = (response: Response): boolean =>
    response.ok && (response.headers.get("content-type") ?? "").startsWith("application/json");

  /** The body of a query for GraphQL, to be called before the request is answered; undefined for other requests. */
  async readQuery(request: Request): Promise<string | undefined> {
    if (request.method !== "POST" || new URL(request.url).pathname !== this.#graphql.endpoint) return undefined;
    if (this.#queryBytes > MAX_QUERIES) return undefined;
    try {
      const text = await readShortBody(request, MAX_QUERY);
      return text !== undefined && isQuery(text) ? text : undefined;
    } catch {
      // the body breaks off, which the server answers
      return undefined;
    }
  }

  add(
    request: { readonly method: string; readonly url: string; readonly query?: string | undefined },
    { status, milliseconds, bytes, body, tags, isPublic }: RecordedResponse,
  ): void {
    this.#total.requests++;
    this.#total.bytes += bytes;
    if (status === NOT_MODIFIED) this.#total.unchanged++;
    const url = new URL(request.url);
    const path = url.pathname + url.search;
    const name = `${request.method} ${path} ${status} ${request.query ?? ""}`;
    const isNamed = this.#requests.has(name) || this.#requests.size < MAX_REQUESTS;
    const key = isNamed ? name : `other requests ${status}`;
    const previous = this.#requests.get(key);
    if (!previous) this.#queryBytes += request.query?.length ?? 0;
    const allTags = mergeTags(previous, tags);
    this.#requests.set(key, {
      method: request.method,
      path: isNamed ? path : "other requests",
      ...(isNamed && request.query !== undefined ? { body: request.query } : {}),
      status,
      count: (previous?.count ?? 0) + 1,
      milliseconds: Math.round(((previous?.milliseconds ?? 0) + milliseconds) * 100) / 100,
      ...(isPublic && (!previous || previous.public) ? { public: true as const } : {}),
      ...(allTags && { tags: allTags }),
    });
    if (url.pathname === this.#graphql.endpoint) this.#addGraphql(body);
    else this.#addList(request.method, url, body);
  }

  #addList(method: string, url: URL, body: unknown): void {
    const range = method === "GET" ? readRange(body) : undefined;
    if (!range) return;
    const listUrl = withoutPagination(url);
    const list = this.#lists.getOrInsertComputed(listUrl, () => ({ url: listUrl, ranges: [], total: 0 }));
    list.ranges.push([range.start, range.end]);
    list.total = Math.max(list.total, range.total);
  }

  #addGraphql(body: unknown): void {
    if (!isRecord(body) || !isRecord(body.data)) return;
    for (const [name, value] of Object.entries(body.data))
      if (Array.isArray(value) && this.#graphql.limits.includes(value.length))
        this.#graphqlLists.set(name, value.length);
  }

  /** As in "12 requests, 50.3 KB, 3 of them not modified (304)". */
  summary(): string {
    const { requests, bytes, unchanged } = this.#total;
    const count = `${requests} request${requests === 1 ? "" : "s"}, ${(bytes / 1_000).toFixed(1)} KB`;
    return unchanged === 0 ? count : `${count}, ${unchanged} of them not modified (304)`;
  }

  /** A line for each list that was not read completely. */
  warnings(): string[] {
    const lines: string[] = [];
    for (const { url, ranges, total } of this.#lists.values()) {
      const readCount = countCovered(ranges);
      if (readCount < total) lines.push(`cut off by pagination: ${readCount} of ${total} entries were read of ${url}`);
    }
    for (const [name, length] of this.#graphqlLists)
      lines.push(`perhaps cut off by pagination: ${name} of GraphQL has exactly ${length} entries, which is its limit`);
    return lines;
  }

  /** Sorted by path, method, status and query. */
  requests(): RecordedRequest[] {
    const sortKey = ({ path, method, status, body }: RecordedRequest): string => `${path} ${method} ${status} ${body}`;
    return [...this.#requests.values()].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
  }
}
