/**
 * `require`, `import()` and `module` of each file of a bundle. What the bundler cannot follow, such as `require("./jobs/" + name)`, would
 * otherwise be resolved from the bundle, which is in another folder.
 */
import { createRequire, Module } from "node:module";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isNodeBuiltin } from "./node-resolution.ts";
import { replaceInCode } from "./replace-in-code.ts";

/** Where an import leads: a file, or a package that Galley provides. */
export type Target = { readonly file: string } | { readonly provided: () => unknown };

export interface ScopeOptions {
  readonly root: string;
  /** The file that was started, absolute; without one it is Strapi's executable. */
  readonly main: string | undefined;
  /** Undefined for what does not exist. */
  readonly find: (specifier: string, importer: string, kind: "require" | "import") => Target | undefined;
  /** Loads a file of an installed package. */
  readonly loadInstalled: (file: string) => unknown;
}

/** Evaluates the files of a bundle, by absolute path. */
type Modules = Readonly<Record<string, () => unknown>>;

interface FileScope {
  readonly require: NodeJS.Require & { readonly import: (specifier: unknown) => Promise<unknown> };
  readonly module: object;
  readonly isMain: boolean;
  readonly filename: string;
  readonly resolveUrl: (specifier: string) => string;
}

/** What the bundler writes for properties of a file. */
export const PROPERTIES = "__galley_file__";
export const fileProperties: Readonly<Record<string, string>> = {
  "require.main": `${PROPERTIES}.require.main`,
  "import.meta.main": `${PROPERTIES}.isMain`,
  "import.meta.filename": `${PROPERTIES}.filename`,
  "import.meta.resolve": `${PROPERTIES}.resolveUrl`,
};

/** Of Node.js's own modules only this one depends on the file. */
const OF_FILE = /^(?:node:)?module$/;
const isConstant = (specifier: string): boolean =>
  isAbsolute(specifier) || (isNodeBuiltin(specifier) && !OF_FILE.test(specifier));

/** Methods and properties with the names `require` and `import` are left as they are. */
const SCOPED =
  /(?<![.\w$])(?!(?:require|import)\((?:[^()\n]|\([^()\n]*\))*\) \{)(?:(require)\("((?:[^"\\\n]|\\.)*)"\)|(import)\((?:"((?:[^"\\\n]|\\.)*)"\))?|(require)(?![\w$]|\s*:)|((?<=__galley_file__\.require\.main [!=]==? )module\w*|module\w*(?= [!=]==? __galley_file__\.require\.main\b))|(module\w*)(?=\.(?:id|filename|path|paths|parent|children|loaded)\b)|__galley_file__(?:\.(require))?\b)/gm;
