/** Requests to the server, below `/admin/api`. Refusals are errors that carry the server's own words. */
import { counted } from "./pending.ts";
import { toQuery } from "./query.ts";

export const BASE = "/admin/api";
/** Only this page can send it: see the server's check of origins. */
export const OWN_HEADERS = { "X-Galley-Admin": "1" } as const;

/** A part of the input that was refused. `path`: names and positions, from the document down. */
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

  /** What is wrong, by place in the document; empty for refusals that are not about input. */
  get problems(): readonly Problem[] {
    const { errors } = (this.details ?? {}) as { errors?: readonly Problem[] };
    return Array.isArray(errors) ? errors : [];
  }
}

/** The server could not be reached; the request can be repeated. */
export class Unreachable extends Error {
  override readonly name = "Unreachable";
}

export interface Call {
  readonly query?: object;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Called whenever a request is refused for want of a session. */
let onSignedOut = (): void => {};

export function whenSignedOut(handle: () => void): void {
  onSignedOut = handle;
}

/** The refusal that an answer is. */
export function failureFrom(status: number, text: string): ApiFailure {
  let error: { name?: string; message?: string; details?: unknown } | string | undefined;
  try {
    error = JSON.parse(text).error;
  } catch {
    // not the server's own words: a proxy's, for instance
    error = undefined;
  }
  if (status === 401) onSignedOut();
  if (typeof error === "string") return new ApiFailure(status, "Error", error, undefined);
  const message = error?.message ?? `The server answered ${status}`;
  return new ApiFailure(status, error?.name ?? "Error", message, error?.details);
}

/** Throws an ApiFailure for a refusal, Unreachable where nobody answers, and an AbortError for what was given up. */
export const request = <T>(method: string, path: string, call: Call = {}): Promise<T> =>
  counted(() => send<T>(method, path, call));

async function send<T>(method: string, path: string, { query, body, headers: own, signal }: Call): Promise<T> {
  const isForm = body instanceof FormData;
  const headers: Record<string, string> = { ...own, ...OWN_HEADERS };
  if (body !== undefined && !isForm) headers["Content-Type"] = "application/json";
  let response: Response;
  try {
    response = await fetch(BASE + path + (query ? `?${toQuery(query)}` : ""), {
      method,
      headers,
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
  } catch (error) {
    if ((error as Error).name === "AbortError") throw error;
    throw new Unreachable("The server does not answer", { cause: error });
  }
  if (response.ok) return response.status === 204 ? (undefined as T) : ((await response.json()) as T);
  throw failureFrom(response.status, await response.text());
}

export const api = {
  get: <T>(path: string, call?: Call): Promise<T> => request<T>("GET", path, call),
  post: <T>(path: string, body: unknown = {}, call?: Call): Promise<T> => request<T>("POST", path, { ...call, body }),
  put: <T>(path: string, body: unknown, call?: Call): Promise<T> => request<T>("PUT", path, { ...call, body }),
  delete: <T>(path: string, call?: Call): Promise<T> => request<T>("DELETE", path, call),
};

/** The message to show for an error of any kind. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
