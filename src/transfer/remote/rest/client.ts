/** Reads from a Strapi over REST with an API token: with patience for failures that pass, and limits for what is answered. */
import { mkdirSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { ProjectError } from "../../../errors.ts";
import { isRecord } from "../../../query/key-check.ts";
import { ReceiveBudget, type ReceiveLimits } from "../receive-limits.ts";

const ATTEMPTS = 6;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 60_000;
/** For an answer; for a media file, without a byte. */
const TIMEOUT_MS = 120_000;
const MAX_ANSWER_BYTES = 256_000_000;
const MAX_FILE_BYTES = 5_000_000_000;
/** What a server, or a proxy before it, may answer differently a moment later. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

export interface RestAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Undefined: not there, or not for this token. */
export type Downloaded = { readonly size: number } | undefined;

class Deadline {
  readonly #controller = new AbortController();
  #timer = this.#start();

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  #start(): ReturnType<typeof setTimeout> {
    return setTimeout(() => this.#controller.abort(), TIMEOUT_MS);
  }

  postpone(): void {
    clearTimeout(this.#timer);
    this.#timer = this.#start();
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
  /** What has come so far. */
  readonly received: ReceiveBudget;
  /** The server's time of its first answer; undefined before. */
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
    this.received = new ReceiveBudget((reason) => this.failure(reason), options.limits);
  }

  /** An error about the server, for the person at the command line. */
  failure(reason: string): ProjectError {
    return new ProjectError(this.root, undefined, reason);
  }

  /** Calls `use` with an answer until one is not a passing failure. Throws a ProjectError after the last attempt. */
  async #request<T>(
    url: string,
    token: boolean,
    use: (response: Response, deadline: Deadline) => Promise<T>,
  ): Promise<T> {
    const headers = { accept: "application/json, */*", ...(token ? { authorization: `Bearer ${this.#token}` } : {}) };
    let reason = "";
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      let wait = FIRST_WAIT_MS * 2 ** attempt;
      const deadline = new Deadline();
      try {
        // a redirect would take the token to another place
        const response = await fetch(url, { headers, redirect: "manual", signal: deadline.signal });
        if (!PASSING.has(response.status)) return await use(response, deadline);
        reason = `answers ${response.status}`;
        const after = Number(response.headers.get("retry-after"));
        if (after > 0) wait = after * 1_000;
        await response.body?.cancel();
      } catch (error) {
        if (error instanceof ProjectError) throw error;
        reason = "cannot be reached";
      } finally {
        deadline.end();
      }
      if (attempt + 1 < ATTEMPTS) await this.#wait(Math.min(wait, LONGEST_WAIT_MS));
    }
    throw this.failure(`${reason}, after ${ATTEMPTS} attempts: ${url.slice(this.root.length, this.root.length + 200)}`);
  }

  /** `path` is below the API's prefix. Throws a ProjectError for what is no answer of a Strapi. */
  get(path: string): Promise<RestAnswer> {
    return this.#request(this.#api + path, true, async (response) => {
      const date = Date.parse(response.headers.get("date") ?? "");
      if (!Number.isNaN(date)) this.startedAt ??= new Date(date);
      const text = await this.#text(response);
      try {
        return { status: response.status, body: JSON.parse(text) as unknown };
      } catch {
        if (response.status >= 400) return { status: response.status, body: undefined };
        throw this.failure(`answers ${path.slice(0, 200)} with something that is no JSON`);
      }
    });
  }

  async #text(response: Response): Promise<string> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      this.received.take("bytes", chunk.length);
      if (size > MAX_ANSWER_BYTES) throw this.failure(`answers more than ${MAX_ANSWER_BYTES} bytes`);
      chunks.push(chunk);
    }
    return new TextDecoder().decode(Buffer.concat(chunks));
  }

  /** Writes a media file of the server itself to `file`. */
  download(url: string, file: string): Promise<Downloaded> {
    return this.#request(this.root + url, false, async (response, deadline) => {
      if (response.status !== 200) {
        await response.body?.cancel();
        return undefined;
      }
      mkdirSync(dirname(file), { recursive: true });
      const handle = await open(file, "w", 0o600);
      let size = 0;
      try {
        for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
          size += chunk.length;
          this.received.take("bytes", chunk.length);
          if (size > MAX_FILE_BYTES) throw this.failure(`sends more than ${MAX_FILE_BYTES} bytes for ${url}`);
          await handle.writeFile(chunk);
          deadline.postpone();
        }
      } catch (error) {
        rmSync(file, { force: true });
        throw error;
      } finally {
        await handle.close();
      }
      return { size };
    });
  }
}

/** The name in "Invalid key <name>", with which a server refuses what the token may not look at; undefined otherwise. */
export function refusedKey({ status, body }: RestAnswer): string | undefined {
  const error = isRecord(body) && isRecord(body.error) ? body.error : undefined;
  const details = error && isRecord(error.details) ? error.details : undefined;
  if (status !== 400 || typeof details?.key !== "string" || details.source !== "query") return undefined;
  const path = typeof details.path === "string" ? details.path : "";
  return path.split(".").at(-1) === details.key || path === "" ? details.key : `${path}.${details.key}`;
}
