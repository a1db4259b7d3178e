/** Reads a file from a public URL. Every address that is called is public, also those of redirects. */

import { ApiError, applicationError, errorMessage } from "../../lib/errors.ts";
import {
  isIPv4,
  isPublic,
  parseHost,
  publicAddress,
  type Target,
  targetAt,
  UNREACHABLE,
} from "../../lib/public-address.ts";
import { formatSize } from "./sizes.ts";

/** Returns the address to call for a URL. Throws an ApplicationError for one that must not be called. */
export type Locate = (url: string) => Promise<Target>;

export interface Download {
  readonly filename: string;
  /** The declared type. */
  readonly type: string;
  /** In bytes, as declared; null for none. */
  readonly total: number | null;
  /** Throws an ApplicationError for a body that exceeds the limit. */
  readonly stream: AsyncIterable<Uint8Array>;
}

const TIMEOUT_MS = 60_000;
const MAX_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];

const tooLarge = (limit: number): ApiError =>
  applicationError(`File too large: maximum allowed size is ${formatSize(limit)}`);

function checkUrl(url: string): void {
  const parsed = URL.parse(url);
  if (!parsed) throw applicationError(`Invalid URL: ${url}`);
  if (!/^https?:$/.test(parsed.protocol))
    throw applicationError(`Invalid URL protocol. Only http and https are allowed: ${url}`);
}

/** Names that cannot be public are refused without asking a name server. */
export const locatePublic: Locate = async (url) => {
  const blocked = applicationError(`URL resolves to a blocked address: ${url}`);
  if (!isPublic(url)) throw blocked;
  if (isIPv4(parseHost(url))) return { url };
  const address = await publicAddress(url).catch((error: unknown) => {
    throw error instanceof Error && error.message === UNREACHABLE ? blocked : error;
  });
  if (address === undefined) throw applicationError(`Could not resolve hostname: ${parseHost(url)}`);
  return targetAt(url, address);
};

/** A declared name, or the last part of the path; names with characters that cannot be decoded are kept as they are. */
function parseFilename(url: string, disposition: string | null): string {
  const declared = /filename\*?=['"]?(?:UTF-\d['"]*)?([^;\r\n"']*)['"]?/i.exec(disposition ?? "")?.[1];
  const encoded = declared || new URL(url).pathname.split("/").at(-1);
  let name = encoded ?? "";
  try {
    name = decodeURIComponent(name);
  } catch {
    // kept
  }
  const [date, time = ""] = new Date().toISOString().split("T");
  const last = name.split(/[/\\]/).at(-1);
  return last && last !== "." && last !== ".." ? last : `untitled_${date}_${time.slice(0, 8).replaceAll(":", "")}`;
}

async function request(
  first: string,
  locate: Locate,
  signal: AbortSignal,
): Promise<{ url: string; response: Response }> {
  let url = first;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    checkUrl(url);
    const { url: address, host, tls } = await locate(url);
    const response = await fetch(address, {
      headers: host === undefined ? {} : { Host: host },
      ...(tls ? { tls } : {}),
      redirect: "manual",
      signal,
    });
    const location = response.headers.get("location");
    if (!REDIRECTS.includes(response.status) || location === null) return { url, response };
    await response.body?.cancel();
    url = URL.parse(location, url)?.href ?? location;
  }
  throw applicationError(`Too many redirects: ${first}`);
}

/** `limit` in bytes; 0: none. Throws an ApplicationError with the reason why the file cannot be had. */
export async function download(
  url: string,
  limit: number,
  closing: AbortSignal,
  locate: Locate = locatePublic,
): Promise<Download> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const timedOut = () => applicationError(`Request timed out while fetching URL: ${url}`);
  const { url: found, response } = await request(url, locate, AbortSignal.any([timeout, closing])).catch((error) => {
    if (error instanceof ApiError) throw error;
    if (timeout.aborted) throw timedOut();
    throw applicationError(`Failed to fetch URL: ${url} (${errorMessage(error)})`);
  });
  const { status, statusText, headers } = response;
  const declared = Number.parseInt(headers.get("content-length") ?? "", 10);
  const total = Number.isNaN(declared) ? null : declared;
  const isTooLarge = limit > 0 && (total ?? 0) > limit;
  if (!response.ok || isTooLarge) {
    await response.body?.cancel();
    throw isTooLarge && response.ok
      ? tooLarge(limit)
      : applicationError(`Failed to fetch URL: ${url} (${status} ${statusText})`);
  }
  async function* limited(): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    try {
      for await (const chunk of response.body ?? []) {
        bytes += chunk.length;
        if (limit > 0 && bytes > limit) throw tooLarge(limit);
        yield chunk;
      }
    } catch (error) {
      throw timeout.aborted && !(error instanceof ApiError) ? timedOut() : error;
    }
  }
  const type = headers.get("content-type")?.split(";")[0] || "application/octet-stream";
  return { filename: parseFilename(found, headers.get("content-disposition")), type, total, stream: limited() };
}
