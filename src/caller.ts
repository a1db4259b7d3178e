/** Requests of tests, as somebody. */

export type Send = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** Sends requests as somebody. */
export interface Caller {
  /** The `Authorization` header, for requests that something else sends; undefined for the public. */
  readonly authorization: () => Promise<string | undefined>;
  readonly fetch: Send;
}

/** Where paths are below. */
const ORIGIN = "http://localhost";

/** What the arguments of `fetch` stand for, as a request. */
export const requestOf = (input: string | URL | Request, init?: RequestInit, origin = ORIGIN): Request =>
  input instanceof Request ? new Request(input, init) : new Request(new URL(input, origin).href, init);

/** `authorization` resolves with the caller's header, and is asked for each request: a reset may have changed it. */
export const callerOf = (send: Send, authorization: () => Promise<string | undefined>): Caller => ({
  authorization,
  fetch: async (input, init) => {
    const request = requestOf(input, init);
    const own = await authorization();
    if (own !== undefined && !request.headers.has("authorization")) request.headers.set("authorization", own);
    return send(request);
  },
});
