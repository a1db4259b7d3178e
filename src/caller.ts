/** Requests with credentials, for tests. */

export type Send = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** Sends requests with the credentials of a user, a token or the public. */
export interface Caller {
  /** The `Authorization` header, for requests that are sent in another way; undefined for the public. */
  readonly authorization: () => Promise<string | undefined>;
  readonly fetch: Send;
}

/** Base URL for paths. */
const ORIGIN = "http://localhost";

/** A request from the arguments of `fetch`. */
export const requestOf = (input: string | URL | Request, init?: RequestInit): Request =>
  input instanceof Request ? new Request(input, init) : new Request(new URL(input, ORIGIN).href, init);

/** `authorization` returns the caller's header. It is called for each request, since a reset may change it. */
export const callerOf = (send: Send, authorization: () => Promise<string | undefined>): Caller => ({
  authorization,
  fetch: async (input, init) => {
    const request = requestOf(input, init);
    const authorizationHeader = await authorization();
    if (authorizationHeader !== undefined && !request.headers.has("authorization"))
      request.headers.set("authorization", authorizationHeader);
    return send(request);
  },
});
