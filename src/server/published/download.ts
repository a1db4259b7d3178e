/**
 * Downloads a published archive into a file, unless it is the same as the last one. The upstream is not trusted: bytes and time are
 * bounded, and a truncated body is refused.
 */
import { open, rm } from "node:fs/promises";
import { ProjectError } from "../../lib/errors.ts";
import type { ArchiveRequest, PublishedLocation } from "./location.ts";
import { describeError, describeFailure, startDeadline, type TimeLimits } from "./requests.ts";

/** Identifies a version: the upstream's validators, and the SHA-256 of the bytes for upstreams that send none. */
export interface ArchiveVersion {
  readonly etag: string | null;
  readonly lastModified: string | null;
  readonly sha256: string;
}

export interface DownloadLimits extends TimeLimits {
  readonly maxBytes: number;
}

const LIMITS: DownloadLimits = { maxBytes: 8_000_000_000, stallMs: 30_000, totalMs: 3_600_000 };
const MAX_REDIRECTS = 5;

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** The request for the target of a redirect. Credentials are sent to the same origin only. Throws an Error for an unsafe target. */
function redirectRequest({ url, headers }: ArchiveRequest, location: string | null): ArchiveRequest {
  const from = new URL(url);
  const to = location === null ? null : URL.parse(location, url);
  if (!to) throw new Error("redirects to no valid URL");
  if (to.protocol !== "https:" && to.protocol !== from.protocol)
    throw new Error(`redirects to ${to.protocol}, which is not followed`);
  if (to.username || to.password) throw new Error("redirects to a URL with credentials, which is not followed");
  return { url: to.href, headers: to.origin === from.origin ? headers : {} };
}

async function fetchArchive(
  initialRequest: ArchiveRequest,
  conditions: Record<string, string>,
  signal: AbortSignal,
): Promise<Response> {
  let request = initialRequest;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await fetch(request.url, {
      headers: { ...request.headers, ...conditions, accept: "*/*", "accept-encoding": "identity" },
      redirect: "manual",
      // the archive is itself compressed, and is stored as it is
      decompress: false,
      signal,
    });
    if (!REDIRECTS.has(response.status)) return response;
    await response.body?.cancel();
    request = redirectRequest(request, response.headers.get("location"));
  }
  throw new Error(`redirects more than ${MAX_REDIRECTS} times`);
}

/** Writes the body into a new file. Returns its SHA-256 in hex. */
async function save(
  response: Response,
  file: string,
  deadline: ReturnType<typeof startDeadline>,
  maxBytes: number,
): Promise<string> {
  const length = response.headers.get("content-length");
  const tooLarge = (): Error => new Error(`is larger than ${maxBytes / 1e6} MB`);
  if (length !== null && Number(length) > maxBytes) throw tooLarge();
  const hash = new Bun.CryptoHasher("sha256");
  let bytes = 0;
  await using handle = await open(file, "wx", 0o600);
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    deadline.restartStall();
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge();
    hash.update(chunk);
    await handle.writeFile(chunk);
  }
  if (length !== null && Number(length) !== bytes) throw new Error(`was cut off after ${bytes} of ${length} bytes`);
  return hash.digest("hex");
}

const conditionalHeaders = (last: ArchiveVersion | undefined): Record<string, string> => ({
  ...(last?.etag ? { "if-none-match": last.etag } : {}),
  ...(last?.lastModified && !last.etag ? { "if-modified-since": last.lastModified } : {}),
});

/**
 * Resolves with the version that was written to `file`, or with undefined if it is still `last`. Rejects with a ProjectError
 * that names the location; `file` does not exist then.
 */
export async function download(
  { shown, request }: PublishedLocation,
  last: ArchiveVersion | undefined,
  file: string,
  limits: DownloadLimits = LIMITS,
): Promise<ArchiveVersion | undefined> {
  const deadline = startDeadline(limits, "sent nothing");
  let response: Response | undefined;
  try {
    response = await fetchArchive(request(), conditionalHeaders(last), deadline.signal);
    if (response.status === 304 && last) return undefined;
    if (response.status !== 200) throw new Error(await describeFailure(response));
    const etag = response.headers.get("etag");
    // some servers ignore `If-None-Match`
    if (etag !== null && etag === last?.etag) return undefined;
    const sha256 = await save(response, file, deadline, limits.maxBytes);
    if (sha256 !== last?.sha256) return { etag, lastModified: response.headers.get("last-modified"), sha256 };
    await rm(file, { force: true });
    return undefined;
  } catch (error) {
    await rm(file, { force: true });
    const reason = deadline.signal.aborted ? deadline.signal.reason : error;
    throw new ProjectError(shown, undefined, describeError(reason as Error));
  } finally {
    deadline.end();
    // an unread body would keep the connection open
    if (response?.body && !response.bodyUsed) await response.body.cancel().catch(() => undefined);
  }
}
