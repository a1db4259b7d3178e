/** Pages with scripts and styles that are embedded in the executable, so that they work offline. */
import { notFound } from "../lib/errors.ts";
import { acceptedEncodings } from "./accept-encoding.ts";

export interface PageFile {
  readonly path: string;
  readonly type: string;
}

export const SCRIPT = "text/javascript; charset=utf-8";
export const STYLE = "text/css; charset=utf-8";

export interface EmbeddedPage {
  readonly title: string;
  /** The id of the element that the scripts fill. */
  readonly element: string;
  /** The URL of the files, without a trailing slash. */
  readonly base: string;
  /** By their path below the base, in loading order. */
  readonly files: Readonly<Record<string, PageFile>>;
  /** Part of the files' URLs, so that browsers can cache them until it changes. */
  readonly version: string;
}

/** The content security policy of such pages, which set inline styles. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

export function sendPage({ title, element, base, files, version }: EmbeddedPage, headers: Headers): Response {
  const tags = Object.entries(files).map(([path, { type }]) => {
    const url = `${Bun.escapeHTML(base)}${path}?${version}`;
    return type === SCRIPT ? `<script defer src="${url}"></script>` : `<link rel="stylesheet" href="${url}">`;
  });
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>html, body, #${element} { height: 100%; margin: 0; }</style>
${tags.join("\n")}
</head>
<body><div id="${element}">Loading…</div></body>
</html>
`;
  headers.set("Content-Type", "text/html; charset=utf-8");
  headers.set("Content-Security-Policy", POLICY);
  headers.set("Cache-Control", "no-store");
  return new Response(page, { headers });
}

/** Throws a NotFoundError for any other path or method. */
export function sendPageFile(files: EmbeddedPage["files"], path: string, request: Request, headers: Headers): Response {
  const file = Object.hasOwn(files, path) ? files[path] : undefined;
  if (!file || (request.method !== "GET" && request.method !== "HEAD")) throw notFound();
  headers.set("Content-Type", file.type);
  headers.set("Cache-Control", "public, max-age=31536000, immutable");
  const content = Bun.file(file.path);
  // executables embed compressed files
  if (!file.path.endsWith(".gz")) return new Response(content, { headers });
  headers.append("Vary", "Accept-Encoding");
  if (!acceptedEncodings(request).has("gzip")) {
    return new Response(content.stream().pipeThrough(new DecompressionStream("gzip")), { headers });
  }
  headers.set("Content-Encoding", "gzip");
  return new Response(content, { headers });
}
