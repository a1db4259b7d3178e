/** Requests to a store or web server: how long they may take, and how their failures are described. */
export interface TimeLimits {
  /** Milliseconds without a byte. */
  readonly stallMs: number;
  /** Milliseconds for the whole transfer. */
  readonly totalMs: number;
}

export class Deadline {
  readonly #controller = new AbortController();
  readonly #stallMs: number;
  readonly #stalled: string;
  readonly #total: ReturnType<typeof setTimeout>;
  #stall: ReturnType<typeof setTimeout> | undefined;

  /** `stalled`: what the upstream did not do, for the message ("sent nothing"). */
  constructor({ stallMs, totalMs }: TimeLimits, stalled: string) {
    this.#stallMs = stallMs;
    this.#stalled = stalled;
    const end = () => this.#controller.abort(new Error(`took longer than ${totalMs / 1000} seconds`));
    this.#total = setTimeout(end, totalMs);
    this.restartStall();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Restarts the stall timer: data has been transferred. */
  restartStall(): void {
    clearTimeout(this.#stall);
    const end = () => this.#controller.abort(new Error(`${this.#stalled} for ${this.#stallMs / 1000} seconds`));
    this.#stall = setTimeout(end, this.#stallMs);
  }

  /** Must be called in any case: a running timer keeps the process alive. */
  end(): void {
    clearTimeout(this.#stall);
    clearTimeout(this.#total);
  }
}

const MAX_BYTES = 4_000;

/** The message of an error of `fetch`, which may have the URL: the query string of a presigned one is a credential. */
export const describeError = ({ message }: Error): string =>
  message
    .replace(/(https?:\/\/[^\s"?#]*)[?#][^\s"]*/gi, "$1")
    .replace(/ For more information, pass .*/s, "")
    .replace(/^(?:\w+: )?Unable to connect\..*/s, "cannot be reached");

/** With the code that S3-compatible stores send in XML, such as NoSuchKey. Reads a bounded part of the body. */
export async function describeFailure(response: Response): Promise<string> {
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk as Uint8Array).toString("latin1");
    if (text.length > MAX_BYTES) break;
  }
  const code = /<Code>(\w{1,80})<\/Code>/.exec(text.slice(0, MAX_BYTES))?.[1];
  return `answers ${response.status}${code ? ` (${code})` : ""}`;
}
