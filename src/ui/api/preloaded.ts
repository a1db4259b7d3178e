/** Responses to the requests of `first-requests.ts`, which the browser sends when it reads the document. */
const responses = new Map<string, Promise<Response | undefined>>();

/** Takes the response to a preloaded request from the browser. */
export function addPreloaded(url: string): void {
  // in a microtask: while a browser's tools record requests, each parses all functions that are on the stack again
  const response = Promise.resolve()
    // with a header it would be another request than the preloaded one
    .then(() => fetch(url))
    .then(
      (response) => (response.ok ? response : undefined),
      () => undefined,
    );
  responses.set(url, response);
}

/** The response on the first call. Undefined afterwards, for other requests, and for refused ones. */
export function takePreloaded(url: string): Promise<Response | undefined> | undefined {
  const response = responses.get(url);
  responses.delete(url);
  return response;
}
