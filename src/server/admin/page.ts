/** Serves the admin page: one HTML document for all paths, and its assets. */

import Negotiator from "negotiator";
import { acceptedEncodings } from "../../api/accept-encoding.ts";
import { type HttpRoute, splitUrl } from "../../api/http-route.ts";
import { hasTag } from "../../api/rest/respond.ts";
import { notFound } from "../../lib/errors.ts";
import { once } from "../../lib/once.ts";
import { relativePath } from "../../lib/relative-path.ts";
import { contentPolicy } from "../../ui/content-policy.ts";
import { firstRequests } from "../../ui/first-requests.ts";
import { pagePaths } from "../../ui/page-paths.ts";
import { ASSETS, type PageFile, type PageFiles, readPage } from "./bundle.ts";

const HEADERS = {
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Resource-Policy": "same-origin",
} as const;

/** Who leads to the page without having a hold on its window: the user, in the address bar, and the page itself. */
const WITHOUT_OPENER: ReadonlySet<string | null> = new Set(["none", "same-origin"]);

/**
 * Takes the window from a site that has opened it. Not sent to others: it makes browsers start a second process for the page, a
 * third of the time until it is there.
 */
const openerPolicy = ({ headers }: Request): Readonly<Record<string, string>> =>
  WITHOUT_OPENER.has(headers.get("sec-fetch-site")) ? {} : { "Cross-Origin-Opener-Policy": "same-origin" };

/** In order of preference. */
const ENCODINGS = ["br", "gzip"] as const;

function negotiateEncoding(
  request: Request,
  { bodies }: PageFile,
): { readonly body: Uint8Array; readonly encoding?: string } {
  const accepted = acceptedEncodings(request);
  for (const encoding of ENCODINGS) {
    const body = bodies[encoding];
    if (body && accepted.has(encoding)) return { body: body(), encoding };
  }
  return { body: bodies.plain() };
}

function respondWith(
  request: Request,
  file: PageFile,
  extraHeaders: Readonly<Record<string, string>>,
  status: 200 | 404 = 200,
): Response {
  const headers = new Headers({ ...HEADERS, Vary: "Accept-Encoding", ...extraHeaders, "Content-Type": file.type });
  if (status === 200) {
    headers.set("ETag", file.etag);
    const ifNoneMatch = request.headers.get("if-none-match");
    if (ifNoneMatch !== null && hasTag(ifNoneMatch, file.etag)) return new Response(null, { status: 304, headers });
  }
  const { body, encoding } = negotiateEncoding(request, file);
  if (encoding) headers.set("Content-Encoding", encoding);
  headers.set("Content-Length", String(body.length));
  return new Response(request.method === "HEAD" ? null : (body as Uint8Array<ArrayBuffer>), { status, headers });
}

/** For the requests that the page sends first. `crossorigin` makes them those of `fetch`. */
const preloadLink = (url: string): string =>
  `<link rel="preload" as="fetch" crossorigin href="${Bun.escapeHTML(url)}">`;

/**
 * The page routes on the client, so that every path gets the same document but for the preloaded requests, which consist of
 * nothing but its URL. Where browsers do not send `Sec-Fetch-Site`, only a header, which preloads cannot have, shows that
 * requests are the page's own.
 */
async function respondWithDocument(request: Request, policy: string, status?: 404): Promise<Response> {
  const { path, search } = splitUrl(request.url);
  const urls = request.headers.has("sec-fetch-site") ? firstRequests(path, search) : [];
  const links = urls.map((url) => preloadLink(relativePath(path, url)));
  const { documentAt } = await readPage();
  const headers = {
    "Cache-Control": "no-cache",
    "Content-Security-Policy": policy,
    Vary: "Accept-Encoding, Sec-Fetch-Site",
    ...openerPolicy(request),
  };
  return respondWith(request, documentAt(path, links), headers, status);
}

const OWN_PATH = /^\/admin\/(?!(?:api|assets)\/)/;

/** A browser that opens a path below `/admin` in a window: programs send a token, or ask for no HTML. */
export function opensPage({ method, headers }: Request, path: string): boolean {
  const accept = headers.get("accept");
  if (method !== "GET" || accept === null || headers.has("authorization") || !OWN_PATH.test(path)) return false;
  return new Negotiator({ headers: { accept } }).mediaType(["application/json", "text/html"]) === "text/html";
}

function findAsset({ assets }: PageFiles, name: string): PageFile {
  const file = assets.get(name);
  if (!file) throw notFound();
  return file;
}

const assetRoute: HttpRoute = {
  method: "GET",
  path: `${ASSETS}/:name`,
  handle: async ({ request, params }) =>
    respondWith(request, findAsset(await readPage(), params.name ?? ""), {
      "Cache-Control": "public, max-age=31536000, immutable",
    }),
};

interface Page {
  readonly pageFiles: readonly HttpRoute[];
  /** The document for paths that the page has nothing for, which it says itself. */
  readonly missingDocument: (request: Request) => Promise<Response>;
}

/** `frameOrigins`: what the page may show in a frame, besides itself. */
export function createPage(frameOrigins: () => readonly string[]): Page {
  const policy = once(() => contentPolicy(frameOrigins()));
  const documentRoute = (path: string): HttpRoute => ({
    method: "GET",
    path,
    handle: ({ request }) => respondWithDocument(request, policy()),
  });
  return {
    pageFiles: [
      documentRoute("/admin"),
      documentRoute("/admin/"),
      ...pagePaths.flatMap((name) => [documentRoute(`/admin/${name}`), documentRoute(`/admin/${name}/*`)]),
      assetRoute,
    ],
    missingDocument: (request) => respondWithDocument(request, policy(), 404),
  };
}
