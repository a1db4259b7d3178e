/** Requests to a Strapi or Galley server, for the loaders: query strings, credentials, attempts, errors. */
import { EVERYTHING } from "./tags.ts";

/** The server that content is read from. */
export interface Server {
  /** Without a path, as in "http://localhost:1337"; by default the environment's `STRAPI_URL`, and this address without one. */
  readonly url?: string | undefined;
  /** An API token; by default the environment's `STRAPI_TOKEN`. Without one, the content that everybody may read is read. */
  readonly token?: string | undefined;
  /** Where the API is: "/api". */
  readonly prefix?: string | undefined;
}

/** Parameters of a request, nested as `qs` and Strapi nest them. Undefined ones are left out. */
export type Params = Readonly<Record<string, unknown>>;

export interface Answer {
  readonly body: Readonly<Record<string, unknown>>;
  /** What the answer depended on; undefined for servers that do not tell. */
  readonly tags: readonly string[] | undefined;
}

/** A server's refusal. */
export class RequestError extends Error {
  readonly status: number;

  constructor(url: URL, status: number, reason: string) {
    // the query would only make the message long
    super(`${url.origin}${url.pathname}: ${status}${reason === "" ? "" : ` ${reason}`}`);
    this.name = "RequestError";
    this.status = status;
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const DEFAULT_URL = "http://localhost:1337";
const TIMEOUT_MS = 120_000;
const ATTEMPTS = 4;
/** Statuses of servers that are busy or start again. */
const TEMPORARY: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const MAX_WAIT_SECONDS = 30;

const environment = (name: string): string | undefined => process.env[name] || undefined;

function appendParams(to: string[], name: string, value: unknown): void {
  if (value === undefined) return;
  if (typeof value === "object" && value !== null)
    for (const [key, inner] of Object.entries(value)) appendParams(to, `${name}[${encodeURIComponent(key)}]`, inner);
  else to.push(`${name}=${encodeURIComponent(value === null ? "" : String(value))}`);
}

/** Without "?"; empty without parameters. */
export function formatQuery(params: Params): string {
  const parts: string[] = [];
  for (const [name, value] of Object.entries(params)) appendParams(parts, encodeURIComponent(name), value);
  return parts.join("&");
}

/** Of a header `Cache-Tag`. */
export function parseTags(header: string | null): string[] | undefined {
  return header?.split(",").flatMap((tag) => tag.trim() || []);
}

/** Undefined for what is not JSON, such as a proxy's page. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function reasonIn(text: string): string {
  const body = parse(text);
  const error = isObject(body) ? body.error : undefined;
  return isObject(error) && typeof error.message === "string" ? error.message : "";
}

const sleep = (seconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, seconds * 1_000));

function waitSeconds(response: Response, attempt: number): number {
  const told = Number(response.headers.get("retry-after"));
  return Math.min(told > 0 ? told : 2 ** (attempt - 1), MAX_WAIT_SECONDS);
}

/**
 * `path`: with a slash at its beginning. `init`: what the framework's `fetch` takes besides. Rejects with a RequestError if the server
 * refuses, and with an Error if it cannot be reached.
 */
export async function get(server: Server, path: string, params: Params, init: RequestInit = {}): Promise<Answer> {
  const query = formatQuery(params);
  const origin = server.url ?? environment("STRAPI_URL") ?? DEFAULT_URL;
  const url = new URL(`${origin.replace(/\/+$/, "")}${path}${query === "" ? "" : `?${query}`}`);
  const token = server.token ?? environment("STRAPI_TOKEN");
  const headers = { accept: "application/json", ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
  for (let attempt = 1; ; attempt++) {
    let response: Response;
    let text: string;
    try {
      response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), ...init, headers });
      text = await response.text();
    } catch (cause) {
      throw new Error(`${url.origin} cannot be reached; STRAPI_URL, or the option url, names the server`, { cause });
    }
    if (response.ok) {
      const body = parse(text);
      if (!isObject(body)) throw new RequestError(url, response.status, "is not an answer of Strapi");
      const tags = parseTags(response.headers.get("cache-tag"));
      // others are of a site's own code, and do not say what it has read
      return { body, tags: tags?.includes(EVERYTHING) ? tags : undefined };
    }
    if (!TEMPORARY.has(response.status) || attempt === ATTEMPTS)
      throw new RequestError(url, response.status, reasonIn(text));
    await sleep(waitSeconds(response, attempt));
  }
}

/** A request below the API's prefix. Rejects as `get`. */
export const getContent = (server: Server, path: string, params: Params, init?: RequestInit): Promise<Answer> =>
  get(server, `${server.prefix ?? "/api"}/${path}`, params, init);
