/** The types of REST routes, and of the arguments and results of their handlers. */

import type { Ability } from "../../engine/access/access.ts";
import type { Client } from "../../engine/access/rate-limit.ts";
import type { Params } from "../../engine/query/parse.ts";
import type { Budget } from "../../lib/budget.ts";
import type { MaybePromise } from "../../lib/when-ready.ts";
import type { Route } from "../actions.ts";

/** The argument of a route's handler. */
export interface RestCall {
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
  /** Parsed on first call: authentication and permissions are checked before. */
  readonly query: () => Params;
  /** The parsed body; multipart fields are read on first call. */
  readonly body: () => Promise<unknown>;
  readonly ability: Ability;
  readonly budget: Budget;
  readonly client: Client;
}

/** The result of a handler. Without `body` and `text`, the response has no body. */
export interface RestResult {
  readonly status: number;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent unchanged; its content type is in the headers. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the body is the envelope of. */
  readonly error?: unknown;
}

export interface RestRoute extends Route {
  readonly handle: (call: RestCall) => MaybePromise<RestResult>;
  /** The response may be cached: it depends only on the content, the URL, the format and the caller's permissions. */
  readonly isCached?: boolean;
}

/** A redirect, with a text for clients that do not follow it. */
export const redirect = (location: string): RestResult => ({
  status: 302,
  text: `Redirecting to ${location}.`,
  headers: { Location: location, "Content-Type": "text/html; charset=utf-8" },
});
