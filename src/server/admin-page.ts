/** The admin page over HTTP: one document for all of its paths, and the files that it loads. */

import { CONTENT_POLICY } from "../admin/ui/content-policy.ts";
import { pagePaths } from "../admin/ui/page-paths.ts";
import { acceptedEncodings } from "../api/accept-encoding.ts";
import type { HttpRoute } from "../api/http-route.ts";
import { hasTag } from "../api/rest/conditional.ts";
import { notFound } from "../errors.ts";
import { type PageFile, type PageFiles, readPage } from "./admin-bundle.ts";

const ASSETS = "/admin/assets";

const HEADERS = {
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
} as const;

/** In order of preference. */
const ENCODINGS = ["br", "gzip"] as const;

function encoded(request: Request, { bodies }: PageFile): { readonly body: Uint8Array; readonly encoding?: string } {
  const accepted = acceptedEncodings(request);
  for (const encoding of ENCODINGS) {
    const body = bodies[encoding];
    if (body && accepted.has(encoding)) return { body: body(), encoding };
  }
  return { body: bodies.plain() };
}

function respondWith(request: Request, file: PageFile, own: Readonly<Record<string, string>>): Response {
  const headers = new Headers({
    ...HEADERS,
    ...own,
    "Content-Type": file.type,
    ETag: file.etag,
    Vary: "Accept-Encoding",
  });
  const known = request.headers.get("if-none-match");
  if (known !== null && hasTag(known, file.etag)) return new Response(null, { status: 304, headers });
  const { body, encoding } = encoded(request, file);
  if (encoding) headers.set("Content-Encoding", encoding);
  headers.set("Content-Length", String(body.length));
  return new Response(request.method === "HEAD" ? null : (body as Uint8Array<ArrayBuffer>), { status: 200, headers });
}

/** Every path of the page gets the same document: what it shows is in its URL. */
function documentRoute(path: string): HttpRoute {
  return {
    method: "GET",
    path,
    handle: async ({ request }) => {
      const { document } = await readPage();
      return respondWith(request, document, { "Cache-Control": "no-cache", "Content-Security-Policy": CONTENT_POLICY });
    },
  };
}

function assetOf({ assets }: PageFiles, name: string): PageFile {
  const file = assets.get(name);
  if (!file) throw notFound();
  return file;
}

export const pageFiles = (): HttpRoute[] => [
  documentRoute("/admin"),
  ...pagePaths.flatMap((name) => [documentRoute(`/admin/${name}`), documentRoute(`/admin/${name}/*`)]),
  {
    method: "GET",
    path: `${ASSETS}/:name`,
    handle: async ({ request, params }) =>
      respondWith(request, assetOf(await readPage(), params.name ?? ""), {
        "Cache-Control": "public, max-age=31536000, immutable",
      }),
  },
];
