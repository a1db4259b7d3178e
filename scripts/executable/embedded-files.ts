/** Files that the source imports for their paths. An executable has them in a module of their own, by which they are found. */
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import type { BunPlugin } from "bun";

const root = join(import.meta.dir, "../..");

/** What scripts make before an executable is compiled, files of packages, and scripts of pages. */
const EMBEDDED = /^(?:dist\/[^/]+|node_modules\/.*\.(?:js|css)|src\/.*\/start\.js)$/;
/** Those that browsers get, and texts. The others are compressed already. */
const COMPRESSIBLE = /\.(?:js|css|txt)$/;

/** Fonts in a style sheet are longer than the page that it is for, which is shown in the system's without them. */
const FONT = /@font-face\s*\{[^}]*\}/g;

async function readEmbedded(source: string): Promise<string | Uint8Array<ArrayBuffer>> {
  const file = Bun.file(source);
  return source.endsWith(".css") ? (await file.text()).replaceAll(FONT, "") : file.bytes();
}

export const FILES_MODULE = "files.js";

export class EmbeddedFiles {
  readonly #folder: string;
  /** Where each file is, by its name in the module. */
  readonly #paths = new Map<string, string>();

  /** Compressed copies are written into `folder`; their names end in `.gz`. */
  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  async #add(source: string): Promise<string> {
    const name = `file_${source.replace(root, "").replaceAll(/\W+/g, "_")}`;
    if (this.#paths.has(name)) return name;
    this.#paths.set(name, source);
    if (!COMPRESSIBLE.test(source)) return name;
    // two pages have a script of the same name
    const file = join(this.#folder, `${this.#paths.size}-${basename(source)}.gz`);
    this.#paths.set(name, file);
    writeFileSync(file, Bun.gzipSync(await readEmbedded(source), { level: 9 }));
    return name;
  }

  /** Leads imports of files to the module. */
  get plugin(): BunPlugin {
    return {
      name: "embed files",
      setup: (build) => {
        build.onResolve({ filter: /^\./ }, ({ path, importer, kind }) => {
          if (kind !== "import-statement" && kind !== "dynamic-import") return undefined;
          const file = join(importer, "..", path);
          const isEmbedded =
            importer.startsWith(join(root, "src")) && EMBEDDED.test(relative(root, file).replaceAll("\\", "/"));
          // the bundler would treat a module with the path of a known package as CommonJS
          return isEmbedded ? { path: encodeURIComponent(file), namespace: "embedded" } : undefined;
        });
        build.onResolve({ filter: new RegExp(`^\\./${FILES_MODULE}$`) }, ({ path }) => ({ path, external: true }));
        build.onLoad({ filter: /.*/, namespace: "embedded" }, async ({ path }) => ({
          contents: `export { ${await this.#add(decodeURIComponent(path))} as default } from "./${FILES_MODULE}";`,
          loader: "js",
        }));
      },
    };
  }

  get paths(): readonly string[] {
    return [...this.#paths.values()];
  }

  /** The text of the module. */
  get module(): string {
    return [...this.#paths]
      .map(([name, path]) => `export { default as ${name} } from ${JSON.stringify(path)} with { type: "file" };\n`)
      .join("");
  }
}
