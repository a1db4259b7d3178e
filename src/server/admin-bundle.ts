/**
 * The files of the admin page. From source they are bundled with the first request, and again when they have changed; an
 * executable has an archive of them, which `scripts/embed-admin.ts` makes before the executable is compiled.
 */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

export interface PageFile {
  /** Its media type. */
  readonly type: string;
  readonly etag: string;
  readonly bodies: {
    readonly plain: () => Uint8Array;
    readonly gzip: () => Uint8Array;
    readonly br?: () => Uint8Array;
  };
}

export interface PageFiles {
  readonly document: PageFile;
  /** By their names, which change with their content. */
  readonly assets: ReadonlyMap<string, PageFile>;
}

export const SOURCE = join(import.meta.dir, "../admin/ui");
export const DOCUMENT = "index.html";

const types: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  svg: "image/svg+xml",
};

const typeOf = (name: string): string => types[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream";

const documentOf = (head: readonly string[]): string => `<!doctype html>
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

/** Bundles the source. Returns the text of each file by its name; throws with the bundler's messages. */
export async function bundlePage(): Promise<ReadonlyMap<string, string>> {
  const { success, logs, outputs } = await Bun.build({
    entrypoints: [join(SOURCE, "main.tsx"), join(SOURCE, "styles/index.css")],
    root: SOURCE,
    target: "browser",
    format: "esm",
    splitting: true,
    minify: true,
    // parts that several entries share are named after one of them
    naming: { entry: "[name]-[hash].[ext]", chunk: "part-[name]-[hash].[ext]", asset: "[name]-[hash].[ext]" },
    define: { "process.env.NODE_ENV": '"production"' },
    throw: false,
  });
  if (!success) throw new Error(`the admin page was not bundled:\n${logs.join("\n")}`);
  const files = new Map<string, string>();
  for (const output of outputs) files.set(output.path.replace(/^.*[\\/]/, ""), await output.text());
  const icon = await Bun.file(join(SOURCE, "icon.svg")).text();
  files.set(`icon-${Bun.hash(icon).toString(36)}.svg`, icon);
  const named = (pattern: RegExp): string => {
    const name = [...files.keys()].find((key) => pattern.test(key));
    if (!name) throw new Error(`the admin page has no file like ${pattern}`);
    return `/admin/assets/${name}`;
  };
  const head = [
    `<link rel="icon" type="image/svg+xml" href="${named(/^icon-.*\.svg$/)}">`,
    `<link rel="stylesheet" href="${named(/^index-.*\.css$/)}">`,
    `<script type="module" src="${named(/^main-.*\.js$/)}"></script>`,
  ];
  return files.set(DOCUMENT, documentOf(head));
}

const etagOf = (bytes: Uint8Array | string): string => `"${Bun.hash(bytes).toString(36)}"`;

function bundledFile(name: string, text: string): PageFile {
  const plain = new TextEncoder().encode(text);
  return {
    type: typeOf(name),
    etag: etagOf(text),
    bodies: { plain: () => plain, gzip: once(() => Bun.gzipSync(plain)) },
  };
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function pageOf(files: ReadonlyMap<string, PageFile>): PageFiles {
  const document = files.get(DOCUMENT);
  if (!document) throw new Error("the admin page has no document");
  return { document, assets: new Map([...files].filter(([name]) => name !== DOCUMENT)) };
}

/** The archive has each file as most browsers take it, in brotli. Others, and browsers without TLS, get it converted. */
async function readArchive(): Promise<PageFiles> {
  const { default: path } = await import("../../dist/admin.tar", { with: { type: "file" } });
  const archive = await new Bun.Archive(await Bun.file(path).bytes()).files();
  const { brotliDecompressSync } = await import("node:zlib");
  const files = new Map<string, PageFile>();
  for (const [key, file] of archive) {
    const name = key.slice(0, -".br".length);
    const br = new Uint8Array(await file.arrayBuffer());
    const plain = (): Uint8Array<ArrayBuffer> => new Uint8Array(brotliDecompressSync(br));
    const bodies = { plain, gzip: once(() => Bun.gzipSync(plain())), br: () => br };
    files.set(name, { type: typeOf(name), etag: etagOf(br), bodies });
  }
  return pageOf(files);
}

/** When the newest file of the source was changed. */
const changedAt = (): number =>
  Math.max(
    ...readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).map((name) => statSync(join(SOURCE, name)).mtimeMs),
  );

/** So long files are not looked at again. */
const RECHECK_MS = 500;

let current: { readonly files: Promise<PageFiles>; readonly changedAt: number; checkedAt: number } | undefined;

const bundled = async (): Promise<PageFiles> =>
  pageOf(new Map([...(await bundlePage())].map(([name, text]) => [name, bundledFile(name, text)])));

/** The page's files, which are kept. Throws where they cannot be bundled. */
export function readPage(): Promise<PageFiles> {
  const hasSource = !Bun.isStandaloneExecutable && existsSync(SOURCE);
  const now = performance.now();
  if (current && (!hasSource || now - current.checkedAt < RECHECK_MS)) return current.files;
  const newest = hasSource ? changedAt() : 0;
  if (current?.changedAt === newest) current.checkedAt = now;
  else {
    const files = hasSource ? bundled() : readArchive();
    current = { files, changedAt: newest, checkedAt: now };
    // the next request tries again
    files.catch(() => {
      current = undefined;
    });
  }
  return current.files;
}
