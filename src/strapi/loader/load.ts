/** Loads a project's code: each file once, its exports by kind, and its problems. */

import { createEnv, type Environment } from "../../engine/config/env.ts";
import { findErrorCode } from "../../lib/error-code.ts";
import { errorMessage, ProjectError, ProjectReport } from "../../lib/errors.ts";
import { isRecord, toRecord } from "../../lib/is-record.ts";
import { readSourceJson } from "../../lib/project-json.ts";
import { createLoadingStrapi, type LoadingStrapi } from "../members/loading-strapi.ts";
import { findCompanion, providedPackages, registerPackages } from "../packages/index.ts";
import { AbsentError } from "./absent-module.ts";
import { type Bundle, bundleCode } from "./bundle.ts";
import type { CodeFile } from "./code-files.ts";
import { CodeHandles } from "./handles.ts";

/** A file that was not run, or failed, and the reason. */
export interface CodeProblem {
  readonly file: string;
  readonly message: string;
}

/** Exports by file name. */
export type Modules = Map<string, unknown>;

/** The exports of an owner by the kinds of their files. */
const ownerKeys = {
  route: "routes",
  controller: "controllers",
  service: "services",
  policy: "policies",
  middleware: "middlewares",
  config: "config",
  // by content-type
  lifecycles: "lifecycles",
} as const satisfies Partial<Record<CodeFile["kind"], string>>;

/** The code of an api, of a plugin, or of the project itself. */
export type CodeOwner = Readonly<Record<(typeof ownerKeys)[keyof typeof ownerKeys], Modules>>;

export interface LoadedCode {
  readonly files: readonly CodeFile[];
  readonly index: Readonly<Record<string, unknown>>;
  readonly project: CodeOwner;
  readonly apis: ReadonlyMap<string, CodeOwner>;
  /** `src/api/<name>/index`, by api. */
  readonly apiIndexes: Modules;
  /** `strapi-server` of extensions, by plugin. */
  readonly extensions: Modules;
  readonly plugins: Modules;
  /** The exports of all files, by path relative to the project. */
  readonly modules: Modules;
  readonly problems: readonly CodeProblem[];
  /** Packages that files import and that are not installed. */
  readonly missing: Bundle["missing"];
}

const emptyOwner = (): CodeOwner =>
  Object.fromEntries(Object.values(ownerKeys).map((key) => [key, new Map()])) as unknown as CodeOwner;

/** The default export of a file, or its CommonJS export. */
function readExport(module: Record<string, unknown>): unknown {
  const own = "default" in module ? module.default : module;
  return isRecord(own) && own.__esModule === true && "default" in own ? own.default : own;
}

let generations = 0;

export interface CodeBundle {
  readonly code: LoadedCode;
  /** The `strapi` that the files have. */
  readonly loading: LoadingStrapi;
  /** Whether the code uses `strapi.requestContext`. */
  readonly usesRequestContext: boolean;
  readonly handles: CodeHandles;
}

/** File and line that threw an error; undefined if its stack has none below `root`. */
export function findLine(error: Error, root: string): string | undefined {
  return error.stack
    ?.split("\n")
    .map((line) => /\(?((?:\/|[A-Z]:\\)[^()]+:\d+:\d+)\)?$/.exec(line.trim())?.[1])
    .find((location) => location?.startsWith(root))
    ?.slice(root.length + 1);
}

const isMissing = (error: unknown): boolean =>
  error instanceof AbsentError || (error instanceof Error && findErrorCode(error) === "ERR_MODULE_NOT_FOUND");

/** The export of a file that was not run, which throws when it is used. */
const failing = (file: string, message: string) => (): never => {
  throw new Error(`${file} is not run: ${message}`);
};

