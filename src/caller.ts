/** Requests with credentials, for tests. */

import type { Caller, Send } from "./public-types.ts";

/** Base URL for paths. */
const ORIGIN = "http://localhost";

/** A request from the arguments of `fetch`. */
export const createRequest = (input: string | URL | Request, init?: RequestInit): Request =>
  input instanceof Request ? new Request(input, init) : new Request(new URL(input, ORIGIN).href, init);

/** `authorization` returns the caller's header. It is called for each request, since a reset may change it. */
export const createCaller = (send: Send, authorization: () => Promise<string | undefined>): Caller => ({
  authorization,
  fetch: async (input, init) => {
    const request = createRequest(input, init);
    const authorizationHeader = await authorization();
    if (authorizationHeader !== undefined && !request.headers.has("authorization"))
      request.headers.set("authorization", authorizationHeader);
    return send(request);
  },
});
