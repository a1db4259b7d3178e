/** The admin page over HTTP: one document for all of its paths, and the files that it loads. */

import { pagePaths } from "../admin/ui/page-paths.ts";
import type { HttpRoute } from "../api/http-route.ts";
import { hasTag } from "../api/rest/conditional.ts";
import { notFound } from "../errors.ts";
import { type PageFile, type PageFiles, readPage } from "./admin-bundle.ts";

const ASSETS = "/admin/assets";

/**
 * Nothing but the page's own files runs or is shown; requests go to this server alone, and no other page frames it.
 * ProseMirror parses what is pasted in a document of its own, under the one policy that is named here.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-src 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types ProseMirrorClipboard",
].join("; ");

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
  const accepted = request.headers.get("accept-encoding") ?? "";
  for (const encoding of ENCODINGS) {
    const body = bodies[encoding];
    if (body && new RegExp(`\\b${encoding}\\b(?!;\\s*q=0(\\.0*)?(,|$))`).test(accepted)) return { body, encoding };
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
      return respondWith(request, document, { "Cache-Control": "no-cache", "Content-Security-Policy": POLICY });
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
