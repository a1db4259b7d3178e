/** Loads the middlewares of `config/middlewares`: built-in ones, and those of the project. */
import { join, relative } from "node:path";
import type Koa from "koa";
import { isRecord } from "../../lib/is-record.ts";
import type { Middleware } from "../koa/koa.ts";
import { AbsentError } from "../loader/absent-module.ts";
import type { CodeProblem, Modules } from "../loader/load.ts";
import type { GlobalMiddleware } from "./exchange.ts";
import type { RouteServices } from "./front-routes.ts";
import { requestFilters } from "./request-filters.ts";

/**
 * `resolve` of a middleware: a package, or else a path relative to the project, which need not begin with a dot. `modules`: the
 * exports of files that are loaded already.
 */
function load(path: string, root: string, modules: Modules): unknown {
  let file: string;
  try {
    file = Bun.resolveSync(path, root);
  } catch {
    file = Bun.resolveSync(join(root, path), root);
  }
  const own = relative(root, file);
  if (modules.has(own)) return modules.get(own);
  const exported: unknown = require(file);
  return isRecord(exported) && "default" in exported ? exported.default : exported;
}

/** Yields them in order. Throws for one that fails or does not exist; with `skipsFailures`, it is reported and skipped. */
export function* globalMiddlewares(
  list: unknown,
  {
    runtime,
    registries,
    problems,
    skipsFailures,
    modules,
    app,
  }: Pick<RouteServices, "runtime" | "registries" | "problems" | "skipsFailures"> & {
    readonly modules: Modules;
    readonly app: Koa;
  },
): Generator<GlobalMiddleware> {
  const entries: readonly unknown[] =
    Array.isArray(list) && list.length > 0 ? list : ["strapi::cors", "strapi::body", "strapi::session"];
  for (const entry of entries) {
    if (typeof entry === "function") {
      yield { name: "function", run: entry as Middleware };
      continue;
    }
    const { name, resolve, config = {} } = isRecord(entry) ? entry : { name: entry };
    if (typeof name === "string" && name.startsWith("strapi::")) {
      const builtin = name.slice("strapi::".length);
      const own = requestFilters[builtin]?.(config, app);
      yield own ? { builtin, run: own } : { builtin };
      continue;
    }
    const middleware = String(name ?? resolve);
    const report = (message: string) =>
      void problems.push({ file: "config/middlewares", message: `answers without ${middleware}: ${message}` });
    let run: unknown;
    try {
      const factory =
        typeof name === "string" ? registries.middlewares.get(name) : load(String(resolve), runtime.root, modules);
      if (typeof factory !== "function") throw new Error(`config/middlewares: Middleware ${middleware} not found.`);
      run = (factory as Factory)(config, { strapi: runtime.strapi });
    } catch (error) {
      if (!skipsFailures && !(error instanceof AbsentError) && !isSkipped(middleware, problems)) throw error;
      report((error as Error).message);
    }
    if (typeof run === "function") yield { name: middleware, run: run as Middleware };
  }
}

type Factory = (config: unknown, options: { readonly strapi: object }) => unknown;

/** Whether the file of a middleware could not be loaded. */
function isSkipped(uid: string, problems: readonly CodeProblem[]): boolean {
  const [, owner = "", name = ""] = /^(global|\w+::[^.]+)(?:::|\.)(.+)$/.exec(uid) ?? [];
  const folder = owner === "global" ? "src/middlewares" : `src/api/${owner.split("::")[1]}/middlewares`;
  return problems.some(({ file }) => file.replace(/\.\w+$/, "") === `${folder}/${name}`);
}
