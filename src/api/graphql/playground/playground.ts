/** The page on which people try queries: GraphiQL, with its files embedded, so that it works without the internet. */
import graphiqlPackage from "graphiql/package.json" with { type: "json" };
// the packages do not export their bundles for pages
import style from "../../../../node_modules/graphiql/graphiql.min.css" with { type: "file" };
import graphiql from "../../../../node_modules/graphiql/graphiql.min.js" with { type: "file" };
import react from "../../../../node_modules/react/umd/react.production.min.js" with { type: "file" };
import reactDom from "../../../../node_modules/react-dom/umd/react-dom.production.min.js" with { type: "file" };
import { notFound } from "../../../errors.ts";
import start from "./start.js" with { type: "file" };

interface PageFile {
  readonly path: string;
  readonly type: string;
}

const SCRIPT = "text/javascript; charset=utf-8";

/** By their place below the endpoint; the page loads them in this order. */
const files: Readonly<Record<string, PageFile>> = {
  "/playground/graphiql.css": { path: style, type: "text/css; charset=utf-8" },
  "/playground/react.js": { path: react, type: SCRIPT },
  "/playground/react-dom.js": { path: reactDom, type: SCRIPT },
  "/playground/graphiql.js": { path: graphiql, type: SCRIPT },
  "/playground/start.js": { path: start, type: SCRIPT },
};

/** Just what the page needs; the editor sets styles on elements. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

/** The version in the address lets browsers keep the files. */
const tag = (endpoint: string, place: string, { type }: PageFile): string => {
  const address = `${endpoint}${place}?${graphiqlPackage.version}`;
  return type === SCRIPT ? `<script defer src="${address}"></script>` : `<link rel="stylesheet" href="${address}">`;
};

export function playgroundPage(endpoint: string, headers: Headers): Response {
  const tags = Object.entries(files).map(([place, file]) => tag(Bun.escapeHTML(endpoint), place, file));
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>GraphQL</title>
<link rel="icon" href="data:,">
<style>html, body, #graphiql { height: 100%; margin: 0; }</style>
${tags.join("\n")}
</head>
<body><div id="graphiql">Loading…</div></body>
</html>
`;
  headers.set("Content-Type", "text/html; charset=utf-8");
  headers.set("Content-Security-Policy", POLICY);
  headers.set("Cache-Control", "no-store");
  return new Response(page, { headers });
}

/** Throws a NotFoundError for any other place. */
export function playgroundFile(place: string, method: string, headers: Headers): Response {
  const file = Object.hasOwn(files, place) ? files[place] : undefined;
  if (!file || (method !== "GET" && method !== "HEAD")) throw notFound();
  headers.set("Content-Type", file.type);
  headers.set("Cache-Control", "public, max-age=31536000, immutable");
  return new Response(Bun.file(file.path), { headers });
}
