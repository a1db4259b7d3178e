/** Passes requests on to the origin, and answers from what is kept while that is fresh, or the origin is slow or does not answer. */
import { rmSync } from "node:fs";
import { ApiError, ProjectError } from "../../lib/errors.ts";
import type { RestClient } from "../../transfer/remote/rest/client.ts";
import type { KeptResponse, KeptResponses } from "./kept-responses.ts";

/** Headers of the origin that clients get. */
const PASSED_HEADERS = ["content-type", "content-disposition", "location", "etag", "last-modified"];
/** How long a client with a kept response waits for a newer one. */
const PATIENCE_MS = 3_000;

export interface PassedRequest {
  readonly method: "GET" | "POST";
  /** Path and query string, as sent. */
  readonly path: string;
  readonly body?: string;
  /** Whether the origin gets the token. */
  readonly hasToken: boolean;
}

export interface PassedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Blob;
  readonly checkedAt: number;
}

const hashRequest = ({ method, path, body = "" }: PassedRequest): string =>
  new Bun.CryptoHasher("sha256").update(`${method} ${path}\n${body}`).digest("hex");

const passedHeaders = (response: Response): Readonly<Record<string, string>> =>
  Object.fromEntries(
    PASSED_HEADERS.flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );

/** Asks only for what has changed since. */
function conditions({ headers }: KeptResponse): Readonly<Record<string, string>> {
  if (headers.etag !== undefined) return { "if-none-match": headers.etag };
  return headers["last-modified"] === undefined ? {} : { "if-modified-since": headers["last-modified"] };
}

const readKept = ({ status, headers, file, checkedAt }: KeptResponse): PassedResponse => ({
  status,
  headers,
  body: Bun.file(file),
  checkedAt,
});

export function createPassedRequests(client: RestClient, responses: KeptResponses, refreshMs: number) {
  const inProgress = new Map<string, Promise<PassedResponse>>();
  /** Until then, clients do not wait for the origin if there is a kept response; in milliseconds since 1970. */
  let pausedUntil = 0;

  /** Rejects with a ServiceUnavailableError if the origin does not answer, and nothing is kept. */
  async function answer(request: PassedRequest): Promise<PassedResponse> {
    const key = hashRequest(request);
    const kept = responses.find(key);
    if (kept && Date.now() - kept.checkedAt < refreshMs) return readKept(kept);
    const asked = inProgress.getOrInsertComputed(key, () =>
      ask(key, request, kept).finally(() => inProgress.delete(key)),
    );
    if (!kept) return asked;
    // an error of the origin is none of the client's, who has a response
    const answered = asked.catch(() => undefined);
    const waited = Date.now() < pausedUntil ? undefined : await Promise.race([answered, Bun.sleep(PATIENCE_MS)]);
    if (waited) return waited;
    pausedUntil = Date.now() + refreshMs;
    return readKept(kept);
  }

  async function ask(key: string, request: PassedRequest, kept: KeptResponse | undefined): Promise<PassedResponse> {
    const { method, path, body, hasToken } = request;
    const headers = {
      ...(kept ? conditions(kept) : {}),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    };
    try {
      return await client.request(
        client.root + path,
        { token: hasToken, method, headers, ...(body === undefined ? {} : { body }) },
        async (response, deadline) => {
          if (response.status === 304 && kept) {
            responses.confirm(key);
            return { ...readKept(kept), checkedAt: Date.now() };
          }
          // a refused token says nothing about the content
          if (response.status === 401 && kept) {
            await response.body?.cancel();
            return readKept(kept);
          }
          const file = responses.unfinishedFile();
          const bytes = await client.save(response, deadline, file);
          const answer = { status: response.status, headers: passedHeaders(response) };
          if (response.status === 401) {
            const refused = new Blob([await Bun.file(file).bytes()]);
            rmSync(file);
            return { ...answer, body: refused, checkedAt: Date.now() };
          }
          responses.keep(key, file, bytes, answer);
          return readKept(responses.find(key)!);
        },
      );
    } catch (error) {
      if (!(error instanceof ProjectError)) throw error;
      throw new ApiError(
        "ServiceUnavailableError",
        `The origin does not answer, and the mirror has no copy of this: ${error.message}`,
      );
    }
  }

  return { answer };
}
