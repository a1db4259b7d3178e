/** The modules of a project's compiled files: `require`, `import()` and `module` as Node.js has them, also for computed names. */
import { createRequire, Module } from "node:module";
import { dirname, isAbsolute, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Find, isInPackage, loadInstalled, type Target } from "./imports.ts";
import { type ImportKind, isModuleFile, prepareToLoad } from "./node-resolution.ts";

/** What the compiler writes for properties of a file. */
export const PROPERTIES = "__galley_file__";
export const fileProperties: Readonly<Record<string, string>> = {
  "import.meta.filename": `${PROPERTIES}.filename`,
  "import.meta.resolve": `${PROPERTIES}.resolveUrl`,
};

interface FileProperties {
  readonly filename: string;
  readonly resolveUrl: (specifier: string) => string;
}

interface Variables {
  readonly strapi: unknown;
  readonly fetch: unknown;
  /** `process.exit` */
  readonly exit: unknown;
}

type OwnRequire = NodeJS.Require & { readonly import: (specifier: unknown) => Promise<unknown> };

interface OwnModule {
  readonly id: string;
  exports: unknown;
  readonly require: OwnRequire;
}

/** A compiled file. The function that it returns is the one around the file's code. */
export type Factory = (
  variables: Variables,
  file: FileProperties,
  module: OwnModule,
) => (exports: unknown, require: OwnRequire, module: OwnModule) => void;

/** A package may have one file for `import()` and another one for `require`. */
export const linkKey = (specifier: string, isDynamic: boolean): string =>
  isDynamic ? `import ${specifier}` : specifier;

interface ModuleOptions {
  readonly root: string;
  /** The file that was started, absolute; without one it is Strapi's executable. */
  readonly main: string | undefined;
  readonly find: Find;
  /** What was found while a file was compiled, by file and `linkKey`. */
  readonly links: ReadonlyMap<string, ReadonlyMap<string, Target>>;
  readonly variables: Variables;
}

/** Of Node.js's own modules only this one depends on the file. */
const OF_FILE = /^(?:node:)?module$/;

/** Files that are not compiled and were loaded; a new generation loads them again. */
const loadedFiles = new Set<string>();

export function forgetLoadedFiles(): void {
  for (const file of loadedFiles) delete createRequire(file).cache[file];
  loadedFiles.clear();
}

const notFound = (specifier: string, importer: string): Error =>
  Object.assign(new Error(`Cannot find module '${specifier}'\nRequire stack:\n- ${importer}`), {
    code: "MODULE_NOT_FOUND",
    requireStack: [importer],
  });

/** The namespace that TypeScript makes of what `require` returns. */
function createNamespace(exported: unknown): unknown {
  if (Object(exported) !== exported) return { default: exported };
  return (exported as { __esModule?: unknown }).__esModule ? exported : { ...(exported as object), default: exported };
}

export class CodeModules {
  readonly #options: ModuleOptions;
  readonly #factories: ReadonlyMap<string, Factory>;
  readonly #main: string;
  readonly #modules = new Map<string, OwnModule>();
  /** Files that are evaluated, or have been. */
  readonly #started = new Set<string>();

  constructor(options: ModuleOptions, factories: ReadonlyMap<string, Factory>) {
    this.#options = options;
    this.#factories = factories;
    this.#main = options.main ?? join(options.root, "node_modules/@strapi/strapi/bin/strapi.js");
  }

  /** Evaluates a compiled file once. Throws its error, again for each import. */
  load(file: string): unknown {
    const module = this.#module(file);
    if (this.#started.has(file)) return module.exports;
    this.#started.add(file);
    const properties = { filename: file, resolveUrl: (specifier: string) => this.#resolveUrl(specifier, file) };
    try {
      const run = this.#factories.get(file)!(this.#options.variables, properties, module);
      run.call(module.exports, module.exports, module.require, module);
    } catch (error) {
      this.#started.delete(file);
      this.#modules.delete(file);
      throw error;
    }
    return module.exports;
  }

  #module(file: string): OwnModule {
    return this.#modules.getOrInsertComputed(file, () => ({
      id: file === this.#main ? "." : file,
      filename: file,
      path: dirname(file),
      paths: createRequire(file).resolve.paths("_") ?? [],
      loaded: true,
      children: [],
      exports: {},
      parent: file === this.#main ? null : this.#module(this.#main),
      require: this.#createRequire(file),
    }));
  }

  #resolve(specifier: unknown, importer: string, kind: ImportKind): Target {
    if (typeof specifier !== "string")
      throw Object.assign(
        new TypeError(
          `The "id" argument must be of type string. Received ${specifier === null ? "null" : typeof specifier}`,
        ),
        { code: "ERR_INVALID_ARG_TYPE" },
      );
    const { links, find } = this.#options;
    const found = links.get(importer)?.get(linkKey(specifier, kind === "import")) ?? find(specifier, importer, kind);
    if (found) return found;
    throw notFound(specifier, importer);
  }

  #load(target: Target, importer: string): unknown {
    if ("load" in target) return target.load();
    const { file } = target;
    if (this.#factories.has(file)) return this.load(file);
    if (!isAbsolute(file)) return createRequire(importer)(file);
    if (!isInPackage(file)) loadedFiles.add(file);
    return loadInstalled(file);
  }

  #createRequire(importer: string): OwnRequire {
    const native = createRequire(importer);
    const own = (specifier: unknown): unknown => {
      if (typeof specifier === "string" && OF_FILE.test(specifier)) return this.#nodeModule;
      return this.#load(this.#resolve(specifier, importer, "require"), importer);
    };
    const resolveFile = (specifier: string, { paths }: { readonly paths?: readonly string[] } = {}): string => {
      for (const from of paths?.map((folder) => join(folder, "_.js")) ?? [importer]) {
        const found = this.#options.find(specifier, from, "require");
        if (found && "file" in found) return found.file;
      }
      throw notFound(specifier, importer);
    };
    const made = Object.assign(own, {
      resolve: Object.assign(resolveFile, { paths: (specifier: string) => native.resolve.paths(specifier) }),
      cache: native.cache,
      extensions: native.extensions,
    });
    return Object.defineProperties(made, {
      main: { get: () => this.#module(this.#main), enumerable: true },
      import: { value: (specifier: unknown) => this.#import(specifier, importer) },
    }) as unknown as OwnRequire;
  }

  async #import(specifier: unknown, importer: string): Promise<unknown> {
    const text = String(specifier);
    const target = this.#resolve(text.startsWith("file:") ? fileURLToPath(text) : text, importer, "import");
    if ("load" in target || this.#factories.has(target.file)) return createNamespace(this.#load(target, importer));
    const { file } = target;
    // a module that awaits can only be imported
    if (isInPackage(file) && !isModuleFile(file)) return createNamespace(loadInstalled(file));
    if (isAbsolute(file)) prepareToLoad(file);
    if (isAbsolute(file) && !isInPackage(file)) loadedFiles.add(file);
    return import(file);
  }

  #resolveUrl(specifier: string, importer: string): string {
    const target = this.#resolve(specifier, importer, "import");
    return "file" in target && isAbsolute(target.file) ? pathToFileURL(target.file).href : specifier;
  }

  /** `node:module` */
  readonly #nodeModule = new Proxy(Module, {
    get: (target, name) => {
      if (name !== "createRequire") return Reflect.get(target, name);
      return (from: string | URL): NodeJS.Require => {
        createRequire(from);
        const isUrl = from instanceof URL || from.startsWith("file:");
        return this.#createRequire(isUrl ? fileURLToPath(from) : from);
      };
    },
  });
}
