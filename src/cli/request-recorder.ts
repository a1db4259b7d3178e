/** Records the requests to a server, and finds lists that were not read to their end. */
import { isRecord } from "../query/key-check.ts";

export interface RecordedRequest {
  readonly method: string;
  /** With the query string. */
  readonly path: string;
  readonly status: number;
  readonly count: number;
  /** Of all of them. */
  readonly milliseconds: number;
}

/** How far a list was read, page by page. */
interface ReadList {
  readonly shown: string;
  readonly parts: [start: number, end: number][];
  total: number;
}

interface Answer {
  readonly status: number;
  readonly milliseconds: number;
  /** Parsed JSON of a list; undefined for everything else. */
  readonly body: unknown;
}

/** Further requests are counted together, since there can be any number of URLs. */
const MAX_REQUESTS = 100_000;

const isNumber = (value: unknown): value is number => typeof value === "number";

/** The part of a list that an answer holds, and how many there are; undefined for answers without a total. */
function partOf(body: unknown): { start: number; end: number; total: number } | undefined {
  if (!isRecord(body) || !Array.isArray(body.data) || !isRecord(body.meta)) return undefined;
  const { pagination } = body.meta;
  if (!isRecord(pagination) || !isNumber(pagination.total)) return undefined;
  const { page, pageSize, start, total } = pagination;
  const from = isNumber(start) ? start : isNumber(page) && isNumber(pageSize) ? (page - 1) * pageSize : 0;
  return { start: from, end: from + body.data.length, total };
}

/** The URL without the parameters of pagination. */
function withoutPages(url: URL): string {
  const kept = [...url.searchParams].filter(([key]) => !/^pagination(\[|$)/.test(key));
  const query = kept.map(([key, value]) => `${key}=${value}`).join("&");
  return query === "" ? url.pathname : `${url.pathname}?${query}`;
}

function covered(parts: readonly [number, number][]): number {
  let [sum, reached] = [0, 0];
  for (const [start, end] of parts.toSorted(([a], [b]) => a - b)) {
    sum += Math.max(0, end - Math.max(start, reached));
    reached = Math.max(reached, end);
  }
  return sum;
}

export class RequestRecorder {
  readonly #requests = new Map<string, RecordedRequest>();
  readonly #lists = new Map<string, ReadList>();
  readonly #graphqlLists = new Map<string, number>();
  readonly #graphql: { readonly endpoint: string; readonly limits: readonly number[] };

  /** `limits`: numbers of entries at which a list of GraphQL ends. */
  constructor(graphql: { readonly endpoint: string; readonly limits: readonly number[] }) {
    this.#graphql = graphql;
  }

  /** Whether the body of an answer is wanted. */
  readsBody = (response: Response): boolean =>
    response.ok && (response.headers.get("content-type") ?? "").startsWith("application/json");

  add(request: { readonly method: string; readonly url: string }, { status, milliseconds, body }: Answer): void {
    const url = new URL(request.url);
    const path = url.pathname + url.search;
    const known = this.#requests.get(`${request.method} ${path} ${status}`);
    const key =
      known || this.#requests.size < MAX_REQUESTS ? `${request.method} ${path} ${status}` : `other requests ${status}`;
    const before = this.#requests.get(key);
    this.#requests.set(key, {
      method: request.method,
      path: key.startsWith("other") ? "other requests" : path,
      status,
      count: (before?.count ?? 0) + 1,
      milliseconds: Math.round(((before?.milliseconds ?? 0) + milliseconds) * 100) / 100,
    });
    if (url.pathname === this.#graphql.endpoint) this.#addGraphql(body);
    else this.#addList(request.method, url, body);
  }

  #addList(method: string, url: URL, body: unknown): void {
    const part = method === "GET" ? partOf(body) : undefined;
    if (!part) return;
    const shown = withoutPages(url);
    const list = this.#lists.getOrInsertComputed(shown, () => ({ shown, parts: [], total: 0 }));
    list.parts.push([part.start, part.end]);
    list.total = Math.max(list.total, part.total);
  }

  #addGraphql(body: unknown): void {
    if (!isRecord(body) || !isRecord(body.data)) return;
    for (const [name, value] of Object.entries(body.data))
      if (Array.isArray(value) && this.#graphql.limits.includes(value.length))
        this.#graphqlLists.set(name, value.length);
  }

  /** A line for each list of which some entries were never read. */
  warnings(): string[] {
    const lines: string[] = [];
    for (const { shown, parts, total } of this.#lists.values()) {
      const read = covered(parts);
      if (read < total) lines.push(`cut off by pagination: ${read} of ${total} entries were read of ${shown}`);
    }
    for (const [name, length] of this.#graphqlLists)
      lines.push(`perhaps cut off by pagination: ${name} of GraphQL has exactly ${length} entries, which is its limit`);
    return lines;
  }

  /** By path, then method. */
  requests(): RecordedRequest[] {
    const keyOf = ({ path, method, status }: RecordedRequest): string => `${path} ${method} ${status}`;
    return [...this.#requests.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  }
}
