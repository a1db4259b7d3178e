/** Loads the middlewares of `config/middlewares`: built-in ones, and those of the project. */
import { relative, resolve } from "node:path";
import type Koa from "koa";
import { absentPackage, listDependencies, toPackageName } from "../../engine/config/packages.ts";
import { ProjectError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { Middleware } from "../koa/koa.ts";
import { AbsentError } from "../loader/absent-module.ts";
import { middlewareFile } from "../loader/code-files.ts";
import type { CodeProblem, LoadedCode } from "../loader/load.ts";
import type { GlobalMiddleware } from "./exchange.ts";
import type { RouteServices } from "./front-routes.ts";
import { requestFilters } from "./request-filters.ts";

/** The file of a package, or else of a path relative to the project, which need not begin with a dot. */
function resolveFile(path: string, root: string): string | undefined {
  for (const specifier of [path, resolve(root, path)]) {
    try {
      return Bun.resolveSync(specifier, root);
    } catch {
      // the next one
    }
  }
  return undefined;
}

type Parts = Pick<RouteServices, "runtime" | "registries" | "problems" | "skipsFailures"> & {
  readonly code: LoadedCode;
  readonly app: Koa;
};

/** What the file of `resolve` exports. */
function load(path: string, refuse: Refuse, { runtime: { root }, code: { modules } }: Parts): unknown {
  const file = resolveFile(path, root);
  if (file === undefined) {
    if (listDependencies(root).includes(toPackageName(path))) throw new Error(absentPackage(path, root));
    return refuse(`there is no file "${path}"`);
  }
  const own = relative(root, file);
  if (modules.has(own)) return modules.get(own);
  const exported: unknown = require(file);
  return isRecord(exported) && "default" in exported ? exported.default : exported;
}

/** Code that starts, and may have failed before it added a middleware. */
const STARTING = /^plugin |\/index(?:\.\w+)?$/;

function find(uid: string, refuse: Refuse, { registries: { middlewares }, code, problems }: Parts): unknown {
  if (middlewares.has(uid)) return middlewares.get(uid);
  const isNowhere =
    // plugins need not be installed
    !uid.startsWith("plugin::") &&
    middlewareFile(uid, code.files) === undefined &&
    !problems.some(({ file }) => STARTING.test(file));
  if (isNowhere) refuse(`there is no middleware "${uid}"`);
  throw new Error(`config/middlewares: Middleware ${uid} not found.`);
}

/** Those that a project without `config/middlewares` has. */
const DEFAULTS = ["errors", "security", "cors", "poweredBy", "session", "body", "favicon"].map(
  (name) => `strapi::${name}`,
);

/** Throws a ProjectError. */
type Refuse = (reason: string) => never;
type Factory = (config: unknown, options: { readonly strapi: object }) => unknown;

/**
 * Yields them in order. Throws for one that fails; with `skipsFailures`, it is reported and skipped. Throws a ProjectError for one that
 * does not exist.
 */
export function* globalMiddlewares(list: unknown, parts: Parts): Generator<GlobalMiddleware> {
  const { runtime, problems, skipsFailures, code, app } = parts;
  const entries: readonly unknown[] = Array.isArray(list) && list.length > 0 ? list : DEFAULTS;
  for (const [index, entry] of entries.entries()) {
    if (typeof entry === "function") {
      yield { name: "function", run: entry as Middleware };
      continue;
    }
    const { name, resolve: path, config = {} } = isRecord(entry) ? entry : { name: entry };
    if (typeof name === "string" && name.startsWith("strapi::")) {
      const builtin = name.slice("strapi::".length);
      const own = requestFilters[builtin]?.(config, app);
      yield own ? { builtin, run: own } : { builtin };
      continue;
    }
    const middleware = String(name ?? path);
    const refuse: Refuse = (reason) => {
      throw new ProjectError(runtime.settings.http.file, String(index), reason);
    };
    let run: unknown;
    try {
      const factory = typeof name === "string" ? find(name, refuse, parts) : load(String(path), refuse, parts);
      if (typeof factory !== "function")
        throw new Error(`config/middlewares: the file of ${middleware} must export a function`);
      run = (factory as Factory)(config, { strapi: runtime.strapi });
    } catch (error) {
      const isLeftOut = skipsFailures || error instanceof AbsentError || isSkipped(middleware, code, problems);
      if (error instanceof ProjectError || !isLeftOut) throw error;
      problems.push({
        file: "config/middlewares",
        message: `answers without ${middleware}: ${(error as Error).message}`,
      });
    }
    if (typeof run === "function") yield { name: middleware, run: run as Middleware };
  }
}

/** Whether the file of a middleware could not be loaded. */
function isSkipped(uid: string, { files }: LoadedCode, problems: readonly CodeProblem[]): boolean {
  const own = middlewareFile(uid, files);
  return own !== undefined && problems.some(({ file }) => file === own.file);
}
