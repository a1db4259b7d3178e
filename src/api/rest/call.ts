/** What a REST route is, and what its handler gets and returns. */
import type { Ability } from "../../access/ability.ts";
import type { Client } from "../../access/rate-limit.ts";
import type { Budget } from "../../budget.ts";
import type { Params } from "../../query/parse.ts";
import type { Route } from "../actions.ts";

/** What a route's handler gets. */
export interface Call {
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
  /** Parsed when first called: credentials and permissions come before. */
  readonly query: () => Params;
  /** The parsed body; multipart fields are read when first called. */
  readonly body: () => Promise<unknown>;
  readonly ability: Ability;
  readonly budget: Budget;
  readonly client: Client;
}

/** Without `body` and `text`: an answer without one. */
export interface Answer {
  readonly status: number;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is; its type is in the headers. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RestRoute extends Route {
  readonly handle: (call: Call) => Answer | Promise<Answer>;
  /** The answer depends on nothing but the content, the URL, the format and what the caller may do. */
  readonly isCached?: boolean;
}

/** A redirect, with a text for clients that do not follow it. */
export const redirect = (location: string): Answer => ({
  status: 302,
  text: `Redirecting to ${location}.`,
  headers: { Location: location, "Content-Type": "text/html; charset=utf-8" },
});
