/**
 * Asks another server for what it answers to reads, with limits for time and size. Redirects are not followed, and nothing of the caller is sent
 * but the request itself.
 */
import { gunzipSync } from "node:zlib";
import { MAX_DEPTH, measureDepth } from "../../lib/depth.ts";
import { ProjectError } from "../../lib/errors.ts";
import { Semaphore } from "../../lib/semaphore.ts";
import { remoteAddress } from "../../transfer/remote/address.ts";
import type { Answer } from "./compare-answers.ts";

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 10_000_000;
const TOO_LARGE = `answers with more than ${MAX_BYTES / 1_000_000} MB, or ${MAX_DEPTH} levels`;
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

class TooLarge extends Error {}

type Body = Pick<Response, "body" | "status"> & { readonly headers: Pick<Headers, "get"> };

/** Undefined, and nothing is read, if it is not JSON: that may be a stream without an end. */
async function readBytes(response: Body): Promise<Buffer | undefined> {
  if (!/[/+]json\b/.test(response.headers.get("content-type") ?? "")) {
    await response.body?.cancel();
    return undefined;
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new TooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parse(bytes: Buffer | undefined): unknown {
  let body: unknown;
  try {
    body = bytes && JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
  if (measureDepth(body) > MAX_DEPTH) throw new TooLarge();
  return body;
}

/** What Galley itself answers. Rejects with a PeerError for more than is compared. */
export async function readAnswer(response: Body): Promise<Answer> {
  try {
    return { status: response.status, body: parse(await readBytes(response)) };
  } catch (cause) {
    if (!(cause instanceof TooLarge)) throw cause;
    throw new PeerError("Galley", undefined, TOO_LARGE);
  }
}

export class Peer {
  /** "https://example.com" */
  readonly root: string;
  readonly #token: string | undefined;
  readonly #timeout: number;
  readonly #turns = new Semaphore(CONCURRENT);
  #failures = 0;

  /** Throws a ProjectError for anything but an http or https URL. `timeout`: milliseconds for a whole answer. */
  constructor(url: string, token: string | undefined, timeout = TIMEOUT_MS) {
    this.root = remoteAddress(url).root;
    this.#token = token;
    this.#timeout = timeout;
  }

  get hasToken(): boolean {
    return this.#token !== undefined;
  }

  /** Rejects with a PeerError. */
  ask(request: PeerRequest): Promise<Answer> {
    return this.#turns.run(1, async () => {
      if (this.#failures >= MAX_FAILURES) throw this.#error("is no longer asked, since it did not answer");
      const answer = await this.#send(request).catch((error: unknown) => {
        if (error instanceof PeerError) throw error;
        if (error instanceof TooLarge) throw this.#error(TOO_LARGE);
        this.#failures++;
        const isSlow = (error as Error).name === "TimeoutError";
        throw this.#error(isSlow ? `does not answer within ${this.#timeout / 1_000} seconds` : "cannot be reached");
      });
      this.#failures = 0;
      return answer;
    });
  }

  #error(reason: string): PeerError {
    return new PeerError(this.root, undefined, reason);
  }

  async #send({ path, body, headers, hasToken }: PeerRequest): Promise<Answer> {
    // "@host/" would be another server
    if (!path.startsWith("/")) throw this.#error(`has no path ${path.slice(0, 100)}`);
    const response = await fetch(this.root + path, {
      method: body === undefined ? "GET" : "POST",
      ...(body === undefined ? {} : { body }),
      headers: {
        ...headers,
        accept: "application/json",
        "accept-encoding": "gzip",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(hasToken && this.#token !== undefined ? { authorization: `Bearer ${this.#token}` } : {}),
      },
      redirect: "manual",
      // a small answer may be a huge one when decompressed
      decompress: false,
      signal: AbortSignal.timeout(this.#timeout),
    });
    const { status } = response;
    const isRedirect = status >= 300 && status < 400;
    if (!isRedirect && !BUSY.has(status)) return { status, body: await this.#read(response) };
    await response.body?.cancel();
    if (isRedirect) throw this.#error(`redirects (${status}), which is not followed`);
    this.#failures++;
    throw this.#error(`answers ${status}`);
  }

  async #read(response: Response): Promise<unknown> {
    const bytes = await readBytes(response);
    const encoding = response.headers.get("content-encoding") ?? "identity";
    if (!bytes || encoding === "identity") return parse(bytes);
    let decompressed: Buffer;
    try {
      if (encoding !== "gzip") throw new Error("it was not asked for");
      decompressed = gunzipSync(bytes, { maxOutputLength: MAX_BYTES });
    } catch {
      throw this.#error(
        `answers with compressed data (${encoding.slice(0, 20)}) that is damaged, too large or of another kind`,
      );
    }
    return parse(decompressed);
  }
}
