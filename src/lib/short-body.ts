/** Reads bodies of requests that should be short. */

/** The text of a request's body, which stays to be read; undefined if it is longer. */
export async function readShortBody(request: Request, maxBytes: number): Promise<string | undefined> {
  const reader = request.clone().body?.getReader();
  const chunks: Uint8Array[] = [];
  for (let bytes = 0; reader; ) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.length;
    chunks.push(value);
    if (bytes <= maxBytes) continue;
    // the rest is not kept; the promise waits for the server, which reads the body after this
    reader.cancel().catch(() => {});
    return undefined;
  }
  return Buffer.concat(chunks).toString();
}
