/** Requests to a store or web server: how long they may take, and how their failures are described. */
export interface TimeLimits {
  /** Milliseconds without a byte. */
  readonly stallMs: number;
  /** Milliseconds for the whole transfer. */
  readonly totalMs: number;
}

/**
 * Aborts a transfer that stalls or takes too long; the abort reason says which. `stalled`: what the upstream did not do ("sent nothing").
 * `end` must be called in any case: a running timer keeps the process alive.
 */
export function startDeadline({ stallMs, totalMs }: TimeLimits, stalled: string) {
  const controller = new AbortController();
  const abort = (reason: string): void => controller.abort(new Error(reason));
  const total = setTimeout(() => abort(`took longer than ${totalMs / 1000} seconds`), totalMs);
  const stall = setTimeout(() => abort(`${stalled} for ${stallMs / 1000} seconds`), stallMs);
  /** Data has been transferred. */
  const restartStall = (): void => void stall.refresh();
  const end = (): void => {
    clearTimeout(stall);
    clearTimeout(total);
  };
  return { signal: controller.signal, restartStall, end };
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