/** JSON files of apis, by path relative to the project. Throws a ProjectError for those that are not JSON. */
function readDocuments(root: string, files: readonly CodeFile[], problems: CodeProblem[]): Modules {
  const report = new ProjectReport();
  const documents: Modules = new Map();
  for (const { file } of files)
    if (file.endsWith(".json"))
      documents.set(
        file,
        report.attempt(() => readSourceJson(root, file, report)),
      );
  report.finish();
  for (const { file, reason } of report.warnings) problems.push({ file, message: reason });
  return documents;
}

/**
 * Files that need a missing package while they are loaded are skipped and reported. With `skipsFailures`, so are files that cannot be
 * parsed or throw; without it, these reject with a ProjectError with file and line, as invalid
 * JSON does. `previous`: of the generation that serves.
 */
export async function loadCode(
  root: string,
  files: readonly CodeFile[],
  skipsFailures = false,
  environment: Environment = process.env,
  previous?: CodeHandles,
): Promise<CodeBundle> {
  const problems: CodeProblem[] = [];
  const documents = readDocuments(root, files, problems);
  // installed packages may import them
  registerPackages();
  const global = `__galley_strapi_${++generations}__`;
  const loading = createLoadingStrapi(root, environment);
  const { strapi } = loading;
  // installed packages use the other name; while another generation runs, it is its own
  Object.assign(globalThis, { [global]: strapi, strapi: (globalThis as { strapi?: object }).strapi ?? strapi });
  const handles = new CodeHandles(previous, () => loading.log.close());
  const bundle = await bundleCode({
    root,
    files: files.map(({ file }) => file).filter((file) => !documents.has(file)),
    provided: providedPackages,
    findCompanion,
    global,
    skipsFailures,
  })
    .catch((error) => {
      handles.undo();
      throw error;
    })
    .finally(() => Reflect.deleteProperty(globalThis, global));
  const project = emptyOwner();
  const apis = new Map<string, CodeOwner>();
  const apiIndexes: Modules = new Map();
  const extensions: Modules = new Map();
  const plugins: Modules = new Map();
  const modules: Modules = new Map();
  let index: Readonly<Record<string, unknown>> = {};
  for (const { kind, file, owner, name } of files) {
    const codeOwner = owner === undefined ? project : apis.getOrInsertComputed(owner, emptyOwner);
    let exported: unknown;
    try {
      exported = documents.has(file) ? documents.get(file) : readExport(await handles.run(() => bundle.load(file)));
      // as configuration files are; its content-types are needed before the project is open
      if (kind === "plugin" && typeof exported === "function") exported = exported({ env: createEnv(environment) });
    } catch (error) {
      const location = error instanceof Error ? findLine(error, root) : undefined;
      const message = errorMessage(error);
      if (!isMissing(error) && !skipsFailures) {
        handles.undo();
        throw new ProjectError(location ?? file, undefined, message);
      }
      const suffix = location === undefined || isMissing(error) || message.startsWith(file) ? "" : ` (${location})`;
      problems.push({ file, message: `is not run: ${message}${suffix}` });
      // core ones must not replace them, since they may return more
      if (kind === "controller" || kind === "service") codeOwner[ownerKeys[kind]].set(name, failing(file, message));
      continue;
    }
    modules.set(file, exported);
    if (kind === "index") index = toRecord(exported);
    else if (kind === "api-index") apiIndexes.set(owner!, exported);
    else if (kind === "extension") extensions.set(owner!, exported);
    else if (kind === "plugin") plugins.set(name, exported);
    else codeOwner[ownerKeys[kind]].set(name, exported);
  }
  for (const [api, { config }] of apis)
    if (config.size > 0) loading.config.set(`api::${api}`, Object.fromEntries(config));
  const leftOut = new Set(problems.map(({ file }) => file));
  const missing = bundle.missing.filter(({ file }) => !leftOut.has(file));
  const code = { files, index, project, apis, apiIndexes, extensions, plugins, modules, problems, missing };
  return { code, loading, usesRequestContext: bundle.contains("requestContext"), handles };
}
