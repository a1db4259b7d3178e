/** Requests to the server, below `/admin/api`. Error responses are thrown with the server's message. */
import { API_BASE } from "../first-requests.ts";
import { trackPending } from "./pending.ts";
import { takePreloaded } from "./preloaded.ts";
import { toQuery } from "./query.ts";

/** Pages of other origins cannot send this header: see the server's check of origins. */
export const OWN_HEADERS = { "X-Galley-Admin": "1" } as const;

/** A validation error. `path`: attribute names and indexes, starting at the document. */
export interface Problem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

export class ApiFailure extends Error {
  override readonly name: string;
  readonly status: number;
  readonly details: unknown;

  constructor(status: number, name: string, message: string, details: unknown) {
    super(message);
    this.status = status;
    this.name = name;
    this.details = details;
  }

  /** Validation errors by path; empty for other errors. */
  get problems(): readonly Problem[] {
    const { errors } = (this.details ?? {}) as { errors?: readonly Problem[] };
    return Array.isArray(errors) ? errors : [];
  }
}

/** The server could not be reached; the request can be repeated. */
export class UnreachableError extends Error {
  override readonly name = "Unreachable";
}

export interface RequestOptions {
  readonly query?: object;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Called on every 401 response. */
let onSignedOut = (): void => {};

export function whenSignedOut(handle: () => void): void {
  onSignedOut = handle;
}

/** Of responses that say nothing of the reason, such as a proxy's, or not what to do, such as `locale.notFound`. */
const GENERIC_MESSAGE = /^(Internal Server Error|Missing or invalid credentials|\w+\.notFound)?$/;

function failureText(status: number): string {
  // it is read when the session is back
  if (status === 401) return "Your session had ended: try again";
  if (status === 404) return "It is not there any more: somebody may have deleted it";
  return status < 500 ? `The server refused this (${status})` : `The server failed (${status}): its log has the reason`;
}

/** Parses an error response. */
export function failureFrom(status: number, text: string): ApiFailure {
  let error: { name?: string; message?: string; details?: unknown } | string | undefined;
  try {
    error = JSON.parse(text).error;
  } catch {
    // not a response of the server: a proxy's, for instance
    error = undefined;
  }
  if (status === 401) onSignedOut();
  const { name = "Error", message = "", details } = typeof error === "string" ? { message: error } : (error ?? {});
  return new ApiFailure(status, name, GENERIC_MESSAGE.test(message) ? failureText(status) : message, details);
}

/** Throws an ApiFailure for an error response, an UnreachableError without a response, and an AbortError if aborted. */
export const request = <T>(method: string, path: string, options: RequestOptions = {}): Promise<T> =>
  trackPending(() => send<T>(method, path, options));

async function send<T>(
  method: string,
  path: string,
  { query, body, headers: own, signal }: RequestOptions,
): Promise<T> {
  const isForm = body instanceof FormData;
  const headers: Record<string, string> = { ...own, ...OWN_HEADERS };
  if (body !== undefined && !isForm) headers["Content-Type"] = "application/json";
  const url = API_BASE + path + (query ? `?${toQuery(query)}` : "");
  let response = method === "GET" ? await takePreloaded(url) : undefined;
  signal?.throwIfAborted();
  try {
    response ??= await fetch(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
  } catch (error) {
    if ((error as Error).name === "AbortError") throw error;
    throw new UnreachableError("The server does not respond", { cause: error });
  }
  if (response.ok) return response.status === 204 ? (undefined as T) : ((await response.json()) as T);
  throw failureFrom(response.status, await response.text());
}

export const api = {
  get: <T>(path: string, options?: RequestOptions): Promise<T> => request<T>("GET", path, options),
  post: <T>(path: string, body: unknown = {}, options?: RequestOptions): Promise<T> =>
    request<T>("POST", path, { ...options, body }),
  put: <T>(path: string, body: unknown, options?: RequestOptions): Promise<T> =>
    request<T>("PUT", path, { ...options, body }),
  delete: <T>(path: string, options?: RequestOptions): Promise<T> => request<T>("DELETE", path, options),
};

/** The message to show for an error of any kind. */
export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));
