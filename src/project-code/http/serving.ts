/** The HTTP side of a project's code: its routes and middlewares, and which core routes the server still serves. */
import type { CodeProblem, LoadedCode } from "../loader/load.ts";
import { withTypes } from "../packages/core-router.ts";
import { isPlainCore } from "../packages/strapi.ts";
import type { Members, PluginModule } from "../plugins/plugin.ts";
import type { Runtime } from "../runtime.ts";
import type { Registries } from "../strapi/registry.ts";
import { actionsWithoutRoute, removedRoutes } from "./absent-routes.ts";
import type { AttachedServer } from "./attached-server.ts";
import type { Middleware } from "./compose.ts";
import { helperNames } from "./controller-helpers.ts";
import { Front } from "./front.ts";
import { buildRoutes } from "./front-routes.ts";
import { globalMiddlewares } from "./global-middlewares.ts";
import { routesOfPlugin } from "./plugin-routes.ts";
import { Router } from "./router.ts";
import { type DeclaredRoute, routesOfApi } from "./routes.ts";

export interface ServingParts {
  readonly code: LoadedCode;
  readonly runtime: Runtime;
  readonly registries: Registries;
  readonly modules: ReadonlyMap<string, PluginModule>;
  /** By plugin: the routes that the server answers by itself. */
  readonly nativeLists: ReadonlyMap<string, readonly Members[]>;
  /** What code has added with `strapi.server`. */
  readonly routes: readonly DeclaredRoute[];
  readonly middlewares: readonly Middleware[];
  /** What code attaches to Node's server. */
  readonly attached: AttachedServer;
  /** `config/middlewares`. */
  readonly configured: unknown;
  /** Milliseconds that an answer may take. */
  readonly limitMs: number;
  /** Whether routes and middlewares that are not valid are reported instead of thrown: such a route answers its error. */
  readonly leavesOut: boolean;
  readonly problems: CodeProblem[];
}

export interface Serving {
  /** Whether the server answers a core action by itself, too; undefined: a route without an action. */
  readonly servesCore: (action: string | undefined) => boolean;
  readonly declared: readonly DeclaredRoute[];
  /** Called when the server is there that answers. */
  readonly createFront: () => Front;
}

/** Whether a member is the core one: nothing of the type is replaced, or not this. */
export function isCore(exported: unknown, make: () => unknown, action: string): boolean {
  if (isPlainCore(exported)) return true;
  const made = make();
  if (typeof made !== "object" || made === null) return false;
  const core: unknown = Object.getPrototypeOf(made);
  if (core === Object.prototype || core === null) return false;
  const member = (made as Members)[action];
  return member !== undefined && member === (core as Members)[action];
}

/** Throws for routers and routes that are none, unless they are left out. */
export function createServing(parts: ServingParts): Serving {
  const { code, runtime, registries, modules, problems, leavesOut } = parts;
  const { context, settings, strapi } = runtime;
  const { model } = context;
  const { prefix } = settings.rest;
  // schemas alone are served, but once a project declares routes, those that it declares are all
  const declaresRoutes = code.files.some(({ kind }) => kind === "route");
  const attempt = (file: string, work: () => DeclaredRoute[]): DeclaredRoute[] => {
    try {
      return work();
    } catch (error) {
      const { message } = error as Error;
      if (!leavesOut) throw new Error(`${file}: ${message}`, { cause: error });
      problems.push({ file, message: `is left out: ${message}` });
      return [];
    }
  };
  const table = {
    apiPrefix: prefix,
    attempt,
    servedTypesOf: (api: string) =>
      declaresRoutes ? [] : [...model.types.keys()].filter((uid) => uid.startsWith(`api::${api}.`)),
  };
  const [apiRoutes, pluginRoutes] = withTypes(
    (uid) => model.types.get(uid),
    () => [
      [...code.apis].flatMap(([api, owner]) => routesOfApi(api, owner, table, strapi)),
      [...modules].flatMap(([name, module]) =>
        attempt(`plugin ${name}`, () => routesOfPlugin(name, module, prefix, strapi)),
      ),
    ],
  );
  const declared = [...parts.routes, ...apiRoutes, ...pluginRoutes];
  const removed = removedRoutes(prefix, parts.nativeLists, pluginRoutes);
  const coreRoutes = new Set(
    apiRoutes.flatMap(({ core, path }) => (core && core.path === path ? [`${core.uid}.${core.action}`] : [])),
  );
  if (declaresRoutes) runtime.access.access.setAbsentActions(actionsWithoutRoute(model, declared));
  const isCoreAction = (uid: string, action: string): boolean =>
    [action, ...helperNames].every((name) =>
      isCore(registries.controllers.exported(uid), () => registries.controllers.get(uid), name),
    ) &&
    runtime.hasCoreService(uid, action) &&
    runtime.hasCoreService(uid, "getFetchParams");
  return {
    declared,
    servesCore: (action = "") => {
      const api = action.slice("api::".length).split(".")[0] ?? "";
      return (!declaresRoutes && !code.apis.has(api)) || coreRoutes.has(action);
    },
    createFront: () => {
      const services = { runtime, registries, isCoreAction, problems, leavesOut };
      const routes = [...buildRoutes(declared, services), ...removed];
      const middlewares = [...globalMiddlewares(parts.configured, services)];
      for (const [index, run] of parts.middlewares.entries())
        middlewares.unshift({ name: `strapi.server.use ${index}`, run });
      const { attached, limitMs } = parts;
      return new Front({ runtime, router: new Router(routes), middlewares, attached, limitMs });
    },
  };
}
