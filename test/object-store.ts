/** An S3-compatible store that keeps objects in memory, and gives and takes them to whoever names its key in a signature. */
export interface ObjectStore {
  /** Variables of clients. */
  readonly environment: Readonly<Record<string, string>>;
  /** By path: `/bucket/key`. */
  readonly objects: Map<string, { readonly bytes: Uint8Array; readonly etag: string }>;
  /** Requests without the key: method and path. */
  readonly refused: readonly string[];
  /** Called before an object is stored. */
  onPut: () => Promise<void> | void;
  readonly stop: () => Promise<void>;
}

export function createObjectStore(): ObjectStore {
  const objects: ObjectStore["objects"] = new Map();
  const refused: string[] = [];
  const store: Pick<ObjectStore, "onPut"> = { onPut: () => {} };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const { pathname, searchParams } = new URL(request.url);
      const credential = searchParams.get("X-Amz-Credential") ?? request.headers.get("authorization") ?? "";
      if (!credential.includes("test-key/")) {
        refused.push(`${request.method} ${pathname}`);
        return new Response("<Error><Code>AccessDenied</Code></Error>", { status: 403 });
      }
      if (request.method === "PUT") {
        const bytes = await request.bytes();
        await store.onPut();
        objects.set(pathname, { bytes, etag: `"${Bun.hash(bytes).toString(36)}"` });
        return new Response(null, { headers: { etag: objects.get(pathname)!.etag } });
      }
      const found = objects.get(pathname);
      if (!found) return new Response("<Error><Code>NoSuchKey</Code></Error>", { status: 404 });
      const { bytes, etag } = found;
      if (request.headers.get("if-none-match") === etag) return new Response(null, { status: 304 });
      return new Response(new Uint8Array(bytes), { headers: { etag } });
    },
  });
  return Object.assign(store, {
    environment: {
      AWS_ACCESS_KEY_ID: "test-key",
      AWS_SECRET_ACCESS_KEY: "secret",
      AWS_ENDPOINT_URL: `http://127.0.0.1:${server.port}`,
    },
    objects,
    refused,
    stop: () => server.stop(true),
  });
}
