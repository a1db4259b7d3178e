/** Types of admin routes, with the arguments and results of their handlers. The server maps them to HTTP. */
import type { Params } from "../engine/query/parse.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

/** The parsed body of a request. */
export type Body = JsonObject;

export interface AdminCall {
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
  /** Parsed on the first call. Throws a ValidationError for a query over the limits. */
  readonly query: () => Params;
  /** The parsed body, where it is an object or a list; an empty object otherwise. */
  readonly body: () => Promise<Body>;
  /** The parsed body of any kind; a string for plain text, undefined if there is none. */
  readonly rawBody: () => Promise<unknown>;
}

export interface AdminResponse {
  readonly status: number;
  /** Sent as JSON; absent: no body. */
  readonly body?: unknown;
  /** Sent instead of `body`; `headers` have its content type. */
  readonly stream?: ReadableStream<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface AdminRoute {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** From the root of the server; `:name` is a parameter. */
  readonly path: string;
  /** Needs neither an admin token nor a session. */
  readonly isPublic?: true;
  /** May throw: errors are formatted in one place. */
  readonly handle: (call: AdminCall) => AdminResponse | Promise<AdminResponse>;
}

export const ok = (body: unknown): AdminResponse => ({ status: 200, body });

export const route = (method: AdminRoute["method"], path: string, handle: AdminRoute["handle"]): AdminRoute => ({
  method,
  path,
  handle,
});

/** A route that refuses every request. */
export const refusedRoute = (method: AdminRoute["method"], path: string, createError: () => Error): AdminRoute =>
  route(method, path, () => {
    throw createError();
  });

/** A route that needs no credentials. */
export const publicRoute = (...row: Parameters<typeof route>): AdminRoute => ({ ...route(...row), isPublic: true });
