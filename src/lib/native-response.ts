/** Responses that the runtime's server accepts, whatever the global class is. */
const NativeResponse = Response;

/**
 * Converts a response of another class. Packages replace the global one: `@hono/node-server`, which servers of the Model Context
 * Protocol use, does so with its first request.
 */
export function toNativeResponse(response: Response): Response {
  if (Object.getPrototypeOf(response) === NativeResponse.prototype) return response;
  // before the body, with whose reading that class forgets headers which were set later
  const { headers, status } = response;
  return new NativeResponse(response.body, { headers: [...headers], status, statusText: response.statusText });
}
