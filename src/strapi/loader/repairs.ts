/**
 * Repairs files that the bundler refuses, but that run in Strapi, where only the faulty statement throws: assignments to
 * constants, and imports of missing exports. Files that cannot be parsed can be replaced by modules that throw.
 */
import { readFileSync } from "node:fs";
import { extname, relative, resolve } from "node:path";
import type { BunPlugin } from "bun";

interface BuildLog {
  readonly level?: string;
  readonly message: string;
  /** `offset` and `length` in bytes. */
  readonly position?: {
    readonly file: string;
    readonly line: number;
    readonly column: number;
    readonly offset: number;
    readonly length: number;
  } | null;
}

/** Name of a global object that throws on assignment. Assignments to constants are redirected to it. */
const CONSTANTS = "__galley_constants__";
/** Name of a global function that throws the error of a file. */
const BROKEN = "__galley_broken__";

const constants: object = new Proxy(
  {},
  {
    set: () => {
      throw new TypeError("Assignment to constant variable.");
    },
  },
);

const fail = (message: string): never => {
  throw new SyntaxError(message);
};

const CONSTANT = /^Cannot assign to "(.+)" because it is a constant$/;
const NO_EXPORT = /^No matching export in "(.+)" for import "(.+)"$/;

type Loader = "js" | "jsx" | "ts" | "tsx";
const loaders: Readonly<Record<string, Loader>> = {
  ".ts": "ts",
  ".mts": "ts",
  ".cts": "ts",
  ".tsx": "tsx",
  ".jsx": "jsx",
};

/** The changes to one file. */
class Repair {
  /** Names of constants by the offset of their assignment, in bytes. */
  readonly assignments = new Map<number, string>();
  /** Names that other files import, but the file does not export. */
  readonly names = new Set<string>();
  /** The error of a file that cannot be parsed, with line and column. */
  broken: string | undefined;

  get size(): number {
    return this.assignments.size + this.names.size + (this.broken === undefined ? 0 : 1);
  }

  contents(file: string): { readonly contents: string; readonly loader: Loader } {
    // CommonJS, so that any name can be imported from it
    if (this.broken !== undefined)
      return { contents: `module.exports = globalThis.${BROKEN}(${JSON.stringify(this.broken)});`, loader: "js" };
    let source = readFileSync(file);
    // from the end, so that earlier offsets stay valid
    for (const [offset, name] of [...this.assignments].sort(([a], [b]) => b - a)) {
      const target = Buffer.from(`globalThis.${CONSTANTS}.${name}`);
      source = Buffer.concat([source.subarray(0, offset), target, source.subarray(offset + Buffer.byteLength(name))]);
    }
    const names = [...this.names].map((name) => `__galley_nothing__ as ${name}`);
    const exported = names.length > 0 ? `\nvar __galley_nothing__;\nexport { ${names.join(", ")} };\n` : "";
    return { contents: source.toString() + exported, loader: loaders[extname(file)] ?? "js" };
  }
}

export class Repairs {
  readonly #root: string;
  readonly #skipsFailures: boolean;
  readonly #files = new Map<string, Repair>();

  /** `skipsFailures`: replace files that cannot be parsed by modules that throw. */
  constructor(root: string, skipsFailures: boolean) {
    this.#root = root;
    this.#skipsFailures = skipsFailures;
    Object.assign(globalThis, { [CONSTANTS]: constants, [BROKEN]: fail });
  }

  /** The same repairs; further files that cannot be parsed are replaced. */
  tolerant(): Repairs {
    const repairs = new Repairs(this.#root, true);
    for (const [file, repair] of this.#files) repairs.#files.set(file, repair);
    return repairs;
  }

  /** Adds repairs for build errors. Returns the errors that cannot be repaired; undefined if a new build is worthwhile. */
  add(logs: readonly unknown[]): readonly unknown[] | undefined {
    const errors = (logs as readonly BuildLog[]).filter(({ level }) => level === "error");
    const before = this.#size;
    const rest = errors.filter((error) => !this.#repair(error));
    if (rest.length > 0) return rest;
    return this.#size > before ? undefined : logs;
  }

  get #size(): number {
    return [...this.#files.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** Undefined without repairs. */
  plugin(): BunPlugin | undefined {
    if (this.#files.size === 0) return undefined;
    const filter = new RegExp(`^(?:${[...this.#files.keys()].map((file) => RegExp.escape(file)).join("|")})$`);
    return {
      name: "repairs",
      setup: (build) => {
        build.onLoad({ filter }, ({ path }) => this.#files.get(path)!.contents(path));
      },
    };
  }

  #repair({ message, position }: BuildLog): boolean {
    if (!position) return false;
    const importer = this.#findRepair(resolve(this.#root, position.file));
    const [, constant] = CONSTANT.exec(message) ?? [];
    const [, target, name] = NO_EXPORT.exec(message) ?? [];
    if (constant !== undefined) importer.assignments.set(position.offset, constant);
    else if (target !== undefined && name !== undefined) this.#findRepair(resolve(target)).names.add(name);
    else if (this.#skipsFailures)
      importer.broken ??= `${relative(this.#root, position.file)}:${position.line}:${position.column}: ${message}`;
    else return false;
    return true;
  }

  #findRepair(file: string): Repair {
    return this.#files.getOrInsertComputed(file, () => new Repair());
  }
}
