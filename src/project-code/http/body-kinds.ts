/** Kinds of bodies that code sets. */

const isNodeStream = (body: unknown): body is { destroy?: () => unknown } =>
  typeof body === "object" && body !== null && "pipe" in body;

export const isStream = (body: unknown): boolean => body instanceof ReadableStream || isNodeStream(body);

export function closeStream(stream: unknown): void {
  if (stream instanceof ReadableStream) void stream.cancel().catch(() => undefined);
  else if (isNodeStream(stream)) stream.destroy?.();
}

/** In bytes; undefined for streams and for no body. Throws for a body that cannot be serialized. */
export function lengthOf(body: unknown): number | undefined {
  if (body === undefined || body === null || isStream(body) || body instanceof Blob) return undefined;
  return Buffer.byteLength(typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body));
}
