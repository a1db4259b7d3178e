/**
 * Asks another server for what it answers to reads, with limits for time and size. Redirects are not followed, and nothing of the caller is sent
 * but the request itself.
 */
import { tryParseJson } from "../../lib/coerce.ts";
import { MAX_DEPTH, measureDepth } from "../../lib/depth.ts";
import { ProjectError } from "../../lib/errors.ts";
import { Semaphore } from "../../lib/semaphore.ts";
import { readAll } from "../../transfer/archive/lines.ts";
import { remoteAddress } from "../../transfer/remote/address.ts";
import type { Answer } from "./compare-answers.ts";

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 10_000_000;
const CONCURRENT = 4;
/** After so many requests in succession without an answer, none is sent any more. */
const MAX_FAILURES = 3;
/** Statuses of proxies and rate limits, which say nothing about the content. */
const BUSY: ReadonlySet<number> = new Set([408, 425, 429, 502, 503, 504]);

export interface PeerRequest {
  /** Path and query string. */
  readonly path: string;
  /** Of a query of GraphQL. */
  readonly body?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the token is sent. */
  readonly hasToken: boolean;
}

/** A request that was not answered, or not in a way that can be compared. */
export class PeerError extends ProjectError {}

/** `server`: for messages. Rejects with a PeerError for more than is compared. */
export async function readAnswer(
  response: Pick<Response, "body" | "status"> & { readonly headers: Pick<Headers, "get"> },
  server = "Galley",
): Promise<Answer> {
  const fail = (reason: string): PeerError => new PeerError(server, undefined, `answers with ${reason}`);
  const { status, body, headers } = response;
  const encoding = headers.get("content-encoding");
  const isJson = /[/+]json\b/.test(headers.get("content-type") ?? "");
  // what is not JSON may be a stream without an end
  if (!body || !isJson || (encoding !== null && encoding !== "gzip")) {
    await body?.cancel();
    if (isJson && body) throw fail(`another compression than gzip: ${encoding?.slice(0, 20)}`);
    return { status, body: undefined };
  }
  const content = encoding === null ? body : body.pipeThrough(new DecompressionStream("gzip"));
  const tooLarge = (): PeerError => fail(`more than ${MAX_BYTES / 1_000_000} MB, or ${MAX_DEPTH} levels`);
  const text = await readAll(content as AsyncIterable<Uint8Array>, MAX_BYTES, tooLarge);
  const value = tryParseJson(text);
  if (measureDepth(value) > MAX_DEPTH) throw tooLarge();
  return { status, body: value };
}

/** Throws a ProjectError for anything but an http or https URL. `timeout`: milliseconds for a whole answer. */
export function createPeer(url: string, token: string | undefined, timeout = TIMEOUT_MS) {
  const turns = new Semaphore(CONCURRENT);
  let failures = 0;
  /** "https://example.com" */
  const root: string = remoteAddress(url).root;

  /** Rejects with a PeerError. */
  function ask(request: PeerRequest): Promise<Answer> {
    return turns.run(1, async () => {
      if (failures >= MAX_FAILURES) throw createError("is no longer asked, since it did not answer");
      const answer = await send(request).catch((error: unknown) => {
        if (error instanceof PeerError) throw error;
        failures++;
        const isSlow = (error as Error).name === "TimeoutError";
        throw createError(
          isSlow ? `does not answer within ${timeout / 1_000} seconds` : "cannot be reached, or breaks off",
        );
      });
      failures = 0;
      return answer;
    });
  }

  const createError = (reason: string): PeerError => new PeerError(root, undefined, reason);

  async function send({ path, body, headers, hasToken }: PeerRequest): Promise<Answer> {
    // "@host/" would be another server
    if (!path.startsWith("/")) throw createError(`has no path ${path.slice(0, 100)}`);
    const response = await fetch(root + path, {
      method: body === undefined ? "GET" : "POST",
      ...(body === undefined ? {} : { body }),
      headers: {
        ...headers,
        accept: "application/json",
        "accept-encoding": "gzip",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(hasToken && token !== undefined ? { authorization: `Bearer ${token}` } : {}),
      },
      redirect: "manual",
      // a small answer may be a huge one when decompressed
      decompress: false,
      signal: AbortSignal.timeout(timeout),
    });
    const { status } = response;
    const isRedirect = status >= 300 && status < 400;
    if (!isRedirect && !BUSY.has(status)) return readAnswer(response, root);
    await response.body?.cancel();
    if (isRedirect) throw createError(`redirects (${status}), which is not followed`);
    failures++;
    throw createError(`answers ${status}`);
  }

  return {
    root,
    get hasToken(): boolean {
      return token !== undefined;
    },
    ask,
  };
}

export type Peer = ReturnType<typeof createPeer>;