const MAY_BE_SCOPED = /(?<![.\w$])(?:require(?![\w$:])|import\(|module\w*\.(?:id|pa|ch|lo|fi))|__galley_file__/;

/** Marks the path of the source of a mixed module, since its own path belongs to a CommonJS module that joins the exports. */
export const MARK = ".galley-mixed";
/** The path of the source again. */
export const unmarked = (file: string): string => file.replace(MARK, "");

/** The comment before a file's code, and what the bundler names its `module`, if it is CommonJS. */
const START = /^\/\/ (.+)$(?:\n(?:var|const|let) \w+ = __commonJS\((?:function)?\s*\(\w+, (\w+)\))?/gm;
/** `module` in other files: the bundler adds the file's name, since it is not defined. */
const UNDEFINED_MODULE = /^module_\w+$/;

/** The first line of a function that the bundler prints: around a file's code, at the top level, or in a class there. */
const FUNCTION =
  /^(?:(?:(?:var|let|const) \w+ = __(?:commonJS|esm)\(|(?:async )?function\b)[^\n]*| {2}(?![^\n]*\b(?:switch|class)\b)[^\n]*(?:\)|=>) )\{$(?!\n\s*"use strict")/gm;
/** Stands after these lines for what they declare. */
const PLACE = "/*galley-declared*/";
const PLACES = /\/\*galley-declared\*\//g;
/** How the last line begins. The bundler indents what is inside. */
const ENDS = ["\n}", "\n  }"] as const;

interface PrintedFunction {
  readonly place: number;
  readonly end: (typeof ENDS)[number];
}

const functionsIn = (code: string): PrintedFunction[] =>
  [...code.matchAll(PLACES)].map(({ index: place }) => ({
    place,
    end: ENDS[code[code.lastIndexOf("\n", place) + 1] === " " ? 1 : 0],
  }));

/** The outermost function that contains a position. */
function functionAt(code: string, functions: readonly PrintedFunction[], at: number): PrintedFunction | undefined {
  return ENDS.map((end) => functions.findLast((one) => one.end === end && one.place < at)).find(
    (last) => last && code.lastIndexOf(last.end, at) < last.place,
  );
}

/**
 * Changes the code of a bundle, whose comments name the file of what follows. `factory`: the name of the global with the function of
 * `createScopes`. `start`: where the function around the bundle begins. `asking`: files that import what the bundler cannot follow.
 */
export function withFileScopes(printed: string, sources: ReadonlySet<string>, factory: string, start: RegExp) {
  if (!MAY_BE_SCOPED.test(printed)) return { code: printed, asking: [] };
  const code = replaceInCode(printed, FUNCTION, ([line]) => `${line}${PLACE}`);
  const functions = functionsIn(code);
  /** The scopes of functions that declare `require`, which messages of the engine quote. */
  const declaring = new Map<PrintedFunction, string>();
  const starts = [...code.matchAll(START)].flatMap(({ index, 1: name = "", 2: module }) => {
    const path = resolve(name);
    const file = unmarked(path);
    // the variable of a mixed module has these properties
    const own = module ?? (file === path ? UNDEFINED_MODULE : undefined);
    return sources.has(file) ? [{ index, file, own }] : [];
  });
  const scopes = new Map<string, string>();
  const asking = new Set<string>();
  let current = -1;
  const scoped = replaceInCode(code, SCOPED, (match) => {
    const [all, , called, dynamic, imported, , compared, module, property] = match as readonly (string | undefined)[];
    while (current + 1 < starts.length && starts[current + 1]!.index < match.index) current++;
    if (current < 0) return all!;
    const { file, own } = starts[current]!;
    if (module !== undefined && (own instanceof RegExp ? !own.test(module) : module !== own)) return all!;
    const specifier = called ?? imported;
    if (specifier !== undefined && isConstant(JSON.parse(`"${specifier}"`) as string)) return all!;
    const scope = scopes.get(file) ?? `__galley_file_${scopes.size}__`;
    scopes.set(file, scope);
    if (module !== undefined || compared !== undefined) return `${scope}.module`;
    if (all === PROPERTIES) return scope;
    if (property === undefined && (specifier === undefined || OF_FILE.test(specifier))) asking.add(file);
    const around = functionAt(code, functions, match.index);
    if (around !== undefined) declaring.set(around, scope);
    const load = around === undefined ? `${scope}.require` : "require";
    if (property !== undefined) return load;
    return dynamic === undefined ? load + all!.slice("require".length) : `${load}.${all}`;
  });
  if (scopes.size === 0) return { code: printed, asking: [] };
  const declared = [...scopes].map(([file, name]) => `${name} = globalThis.${factory}(${JSON.stringify(file)})`);
  let index = 0;
  const complete = scoped.replace(PLACES, () => {
    const scope = declaring.get(functions[index++]!);
    return scope === undefined ? "" : ` var require = ${scope}.require;`;
  });
  return { code: complete.replace(start, `$&var ${declared.join(", ")};`), asking: [...asking] };
}

/** Files outside of a bundle that were loaded; a new generation loads them again. */
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

function resolveTarget(
  { find }: ScopeOptions,
  specifier: unknown,
  importer: string,
  kind: "require" | "import",
): Target {
  if (typeof specifier !== "string")
    throw Object.assign(
      new TypeError(
        `The "id" argument must be of type string. Received ${specifier === null ? "null" : typeof specifier}`,
      ),
      { code: "ERR_INVALID_ARG_TYPE" },
    );
  const found = find(specifier, importer, kind);
  if (found) return found;
  throw notFound(specifier, importer);
}

function load(target: Target, importer: string, modules: Modules, { loadInstalled }: ScopeOptions): unknown {
  if ("provided" in target) return target.provided();
  const { file } = target;
  const bundled = modules[file];
  if (bundled) return bundled();
  if (!isAbsolute(file)) return createRequire(importer)(file);
  if (/[\\/]node_modules[\\/]/.test(file)) return loadInstalled(file);
  loadedFiles.add(file);
  return createRequire(importer)(file);
}

/** `modules`: the files of the bundle, which are evaluated once. */
export function createScopes(options: ScopeOptions, modules: () => Modules): (file: string) => FileScope {
  const { root, find } = options;
  const main = options.main ?? join(root, "node_modules/@strapi/strapi/bin/strapi.js");

  function createScopedRequire(importer: string): FileScope["require"] {
    const native = createRequire(importer);
    const own = (specifier: unknown): unknown => {
      if (typeof specifier === "string" && OF_FILE.test(specifier)) return ownModule;
      return load(resolveTarget(options, specifier, importer, "require"), importer, modules(), options);
    };
    const resolveFile = (specifier: string, { paths }: { readonly paths?: readonly string[] } = {}): string => {
      for (const from of paths?.map((folder) => join(folder, "_.js")) ?? [importer]) {
        const found = find(specifier, from, "require");
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
      main: { get: mainModule, enumerable: true },
      import: { value: (specifier: unknown) => importFrom(specifier, importer) },
    }) as unknown as FileScope["require"];
  }

  async function importFrom(specifier: unknown, importer: string): Promise<unknown> {
    const text = String(specifier);
    const target = resolveTarget(options, text.startsWith("file:") ? fileURLToPath(text) : text, importer, "import");
    if ("provided" in target || modules()[target.file])
      return createNamespace(load(target, importer, modules(), options));
    if (isAbsolute(target.file)) loadedFiles.add(target.file);
    return import(target.file);
  }

  const ownModules = new Map<string, NodeJS.Module>();
  const createModule = (file: string): NodeJS.Module =>
    ownModules.getOrInsertComputed(
      file,
      () =>
        ({
          id: file === main ? "." : file,
          filename: file,
          path: dirname(file),
          paths: createRequire(file).resolve.paths("_") ?? [],
          loaded: true,
          children: [],
          exports: {},
          parent: file === main ? null : mainModule(),
          require: createScopedRequire(file),
        }) as unknown as NodeJS.Module,
    );
  const mainModule = (): NodeJS.Module => createModule(main);

  const ownModule = new Proxy(Module, {
    get: (target, name) => (name === "createRequire" ? createOwnRequire : Reflect.get(target, name)),
  });
  const createOwnRequire = (from: string | URL): NodeJS.Require => {
    createRequire(from);
    const isUrl = from instanceof URL || from.startsWith("file:");
    return createScopedRequire(isUrl ? fileURLToPath(from) : from);
  };

  return (file) => ({
    require: createScopedRequire(file),
    filename: file,
    isMain: file === main,
    get module() {
      return createModule(file);
    },
    resolveUrl: (specifier) => {
      const target = resolveTarget(options, specifier, file, "import");
      return "file" in target && isAbsolute(target.file) ? pathToFileURL(target.file).href : specifier;
    },
  });
}
