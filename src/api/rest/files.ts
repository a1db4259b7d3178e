/** Serves files, with ranges and conditional requests. */

import type { PublicFile, PublicFiles } from "../../engine/media/public-files.ts";
import { ApiError } from "../../lib/errors.ts";
import { setHeaders } from "../http-route.ts";
import { hasTag } from "./respond.ts";

/** Files of up to this size, in bytes, are sent from memory; larger ones are sent by Bun with sendfile. */
const IN_MEMORY_BYTES = 262_144;

/** Types that can run code in the API's origin, also as part of a page: documents, scripts, styles, plugins. */
const ACTIVE =
  /^(?:text\/(?:css|html|javascript|xml|xsl|x-component|cache-manifest)|application\/(?:(?:x-)?(?:java|ecma)script|java-archive|xml|xml-dtd|wasm|x-shockwave-flash)|multipart\/related|[\w.-]+\/[\w.-]+\+xml)(?:;|$)/;

/** Browsers show these. A sandbox would keep their viewers from working. */
const PDF = /^application\/pdf(?:;|$)/;

/** Browsers say in `Sec-Fetch-Dest` what a page wants a file for. */
const CODE_DESTINATION = /^(?:(?:audio|paint)worklet|(?:shared|service)?worker|script|style|xslt)$/;

/** Whether a page of this origin, such as the admin page, loads a file as code. Other sites may load what they trust. */
const isLoadedAsCode = ({ headers }: Request): boolean =>
  headers.get("service-worker") === "script" ||
  (headers.get("sec-fetch-site") === "same-origin" && CODE_DESTINATION.test(headers.get("sec-fetch-dest") ?? ""));

interface Range {
  readonly start: number;
  /** The last byte; may be beyond the end. */
  readonly end: number;
}

/** The first valid range, if any. As in Strapi, suffix ranges are not supported. */
function readRange(header: string): Range | undefined {
  const [unit, list, ...rest] = header.split("=");
  if (unit !== "bytes" || list === undefined || rest.length > 0) return undefined;
  for (const item of list.split(",")) {
    const [from = "", to] = item.split("-").map((text) => text.trim());
    if (!/^\d+$/.test(from) || to === undefined || !/^\d*$/.test(to)) continue;
    const range = { start: Number(from), end: to === "" ? Number.POSITIVE_INFINITY : Number(to) };
    if (range.start <= range.end) return range;
  }
  return undefined;
}

const createEtag = ({ size, modified }: PublicFile): string =>
  `W/"${size.toString(36)}-${modified.getTime().toString(36)}"`;

/** HTTP dates have a resolution of seconds. */
const seconds = (date: Date): number => Math.floor(date.getTime() / 1000);

/** Whether the client has the file already. As in Strapi, `*` and dates in the future do not match. */
function isCachedByClient(headers: Headers, file: PublicFile): boolean {
  const tags = headers.get("if-none-match");
  if (tags !== null) return hasTag(tags, createEtag(file));
  const modifiedSince = Date.parse(headers.get("if-modified-since") ?? "");
  return modifiedSince <= Date.now() && seconds(file.modified) <= modifiedSince / 1000;
}

/** `If-Range`: a range is sent only if the file has not changed; weak tags do not prove that. */
function isSameFile(headers: Headers, { modified }: PublicFile): boolean {
  const condition = headers.get("if-range");
  return condition === null || Date.parse(condition) === seconds(modified) * 1000;
}

function fileHeaders(file: PublicFile): Record<string, string> {
  const { isUpload, type, modified, cacheControl } = file;
  return {
    "Content-Type": type,
    "Cache-Control": cacheControl,
    "Last-Modified": modified.toUTCString(),
    ETag: createEtag(file),
    "Accept-Ranges": "bytes",
    ...(isUpload ? { "X-Content-Type-Options": "nosniff" } : {}),
    // pages can still embed them, but browsers download them instead of running them
    ...(isUpload && ACTIVE.test(type) ? { "Content-Disposition": "attachment" } : {}),
  };
}

/** Adds a policy to that of the project: browsers keep to both. */
function restrict(headers: Headers, { isUpload, type }: PublicFile): void {
  if (isUpload && PDF.test(type)) headers.append("Content-Security-Policy", "script-src 'none'; worker-src 'none'");
}

/** `Bun.file` as a body applies the request's `Range` itself. If that is not wanted, the file is sent as a stream. */
async function readContent(
  part: Blob,
  size: number,
  ignoresRange: boolean,
): Promise<ArrayBuffer | Blob | ReadableStream> {
  if (size <= IN_MEMORY_BYTES) return part.arrayBuffer();
  return ignoresRange ? part.stream().pipeThrough(new TransformStream()) : part;
}

/** Throws NotFoundError for a missing file, and the errors of `PublicFiles`. */
export async function serveFile(
  request: Request,
  path: string,
  files: PublicFiles,
  common: Headers,
): Promise<Response> {
  const isUpload = path.startsWith("/uploads/");
  // sent for missing files as well
  if (isUpload) common.set("Accept-Ranges", "bytes");
  const isHead = request.method === "HEAD";
  const file = await files.find(path);
  const rangeHeader = request.headers.get("range");
  const range = rangeHeader ? readRange(rangeHeader) : undefined;
  if (rangeHeader && !range && isUpload) return notSatisfiable(common);
  if (!file) throw new ApiError("NotFoundError", "Not Found");
  if (file.isUpload && isLoadedAsCode(request)) throw new ApiError("ForbiddenPathError", "Forbidden");
  const headers = setHeaders(new Headers(common), fileHeaders(file));
  restrict(headers, file);
  if (isCachedByClient(request.headers, file)) return new Response(null, { status: 304, headers });
  const isPart = range !== undefined && !isHead && isSameFile(request.headers, file);
  if (isPart && range.start >= file.size) return notSatisfiable(common);
  const start = isPart ? range.start : 0;
  const end = isPart ? Math.min(range.end + 1, file.size) : file.size;
  headers.set("Content-Length", String(end - start));
  if (isPart) headers.set("Content-Range", `bytes ${start}-${end - 1}/${file.size}`);
  if (isHead) return new Response(null, { status: 200, headers });
  const body = await readContent(Bun.file(file.path).slice(start, end), end - start, rangeHeader !== null && !isPart);
  // otherwise Bun would add one with the name on disk
  if (!(body instanceof ArrayBuffer || headers.has("Content-Disposition")))
    headers.set("Content-Disposition", "inline");
  return new Response(body, { status: isPart ? 206 : 200, headers });
}

function notSatisfiable(common: Headers): Response {
  const headers = setHeaders(common, { "Content-Type": "text/plain; charset=utf-8", "Accept-Ranges": "bytes" });
  return new Response("Range Not Satisfiable", { status: 416, headers });
}
