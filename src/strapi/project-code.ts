/**
 * Starts one generation of a project's code: creates `strapi`, applies extensions and plugins, runs `register` and `bootstrap`,
 * and then collects the routes.
 */
import type { Ability } from "../engine/access/access.ts";
import { ConfigFiles } from "../engine/config/files.ts";
import type { Model } from "../engine/schema/model.ts";
import { ProjectError, ProjectReport } from "../lib/errors.ts";
import { isRecord } from "../lib/is-record.ts";
import { createParts, type Parts, type ProjectCodeOptions } from "./code-parts.ts";
import { subscribeModels } from "./data/lifecycles.ts";
import { watchSchemas } from "./data/schemas.ts";
import type { Middleware } from "./koa/koa.ts";
import { ParsedQueries } from "./koa/parsed-queries.ts";
import { type LoadedPlugins, loadPlugins } from "./load-plugins.ts";
import { addedActions, apiActions } from "./loader/declarations.ts";
import type { LoadedCode } from "./loader/load.ts";
import type { PluginView } from "./loader/plugin.ts";
import { createStartProblems, type StartProblems } from "./loader/start-problems.ts";
import { withTypes } from "./packages/core-router.ts";
import type { PluginModules } from "./plugin-modules.ts";
import { type ComposedActions, composeActions } from "./routes/composed-actions.ts";
import type { Front } from "./routes/front.ts";
import { replacedAction } from "./routes/graphql-actions.ts";
import { graphqlContext, withContext } from "./routes/graphql-context.ts";
import { createRouters, registeredRouters } from "./routes/plugin-routes.ts";
import { createServing } from "./routes/serving.ts";
import type { HttpTools } from "./runtime.ts";
import { runDestroyHooks, runStartHooks } from "./start-hooks.ts";
import type { Uploads } from "./uploads/uploads.ts";

/** Routes that cannot be read are reported when they are collected. */
function attempt(read: () => string[]): string[] {
  try {
    return read();
  } catch {
    return [];
  }
}

const actionsOfCode = (
  { apis }: Pick<LoadedCode, "apis">,
  { modules, nativeRoutes }: PluginModules,
  { types }: Model,
  strapi: object,
): string[] =>
  withTypes(
    (uid) => types.get(uid),
    () => [
      ...[...apis].flatMap(([name, owner]) => attempt(() => apiActions(name, owner, strapi))),
      ...[...modules].flatMap(([name, { routes }]) =>
        attempt(() => {
          const routers = Array.isArray(routes) ? {} : Object.fromEntries(createRouters(routes ?? {}, strapi));
          return addedActions(name, routers, nativeRoutes.get(name));
        }),
      ),
    ],
  );

/** Runs `register` and `bootstrap`, and starts what they have set up. Returns what routes use from before `bootstrap`. */
async function runHooks(
  options: ProjectCodeOptions,
  { layers, runtime, registries, uploads, emails, graphql, providers, cron, http }: Parts,
  { pluginModules, plugins, apis, users }: LoadedPlugins,
  problems: StartProblems,
): Promise<{ readonly firstMiddlewares: readonly Middleware[]; readonly composedActions: ComposedActions }> {
  const { project } = options;
  const { code, loading } = options.bundle;
  const { modules } = pluginModules;
  subscribeModels(layers.lifecycles, code, modules);
  const unfollowed = watchSchemas(project.context.model, layers.schemas);
  const run = (hook: "register" | "bootstrap"): Promise<void> =>
    runStartHooks(hook, code, modules, runtime, problems, {
      limitMs: options.limitMs,
      unfollowed,
    });
  await run("register");
  const { strapi } = runtime;
  const added = actionsOfCode(code, pluginModules, project.context.model, strapi);
  runtime.actions = [...new Set([...project.actions, ...added])];
  runtime.access.extraActions = runtime.actions;
  const unknown = options.grantActions(runtime.actions);
  if (unknown.length > 0 && !options.skipsFailures) throw new ProjectError(unknown);
  for (const { file, key, reason } of unknown) problems.list.push({ file, message: `${key}: ${reason}` });
  const register = (view: PluginView, owner: Parameters<typeof registeredRouters>[1]): void => {
    try {
      view.routes = registeredRouters(view.routes, owner, strapi);
    } catch {
      // reported when routes are collected
    }
  };
  for (const [pluginName, view] of plugins) register(view, { pluginName });
  for (const [apiName, view] of Object.entries(apis)) register(view, { apiName });
  await problems.attempt("upload provider", () => uploads.signDocuments());
  await problems.attempt("email provider", () => emails.open(plugins.get("email")!));
  const firstMiddlewares = [...http.middlewares];
  await providers.store(layers.raw, project.transactions);
  const composedActions = composeActions(registries.controllers);
  await run("bootstrap");
  loading.mcp.start();
  await graphql.start(problems, options.buildGraphql);
  await reportUncalled("plugin upload", uploads, "uploads and deletions over HTTP", problems);
  await reportUncalled("plugin users-permissions", users, "requests", problems);
  const tasks = loading.config.get("server.cron");
  if (isRecord(tasks) && tasks.enabled === true) cron.add(tasks.tasks);
  cron.start();
  return { firstMiddlewares, composedActions };
}

