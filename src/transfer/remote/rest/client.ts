/** A REST client for a Strapi server with an API token, with retries, and limits for the size of responses. */
import { mkdirSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { stringOrEmpty, tryParseJson } from "../../../lib/coerce.ts";
import { ProjectError } from "../../../lib/errors.ts";
import { isRecord } from "../../../lib/is-record.ts";
import { ReceiveBudget, type ReceiveLimits } from "../receive-limits.ts";

const ATTEMPTS = 6;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 60_000;
/** For a response; for a media file, without data. */
const TIMEOUT_MS = 120_000;
const MAX_RESPONSE_BYTES = 256_000_000;
const MAX_FILE_BYTES = 5_000_000_000;
/** Statuses below 500 that are worth a retry. */
const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);

/** A server that cannot be reached, or fails, also after several attempts. */
export class UnavailableError extends ProjectError {}

export interface RestResponse {
  readonly status: number;
  readonly body: unknown;
}

/** Undefined: the file does not exist, or is not accessible. */
export type Downloaded = { readonly size: number } | undefined;

class Deadline {
  readonly #controller = new AbortController();
  readonly #timer = setTimeout(() => this.#controller.abort(), TIMEOUT_MS);

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  postpone(): void {
    this.#timer.refresh();
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

export class RestClient {
  /** "https://example.com" */
  readonly root: string;
  /** "https://example.com/api" */
  readonly #api: string;
  readonly #token: string;
  readonly #wait: (ms: number) => Promise<void>;
  readonly #ended = Promise.withResolvers<void>();
  readonly #end = new AbortController();
  readonly #limits: Partial<ReceiveLimits> | undefined;
  /** Limits for everything that is received from `renewLimits` on. */
  budget: ReceiveBudget;
  /** The server's time of its first response; undefined before. */
  startedAt: Date | undefined;

  constructor(
    root: string,
    options: {
      readonly prefix: string;
      readonly token: string;
      readonly wait?: (ms: number) => Promise<void>;
      readonly limits?: Partial<ReceiveLimits>;
    },
  ) {
    this.root = root;
    this.#api = root + options.prefix;
    this.#token = options.token;
    this.#wait = options.wait ?? Bun.sleep;
    this.#limits = options.limits;
    this.budget = this.#createBudget();
  }

  #createBudget(): ReceiveBudget {
    return new ReceiveBudget((reason) => this.failure(reason), this.#limits);
  }

  /** For a client that pulls again and again: the limits are those of one pull. */
  renewLimits(): void {
    this.budget = this.#createBudget();
  }

  /** Ends requests in progress, and refuses others: they reject with a ProjectError. */
  abort(): void {
    this.#end.abort();
    this.#ended.resolve();
  }

  /** Creates an error that names the server. */
  failure(reason: string): ProjectError {
    return new ProjectError(this.root, undefined, reason);
  }

  /**
   * Sends a request until it succeeds or fails permanently, and calls `handle` with the response. `token`: whether the server gets it. Rejects
   * with an UnavailableError after the last attempt.
   */
  async request<T>(
    url: string,
    { token, ...init }: { readonly token: boolean } & Pick<RequestInit, "method" | "body" | "headers">,
    handle: (response: Response, deadline: Deadline) => Promise<T>,
  ): Promise<T> {
    const headers = new Headers({ accept: "application/json, */*", ...(init.headers as Record<string, string>) });
    if (token) headers.set("authorization", `Bearer ${this.#token}`);
    let reason = "";
    for (let attempt = 0; attempt < ATTEMPTS && !this.#end.signal.aborted; attempt++) {
      let wait = FIRST_WAIT_MS * 2 ** attempt;
      const deadline = new Deadline();
      try {
        // a redirect could send the token to another server
        const signal = AbortSignal.any([deadline.signal, this.#end.signal]);
        const response = await fetch(url, { ...init, headers, redirect: "manual", signal });
        // proxies have statuses of their own, such as 521 for a server that is down
        if (response.status < 500 && !RETRYABLE_STATUSES.has(response.status)) return await handle(response, deadline);
        reason = `answers ${response.status}`;
        const retryAfter = Number(response.headers.get("retry-after"));
        if (retryAfter > 0) wait = retryAfter * 1_000;
        await response.body?.cancel();
      } catch (error) {
        if (error instanceof ProjectError) throw error;
        reason = "cannot be reached";
      } finally {
        deadline.end();
      }
      if (attempt + 1 < ATTEMPTS)
        await Promise.race([this.#wait(Math.min(wait, LONGEST_WAIT_MS)), this.#ended.promise]);
    }
    if (this.#end.signal.aborted) throw this.failure("is no longer asked");
    const failure = `${reason}, after ${ATTEMPTS} attempts: ${url.slice(this.root.length, this.root.length + 200)}`;
    throw new UnavailableError(this.root, undefined, failure);
  }

  /** `path`: below the API prefix. Rejects with a ProjectError for a response that is not JSON. */
  get(path: string): Promise<RestResponse> {
    return this.request(this.#api + path, { token: true }, async (response) => {
      const date = Date.parse(response.headers.get("date") ?? "");
      if (!Number.isNaN(date)) this.startedAt ??= new Date(date);
      const body = tryParseJson(await this.text(response));
      if (body !== undefined || response.status >= 400) return { status: response.status, body };
      throw this.failure(`answers ${path.slice(0, 200)} with something that is not JSON`);
    });
  }

  /** The body of a response. Rejects with a ProjectError for one that is too long. */
  async text(response: Response): Promise<string> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      this.budget.take("bytes", chunk.length);
      if (size > MAX_RESPONSE_BYTES) throw this.failure(`answers more than ${MAX_RESPONSE_BYTES} bytes`);
      chunks.push(chunk);
    }
    return new TextDecoder().decode(Buffer.concat(chunks));
  }

  /** Downloads a media file from the server to `file`. */
  download(url: string, file: string): Promise<Downloaded> {
    return this.request(this.root + url, { token: false }, async (response, deadline) => {
      if (response.status === 200) return { size: await this.save(response, deadline, file) };
      await response.body?.cancel();
      return undefined;
    });
  }

  /** Writes the body of a response to a file. Resolves with its size. */
  async save(response: Response, deadline: Deadline, file: string): Promise<number> {
    mkdirSync(dirname(file), { recursive: true });
    const handle = await open(file, "w", 0o600);
    let size = 0;
    try {
      for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
        size += chunk.length;
        this.budget.take("bytes", chunk.length);
        if (size > MAX_FILE_BYTES) throw this.failure(`sends more than ${MAX_FILE_BYTES} bytes for ${response.url}`);
        await handle.writeFile(chunk);
        deadline.postpone();
      }
    } catch (error) {
      rmSync(file, { force: true });
      throw error;
    } finally {
      await handle.close();
    }
    return size;
  }
}

/** The key in the error "Invalid key <name>", for attributes that the token may not read; undefined for other responses. */
export function refusedKey({ status, body }: RestResponse): string | undefined {
  const error = isRecord(body) && isRecord(body.error) ? body.error : undefined;
  const details = error && isRecord(error.details) ? error.details : undefined;
  if (status !== 400 || typeof details?.key !== "string" || details.source !== "query") return undefined;
  const path = stringOrEmpty(details.path);
  return path.split(".").at(-1) === details.key || path === "" ? details.key : `${path}.${details.key}`;
}
