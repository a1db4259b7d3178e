/** Types of admin routes, with the arguments and results of their handlers. The server maps them to HTTP. */
import type { Params } from "../query/parse.ts";

export interface AdminCall {
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
  /** Parsed when first called. Throws a ValidationError for more than Galley takes. */
  readonly query: () => Params;
  /** The parsed body, where it is an object; an empty one otherwise. */
  readonly body: () => Promise<Readonly<Record<string, unknown>>>;
}

export interface AdminResponse {
  readonly status: number;
  /** Sent as JSON; absent: an answer without a body. */
  readonly body?: unknown;
  /** Sent as it comes, in the place of a body; its type is in the headers. */
  readonly stream?: ReadableStream<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface AdminRoute {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** From the root of the server; `:name` is a parameter. */
  readonly path: string;
  /** Answered without an admin token or a session. */
  readonly isPublic?: true;
  /** May throw: errors are formatted in one place. */
  readonly handle: (call: AdminCall) => AdminResponse | Promise<AdminResponse>;
}

export const ok = (body: unknown): AdminResponse => ({ status: 200, body });