/** Rejects with errors that the code throws during startup, unless `skipsFailures`. */
export const startProjectCode = (options: ProjectCodeOptions) => options.bundle.handles.run(() => start(options));

export type ProjectCode = Readonly<Awaited<ReturnType<typeof start>>>;

async function start(options: ProjectCodeOptions) {
  const { limitMs, project, skipsFailures } = options;
  const { code, loading } = options.bundle;
  const { config, hub } = loading;
  const problems = createStartProblems(code.problems, skipsFailures);
  const configFiles = new ConfigFiles(project.root, project.settings.environment, new ProjectReport());
  for (const name of configFiles.ownNames())
    await problems.attempt(`config/${name}`, () => config.get([name]), "is not used");
  const parts = createParts(options);
  const loaded = await loadPlugins(options, parts, problems);
  const { firstMiddlewares, composedActions } = await runHooks(options, parts, loaded, problems);

  const { http, runtime, registries, started, actions, cron, limit, graphql } = parts;
  const { modules, nativeRoutes: nativeRoutesByPlugin } = loaded.pluginModules;
  const { middlewares, routes, ...serverParts } = http;
  let front: Front | undefined;
  const serving = createServing({
    ...serverParts,
    addedRoutes: () => [...routes, ...loaded.routerRoutes()],
    code,
    runtime,
    registries,
    composedActions,
    modules,
    nativeRoutesByPlugin,
    firstMiddlewares,
    lastMiddlewares: [...middlewares.slice(firstMiddlewares.length), ...loaded.routerMiddlewares()],
    app: loaded.server.app,
    configured: config.get("middlewares"),
    limitMs,
    skipsFailures,
    problems: problems.list,
  });
  started.serving = serving;
  return {
    runtime,
    problems: problems.list,
    missing: code.missing,
    /** What administrators may do by it. */
    administratorActions: actions.own,
    /** What it has registered for the Model Context Protocol. */
    mcp: loading.mcp,
    servesCore: serving.servesCore,
    leavesReads: serving.leavesReads,
    /** Creates the request handler. `httpTools`: of the current server. */
    mount: (httpTools: HttpTools) => {
      const { app } = loaded.server;
      started.tools = { ...httpTools, queries: new ParsedQueries(httpTools), app };
      const created = options.bundle.handles.run(() => serving.createFront());
      front = created;
      http.attached.serve = (request) => created.handle(request);
      return http.attached.serve;
    },
    /** Undefined until it is mounted. */
    get front() {
      return front;
    },
    /** The context of the code's GraphQL resolvers, with the caller as in `ctx.state`. */
    createContext: (request: Request, ability: Ability) => graphqlContext(runtime, request, ability),
    /** The response to a request to GraphQL, with what resolvers have set in its context. */
    withContext,
    /** An action of users-permissions that an extension replaces, for GraphQL. */
    replacedAction: (name: string) => replacedAction(runtime, registries, name),
    /** For the code's GraphQL resolvers. */
    limit,
    cron,
    /** Timers and servers that it has opened. */
    handles: options.bundle.handles,
    graphql: () => (graphql.isUsed ? graphql.collect() : undefined),
    destroy: async () => {
      cron.destroy();
      http.attached.close();
      await runDestroyHooks(code, modules, runtime, limitMs);
      hub.destroy();
      options.bundle.handles.release();
    },
  };
}

/** Reports replaced functions of a plugin that have no effect. */
async function reportUncalled(
  file: string,
  replaced: Pick<Uploads, "uncalled">,
  requests: string,
  problems: StartProblems,
): Promise<void> {
  const uncalled = await problems.attempt(file, () => replaced.uncalled);
  if (!Array.isArray(uncalled) || uncalled.length === 0) return;
  const message = `replaces ${uncalled.join(", ")}, which ${requests} do not call`;
  problems.list.push({ file, message });
}
