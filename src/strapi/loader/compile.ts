/**
 * Compiles each file of a project's code to CommonJS, as Strapi does, with source maps, so that errors name the original files. What a
 * file imports is resolved beforehand, and the files of the project among it are compiled as well.
 */
import { mkdtempSync, realpathSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import type { BunPlugin } from "bun";
import { ProjectError } from "../../lib/errors.ts";
import { absentModule } from "./absent-module.ts";
import { sourceFiles } from "./code-files.ts";
import { CodeModules, type Factory, fileProperties, forgetLoadedFiles, linkKey, PROPERTIES } from "./code-modules.ts";
import {
  describeAbsence,
  finder,
  type ImportOptions,
  importKind,
  isInPackage,
  type MissingImport,
  type Target,
} from "./imports.ts";
import { type BuildLog, Repairs } from "./repairs.ts";
import { replaceInCode } from "./replace-in-code.ts";

/** The runtime's error has a code; others, such as those of timeouts and invalid URLs, are the same as on Node but for their words. */
const isConnection = (error: unknown): boolean =>
  error instanceof Error && /^E[A-Z]+$/.test(String((error as NodeJS.ErrnoException).code));

const nodeFetch: typeof fetch = Object.assign(
  async (...args: Parameters<typeof fetch>): Promise<Response> => {
    // the runtime's error does not name the code that has called
    const call = new Error();
    try {
      return await fetch(...args);
    } catch (error) {
      const failure = isConnection(error) ? new TypeError("fetch failed", { cause: error }) : error;
      const [, , ...frames] = call.stack?.split("\n") ?? [];
      if (failure instanceof Error && frames.length > 0) failure.stack = [failure.stack, ...frames].join("\n");
      throw failure;
    }
  },
  { preconnect: fetch.preconnect },
);

export interface CompiledCode {
  /** Evaluates a file, and returns its exports. */
  readonly load: (file: string) => unknown;
  /** Whether the code contains a word. */
  readonly contains: (word: string) => boolean;
  readonly missing: readonly MissingImport[];
}

interface CompileOptions extends ImportOptions {
  /** Relative to the project. */
  readonly files: readonly string[];
  /** `strapi` in the code. */
  readonly strapi: object | undefined;
  /** Compile files that cannot be parsed to modules that throw; otherwise an error is thrown. */
  readonly skipsFailures: boolean;
  /** The file that is started, absolute: its `module` is `require.main`. */
  readonly main?: string;
  /** Whether `process.exit` ends the process; false by default. */
  readonly mayExit?: boolean;
}

/** Replaces `process.exit` in the code. */
const EXIT = "__galley_exit__";

/** The beginning of the function around a compiled file. */
const WRAPPER = "(function(exports, require, module, __filename, __dirname) {";

/** The comment with the path of a file, before its statements. */
const FILE_COMMENT = /^(?:\(function\(.*\{)?\/\/ (?!@bun )(.+)$/m;

/** `module` in files that the compiler takes for ES modules, with the file's name. */
const UNDEFINED_MODULE = /\bmodule_\w+\b/g;

/** A call of `import`, but not a method with this name. */
const IMPORT_CALL = /(?<![.\w$])import(?=\()(?!\((?:[^()\n]|\([^()\n]*\))*\) \{)/g;

/** Imports of what only the running code knows. */
const COMPUTED = /(?<![.\w$])(?:require(?![\w$]|\("|\.main\b)|import\((?!"))/;

interface Source {
  /** Without the function around it. */
  readonly code: string;
  /** A source map as JSON. */
  readonly map: string | undefined;
}

/** Of a file without statements. */
const EMPTY: Source = { code: "", map: undefined };

class Compiler {
  readonly sources = new Map<string, Source>();
  /** What the specifiers of each file lead to, by `linkKey`. */
  readonly links = new Map<string, Map<string, Target>>();
  readonly missing = new Map<string, MissingImport>();
  readonly #root: string;
  readonly #find: ReturnType<typeof finder>;
  readonly #repairs = new Repairs();

  constructor(options: ImportOptions) {
    this.#root = options.root;
    this.#find = finder(options);
  }

  /**
   * Compiles files and the files that they import, by absolute path. Files that cannot be parsed throw when they are evaluated. Rejects with
   * a ProjectError for the first one unless `skipsFailures`. `isOptional`: what they import and is missing is not reported.
   */
  async compile(files: readonly string[], skipsFailures: boolean, isOptional = false): Promise<void> {
    for (let pending = [...files]; pending.length > 0; ) {
      const reached = new Set<string>();
      const built = await Bun.build({
        entrypoints: pending,
        target: "bun",
        // CommonJS, as what Strapi runs: files may be written for sloppy mode
        format: "cjs",
        naming: "[dir]/[name]-[hash].[ext]",
        sourcemap: "external",
        throw: false,
        define: { "process.exit": EXIT, ...fileProperties },
        plugins: [this.#imports(reached, isOptional), this.#repairs.plugin],
      });
      if (!built.success) {
        const broken = this.#addErrors(built.logs as readonly unknown[] as readonly BuildLog[], skipsFailures);
        pending = pending.filter((file) => !broken.has(file));
        continue;
      }
      for (const file of pending) this.sources.set(file, EMPTY);
      const outputs = new Map(built.outputs.map((output) => [output.path, output]));
      for (const output of built.outputs) {
        const code = await output.text();
        const [, file] = FILE_COMMENT.exec(code) ?? [];
        if (output.kind !== "entry-point" || file === undefined) continue;
        const body = code.slice(code.indexOf(WRAPPER) + WRAPPER.length, code.lastIndexOf("\n})"));
        this.sources.set(resolve(file), { code: body, map: await outputs.get(`${output.path}.map`)?.text() });
      }
      pending = [...reached].filter((file) => !this.sources.has(file));
    }
  }

  /** Repairs files, or replaces them by what throws the error. Returns the replaced ones. */
  #addErrors(logs: readonly BuildLog[], skipsFailures: boolean): ReadonlySet<string> {
    const broken = new Set<string>();
    const errors = logs.filter(({ level }) => level === "error");
    if (errors.length === 0) throw new ProjectError("src", undefined, "cannot be compiled");
    for (const log of errors) {
      const { message, position } = log;
      const file = resolve(this.#root, position?.file ?? "src");
      if (position && this.#repairs.add(file, log)) continue;
      const place = relative(this.#root, file) + (position ? `:${position.line}:${position.column}` : "");
      if (!position || !skipsFailures) throw new ProjectError(place, undefined, message);
      if (!broken.has(file))
        this.sources.set(file, {
          code: `throw new SyntaxError(${JSON.stringify(`${place}: ${message}`)});`,
          map: undefined,
        });
      broken.add(file);
    }
    return broken;
  }

  /** Leaves all imports as they are, and finds out what they lead to. */
  readonly #imports = (reached: Set<string>, isOptional: boolean): BunPlugin => ({
    name: "imports",
    setup: (build) => {
      build.onResolve({ filter: /.*/ }, ({ path, importer, kind }) => {
        if (kind === "entry-point-build") return undefined;
        // found when it is called, or an error that code catches
        if (kind !== "require-resolve") {
          const target =
            this.#find(path, importer, importKind(kind, importer)) ?? this.#absent(path, importer, isOptional);
          this.links
            .getOrInsertComputed(importer, () => new Map())
            .set(linkKey(path, kind === "dynamic-import"), target);
          if ("file" in target && target.isSource) reached.add(target.file);
        }
        return { path, external: true };
      });
    },
  });

  /** Several paths in a package are reported once per file; packages check for what is optional by themselves. */
  #absent(specifier: string, importer: string, isOptional: boolean): Target {
    const problem = describeAbsence(specifier, this.#root);
    const file = relative(this.#root, importer);
    if (!isOptional && !isInPackage(importer)) this.missing.set(`${file} ${problem}`, { file, problem });
    return { load: () => absentModule(problem) };
  }
}

/** Rejects with a ProjectError with file and line for code that cannot be parsed, unless `skipsFailures`. */
export async function compileCode(options: CompileOptions): Promise<CompiledCode> {
  const { root, files, skipsFailures } = options;
  const compiler = new Compiler(options);
  const { sources, links, missing } = compiler;
  // the compiler follows symbolic links
  const toPath = (file: string): string => realpathSync(resolve(root, file));
  await compiler.compile(files.map(toPath), skipsFailures);
  if ([...sources].some(([file, { code }]) => !isInPackage(file) && COMPUTED.test(code))) {
    // any file may be imported, which need not be valid if none is
    const others = sourceFiles(root)
      .map(toPath)
      .filter((file) => !sources.has(file));
    await compiler.compile(others, true, true);
  }
  forgetLoadedFiles();
  const variables = { strapi: options.strapi, fetch: nodeFetch, exit: options.mayExit ? process.exit : refuseExit };
  const modules = new CodeModules(
    { root, main: options.main && toPath(options.main), find: finder(options), links, variables },
    loadFactories(sources),
  );
  return {
    load: (file) => modules.load(toPath(file)),
    contains: (word) => [...sources.values()].some(({ code }) => code.includes(word)),
    missing: [...missing.values()],
  };
}

/** Code must not end the process, which also serves other requests. */
function refuseExit(code: unknown = 0): never {
  throw new Error(`process.exit(${String(code)}) was called; the server keeps running`);
}

/** A module that exports the file's function. Variables are outside of it, since the code may declare the same names. */
function moduleText({ code, map }: Source): string {
  const body = code.includes("import(") ? replaceInCode(code, IMPORT_CALL, "require.import") : code;
  const names = [...new Set(body.match(UNDEFINED_MODULE))].map((name) => `var ${name} = module; `).join("");
  const factory = `function({ strapi, fetch, exit: ${EXIT} }, ${PROPERTIES}, module) { ${names}return function(exports, require, module) {`;
  return `// @bun @bun-cjs\n${WRAPPER}module.exports = ${factory}${body}\n}}})${withAbsolutePaths(map)}`;
}

/** The source map as a comment, with absolute paths, since the compiled file is in another folder. */
function withAbsolutePaths(map: string | undefined): string {
  if (map === undefined) return "";
  const parsed = JSON.parse(map) as { sources: string[] };
  const sources = parsed.sources.map((source) => resolve(source));
  const encoded = Buffer.from(JSON.stringify({ ...parsed, sources })).toString("base64");
  return `\n//# sourceMappingURL=data:application/json;base64,${encoded}\n`;
}

/** The function of each file. What only the runtime refuses, such as a regular expression, is an error of its file alone. */
function loadFactories(sources: ReadonlyMap<string, Source>): ReadonlyMap<string, Factory> {
  const folder = mkdtempSync(join(tmpdir(), "galley-code-"));
  const load = (source: Source, index: number): Factory => {
    const file = join(folder, `${index}.js`);
    const require = createRequire(file);
    try {
      writeFileSync(file, moduleText(source), { mode: 0o600 });
      return require(file) as Factory;
    } catch (error) {
      return () => {
        throw error;
      };
    } finally {
      // a module that stays registered would keep its generation in memory
      delete require.cache[file];
      // one by one, since a recursive removal fails on Wine
      rmSync(file, { force: true });
    }
  };
  try {
    return new Map([...sources].map(([file, source], index) => [file, load(source, index)]));
  } finally {
    rmdirSync(folder);
  }
}
