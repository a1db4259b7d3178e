/**
 * The files of the admin page. When Galley runs from source, they are bundled on the first request and again after a change.
 * An executable embeds an archive of them, built by `scripts/embed-admin.ts`.
 */

import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { BunPlugin } from "bun";
import { once } from "../../lib/once.ts";
import { relativePath } from "../../lib/relative-path.ts";

export interface PageFile {
  /** Media type, for `Content-Type`. */
  readonly type: string;
  readonly etag: string;
  readonly bodies: {
    readonly plain: () => Uint8Array;
    readonly gzip?: () => Uint8Array;
    readonly br?: () => Uint8Array;
  };
}

export interface PageFiles {
  /** The HTML document at a path, which loads the resources of these links in addition. */
  readonly documentAt: (path: string, links: readonly string[]) => PageFile;
  /** By file name, which contains a hash of the content. */
  readonly assets: ReadonlyMap<string, PageFile>;
}

export const SOURCE = join(import.meta.dir, "../../ui");
export const DOCUMENT = "index.html";
/** Where the files are served. */
export const ASSETS = "/admin/assets";

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  svg: "image/svg+xml",
  woff2: "font/woff2",
};

export const findMediaType = (name: string): string =>
  MEDIA_TYPES[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream";

const renderDocument = (head: readonly string[]): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Galley</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
${head.join("\n")}
</head>
<body>
<div id="app"></div>
<noscript>The admin page needs JavaScript.</noscript>
</body>
</html>
`;

const MAIN = /^main-.*\.js$/;
/** The file that has the letters of the page's own texts. */
const FIRST_FONT = /-latin-wght-.*\.woff2$/;

/** Fonts as files of their own: the bundler would write them into the style sheet. Hands each to `add`. */
export const fontFiles = (add: (name: string, bytes: Uint8Array<ArrayBuffer>) => void): BunPlugin => ({
  name: "fonts",
  setup(build) {
    build.onResolve({ filter: /\.woff2$/ }, async ({ path, importer }) => {
      const bytes = await Bun.file(Bun.resolveSync(path, dirname(importer))).bytes();
      const name = `${basename(path, ".woff2")}-${Bun.hash(bytes).toString(36)}.woff2`;
      add(name, bytes);
      return { path: `./${name}`, external: true };
    });
  },
});

/** V8 compiles functions before they are called, beside loading: nearly all of the first script runs at the start. */
const COMPILE_HINT = "//# allFunctionsCalledOnLoad\n";

/** Bundles the page. Returns each file by name: text, or bytes of fonts. Throws an Error with the bundler's messages. */
export async function bundlePage(): Promise<ReadonlyMap<string, string | Uint8Array<ArrayBuffer>>> {
  const files = new Map<string, string | Uint8Array<ArrayBuffer>>();
  const { success, logs, outputs } = await Bun.build({
    entrypoints: [join(SOURCE, "main.tsx"), join(SOURCE, "styles/index.css")],
    root: SOURCE,
    target: "browser",
    format: "esm",
    splitting: true,
    minify: true,
    // its table of all files would be a twentieth of the first script
    modulePreload: false,
    // a chunk that several entries share is named after one of them
    naming: { entry: "[name]-[hash].[ext]", chunk: "part-[name]-[hash].[ext]", asset: "[name]-[hash].[ext]" },
    define: { "process.env.NODE_ENV": '"production"' },
    plugins: [fontFiles((name, bytes) => files.set(name, bytes))],
    throw: false,
  });
  if (!success) throw new Error(`the admin page was not bundled:\n${logs.join("\n")}`);
  for (const output of outputs) {
    const name = output.path.replace(/^.*[\\/]/, "");
    files.set(name, (MAIN.test(name) ? COMPILE_HINT : "") + (await output.text()));
  }
  const icon = await Bun.file(join(SOURCE, "icon.svg")).text();
  files.set(`icon-${Bun.hash(icon).toString(36)}.svg`, icon);
  const findName = (pattern: RegExp): string => {
    const name = [...files.keys()].find((key) => pattern.test(key));
    if (!name) throw new Error(`the admin page has no file like ${pattern}`);
    return name;
  };
  const assetUrl = (pattern: RegExp): string => `${ASSETS}/${findName(pattern)}`;
  const head = [
    // the page shows it after its first content; without an icon browsers request another one
    `<link rel="icon" type="image/svg+xml" href="data:," data-href="${findName(/^icon-.*\.svg$/)}">`,
    `<link rel="stylesheet" href="${assetUrl(/^index-.*\.css$/)}">`,
    `<link rel="preload" as="font" type="font/woff2" crossorigin href="${assetUrl(FIRST_FONT)}">`,
    // without `blocking` browsers draw an empty page before they run it
    `<script type="module" blocking="render" src="${assetUrl(MAIN)}"></script>`,
  ];
  return files.set(DOCUMENT, renderDocument(head));
}

const createEtag = (bytes: Uint8Array | string): string => `"${Bun.hash(bytes).toString(36)}"`;

function toPageFile(name: string, content: string | Uint8Array<ArrayBuffer>): PageFile {
  const plain = typeof content === "string" ? new TextEncoder().encode(content) : content;
  return {
    type: findMediaType(name),
    etag: createEtag(content),
    bodies: { plain: () => plain, gzip: once(() => Bun.gzipSync(plain)) },
  };
}

const HEAD_END = "</head>";

function toPageFiles(files: ReadonlyMap<string, PageFile>): PageFiles {
  const document = files.get(DOCUMENT);
  if (!document) throw new Error("the admin page has no document");
  const text = once(() => new TextDecoder().decode(document.bodies.plain()));
  return {
    // smaller than a packet, so that it is not compressed
    documentAt: (path, links) => {
      const placed = text().replaceAll(ASSETS, relativePath(path, ASSETS));
      const whole = placed.replace(HEAD_END, () => [...links, HEAD_END].join("\n"));
      const plain = new TextEncoder().encode(whole);
      return { type: document.type, etag: createEtag(plain), bodies: { plain: () => plain } };
    },
    assets: new Map([...files].filter(([name]) => name !== DOCUMENT)),
  };
}

/** The archive stores files in Brotli. Clients that do not accept it (browsers without TLS, for example) get gzip or plain bytes. */
async function readArchive(): Promise<PageFiles> {
  const { default: path } = await import("../../../dist/admin.tar", { with: { type: "file" } });
  const archive = await new Bun.Archive(await Bun.file(path).bytes()).files();
  const { brotliDecompressSync } = await import("node:zlib");
  const files = new Map<string, PageFile>();
  for (const [key, file] of archive) {
    const name = key.slice(0, -".br".length);
    const br = new Uint8Array(await file.arrayBuffer());
    const plain = (): Uint8Array<ArrayBuffer> => new Uint8Array(brotliDecompressSync(br));
    const bodies = { plain, gzip: once(() => Bun.gzipSync(plain())), br: () => br };
    files.set(name, { type: findMediaType(name), etag: createEtag(br), bodies });
  }
  return toPageFiles(files);
}

/** Modification time of the newest source file, in milliseconds since 1970. */
const newestChange = (): number =>
  Math.max(
    ...readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).map((name) => statSync(join(SOURCE, name)).mtimeMs),
  );

/** Minimum time between two checks for changed files. */
const RECHECK_MS = 500;

let cache: { readonly files: Promise<PageFiles>; readonly changedAt: number; checkedAt: number } | undefined;

const bundled = async (): Promise<PageFiles> =>
  toPageFiles(new Map([...(await bundlePage())].map(([name, content]) => [name, toPageFile(name, content)])));

/** Returns the page's files, cached. Rejects when they cannot be bundled. */
export function readPage(): Promise<PageFiles> {
  const hasSource = !Bun.isStandaloneExecutable && existsSync(SOURCE);
  const now = performance.now();
  if (cache && (!hasSource || now - cache.checkedAt < RECHECK_MS)) return cache.files;
  const newest = hasSource ? newestChange() : 0;
  if (cache?.changedAt === newest) cache.checkedAt = now;
  else {
    const files = hasSource ? bundled() : readArchive();
    cache = { files, changedAt: newest, checkedAt: now };
    // a failure is not cached
    files.catch(() => {
      cache = undefined;
    });
  }
  return cache.files;
}
