/**
 * The manual as a site: its files by name, and responses with them. An executable has them in its archive of `data`; from source
 * `scripts/manual.ts` builds them when they are first asked for.
 */
import { join } from "node:path";
import { SCRIPT, STYLE } from "../../api/embedded-page.ts";
import { readArchived } from "../../lib/data-archive.ts";
import { notFound } from "../../lib/errors.ts";
import { once } from "../../lib/once.ts";

/** Not followed by the bundler: it serves a project itself, and an executable does not need it. */
const BUILDER = join(import.meta.dir, "../../../scripts/manual.ts");

interface Builder {
  readonly buildManual: () => Promise<ReadonlyMap<string, Uint8Array>>;
}

const build = async () => ((await import(BUILDER)) as Builder).buildManual();

export const readManual = once(() => (Bun.isStandaloneExecutable ? readArchived("manual") : build()));

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

const types: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  css: STYLE,
  js: SCRIPT,
  md: "text/markdown; charset=utf-8",
  txt: "text/plain; charset=utf-8",
};

/** An empty name is that of the first page. Rejects with a NotFoundError for an unknown one. */
export async function manualFile(name: string, headers: Headers): Promise<Response> {
  const path = name === "" ? "index.html" : name;
  const content = (await readManual()).get(path);
  if (!content) throw notFound();
  headers.set("Content-Type", types[path.slice(path.lastIndexOf(".") + 1)]!);
  headers.set("Content-Security-Policy", POLICY);
  headers.set("Cache-Control", "no-cache");
  return new Response(content as Uint8Array<ArrayBuffer>, { headers });
}
