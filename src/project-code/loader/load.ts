/** Loads a project's code: each file once, its exports by kind, and its problems. */
import { ProjectError } from "../../errors.ts";
import { isRecord } from "../../query/key-check.ts";
import { companionPackages, providedPackages, registerPackages } from "../packages/index.ts";
import { AbsentError } from "./absent-module.ts";
import { type Bundle, bundleCode } from "./bundle.ts";
import type { CodeFile } from "./code-files.ts";

/** A file that is left out, or not run to its end, and why. */
export interface CodeProblem {
  readonly file: string;
  readonly message: string;
}

/** A file's exports by its name. */
export type Modules = Map<string, unknown>;

/** What belongs to one api, to one plugin, or to the project as a whole. */
export interface CodeOwner {
  readonly routes: Modules;
  readonly controllers: Modules;
  readonly services: Modules;
  readonly policies: Modules;
  readonly middlewares: Modules;
  /** By content-type. */
  readonly lifecycles: Modules;
}

export interface LoadedCode {
  readonly files: readonly CodeFile[];
  readonly index: Readonly<Record<string, unknown>>;
  readonly project: CodeOwner;
  readonly apis: ReadonlyMap<string, CodeOwner>;
  /** The hooks of apis, by their names. */
  readonly apiIndexes: Modules;
  /** By plugin: functions that change it. */
  readonly extensions: Modules;
  readonly plugins: Modules;
  readonly problems: readonly CodeProblem[];
  /** Packages that files import and that are not installed. */
  readonly missing: Bundle["missing"];
}

const emptyOwner = (): CodeOwner => ({
  routes: new Map(),
  controllers: new Map(),
  services: new Map(),
  policies: new Map(),
  middlewares: new Map(),
  lifecycles: new Map(),
});

const places = {
  route: "routes",
  controller: "controllers",
  service: "services",
  policy: "policies",
  middleware: "middlewares",
  lifecycles: "lifecycles",
} as const satisfies Partial<Record<CodeFile["kind"], keyof CodeOwner>>;

/** What a file exports as a whole: its default, or what CommonJS puts in its place. */
function exportOf(module: Record<string, unknown>): unknown {
  const own = "default" in module ? module.default : module;
  return isRecord(own) && own.__esModule === true && "default" in own ? own.default : own;
}

let generations = 0;

/** `global`: the name under which the code finds its `strapi`. */
export interface CodeBundle {
  readonly code: LoadedCode;
  readonly global: string;
  /** Whether hooks may look at the request for which they run. */
  readonly usesRequestContext: boolean;
}

/** The line of a file that an error was thrown from; undefined where its stack does not say. */
function lineOf(error: Error, root: string): string | undefined {
  return error.stack
    ?.split("\n")
    .map((line) => /\(?((?:\/|[A-Z]:\\)[^()]+:\d+:\d+)\)?$/.exec(line.trim())?.[1])
    .find((place) => place?.startsWith(root))
    ?.slice(root.length + 1);
}

const isMissing = (error: unknown): boolean =>
  error instanceof AbsentError ||
  (error instanceof Error && (error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND");

/** What a file that is left out exports: it fails where it is used. */
const failing = (file: string, message: string) => (): never => {
  throw new Error(`${file} is not run: ${message}`);
};

/**
 * Files that need a package to be loaded which is not installed are left out and reported. `leavesOut`: so are those that
 * cannot be parsed or throw while they are loaded; without it, they are ProjectErrors with file and line.
 */
export async function loadCode(root: string, files: readonly CodeFile[], leavesOut = false): Promise<CodeBundle> {
  // installed packages may need them while they are loaded
  registerPackages();
  const global = `__galley_strapi_${++generations}__`;
  const bundle = await bundleCode({
    root,
    files: files.map(({ file }) => file),
    provided: providedPackages,
    companions: companionPackages,
    global,
    leavesOut,
  });
  const problems: CodeProblem[] = [];
  const project = emptyOwner();
  const apis = new Map<string, CodeOwner>();
  const apiIndexes: Modules = new Map();
  const extensions: Modules = new Map();
  const plugins: Modules = new Map();
  let index: Readonly<Record<string, unknown>> = {};
  for (const { kind, file, owner, name } of files) {
    const of = owner === undefined ? project : apis.getOrInsertComputed(owner, emptyOwner);
    let exported: unknown;
    try {
      exported = exportOf(await bundle.load(file));
    } catch (error) {
      const place = error instanceof Error ? lineOf(error, root) : undefined;
      const message = error instanceof Error ? error.message : String(error);
      if (!isMissing(error) && !leavesOut) throw new ProjectError(place ?? file, undefined, message);
      const where = place === undefined || isMissing(error) || message.startsWith(file) ? "" : ` (${place})`;
      problems.push({ file, message: `is not run: ${message}${where}` });
      // the server's own are no replacement: they may return more
      if (kind === "controller" || kind === "service") of[places[kind]].set(name, failing(file, message));
      continue;
    }
    if (kind === "index") index = isRecord(exported) ? exported : {};
    else if (kind === "api-index") apiIndexes.set(owner!, exported);
    else if (kind === "extension") extensions.set(owner!, exported);
    else if (kind === "plugin") plugins.set(name, exported);
    else of[places[kind]].set(name, exported);
  }
  const leftOut = new Set(problems.map(({ file }) => file));
  const missing = bundle.missing.filter(({ file }) => !leftOut.has(file));
  const code = { files, index, project, apis, apiIndexes, extensions, plugins, problems, missing };
  return { code, global, usesRequestContext: bundle.contains("requestContext") };
}
