/**
 * Starts one generation of a project's code: creates `strapi`, applies extensions and plugins, runs `register` and `bootstrap`,
 * and then collects the routes.
 */

import type { Ability, AccessSteps } from "../engine/access/access.ts";
import { ConfigFiles } from "../engine/config/files.ts";
import { ProjectError, type ProjectProblem, ProjectReport } from "../lib/errors.ts";
import { isRecord } from "../lib/is-record.ts";
import { AdministratorActions } from "./administration/actions.ts";
import { actionsOfCode } from "./code-actions.ts";
import { createRuntime, type Started } from "./create-runtime.ts";
import type { StrapiDocuments } from "./data/documents.ts";
import { subscribeModels } from "./data/subscribe-models.ts";
import { createDataLayers } from "./data-layers.ts";
import { Cron } from "./instance/cron.ts";
import { ExtraParams } from "./instance/extra-params.ts";
import { registerMembers } from "./instance/register-members.ts";
import { watchSchemas } from "./instance/schema-changes.ts";
import { createStrapi } from "./instance/strapi.ts";
import type { Middleware } from "./koa/koa.ts";
import { ParsedQueries } from "./koa/parsed-queries.ts";
import { Deadlines, type Limit } from "./lib/deadlines.ts";
import type { CodeHandles } from "./loader/handles.ts";
import type { CodeBundle, LoadedCode } from "./loader/load.ts";
import { addPlugin, type PluginView, viewPlugin } from "./loader/plugin.ts";
import { createRegistries } from "./loader/registry.ts";
import type { DeclaredRoute } from "./loader/routes.ts";
import { createStartProblems, type StartProblems } from "./loader/start-problems.ts";
import type { McpRegistry } from "./members/mcp.ts";
import { createPluginModules, extendPlugins } from "./plugin-modules.ts";
import { createEmails } from "./plugins/email.ts";
import { GraphqlExtension, type SchemaExtension } from "./plugins/graphql.ts";
import { createUserSteps } from "./plugins/user-steps.ts";
import { administratorStrategies } from "./routes/administrators.ts";
import { AttachedServer } from "./routes/attached-server.ts";
import { actionCaller } from "./routes/caller.ts";
import { type ComposedActions, composeActions } from "./routes/composed-actions.ts";
import type { Front } from "./routes/front.ts";
import { type PluginAction, replacedAction } from "./routes/graphql-actions.ts";
import { graphqlContext, identifyRequest, withContext } from "./routes/graphql-context.ts";
import { registeredRouters } from "./routes/plugin-routes.ts";
import { createServer } from "./routes/server-object.ts";
import { apiNames, createServing, type Serving } from "./routes/serving.ts";
import { Strategies } from "./routes/strategies.ts";
import type { CodeProject, HttpTools, Runtime } from "./runtime.ts";
import { ProviderRegistry } from "./sign-in/registry.ts";
import { runDestroyHooks, runStartHooks } from "./start-hooks.ts";
import { Uploads } from "./uploads/uploads.ts";

export interface ProjectCodeOptions {
  readonly bundle: CodeBundle;
  readonly project: CodeProject;
  /** The plugin routes that the server handles itself. */
  readonly nativeRoutes: HttpTools["routes"];
  /** Time limit for a response, in milliseconds. */
  readonly limitMs: number;
  /** Report errors during startup and serve the rest; otherwise they are thrown. */
  readonly skipsFailures: boolean;
  /** Builds the GraphQL schema with extensions. Throws for one that cannot be built. */
  readonly buildGraphql: (extension: SchemaExtension) => void;
  /** Grants actions of the code as `config/galley.json` says, once all are known. Returns the names that no action has. */
  readonly grantActions: (actions: readonly string[]) => readonly ProjectProblem[];
  /** Called before any code runs: from now on, documents must be read and written through it. */
  readonly begin: (documents: StrapiDocuments) => void;
}

export interface ProjectCode {
  readonly runtime: Runtime;
  readonly problems: LoadedCode["problems"];
  readonly missing: LoadedCode["missing"];
  /** What administrators may do by it. */
  readonly administratorActions: () => ReturnType<AdministratorActions["own"]>;
  /** What it has registered for the Model Context Protocol. */
  readonly mcp: McpRegistry;
  /** Whether a core route exists: once a project declares routes, others do not. */
  readonly servesCore: (action: string | undefined) => boolean;
  readonly leavesReads: Serving["leavesReads"];
  /** Creates the request handler. `tools`: of the current server. */
  readonly mount: (tools: HttpTools) => (request: Request) => Promise<Response>;
  /** Undefined until it is mounted. */
  readonly front: Front | undefined;
  readonly graphql: () => SchemaExtension | undefined;
  /** The context of the code's GraphQL resolvers, with the caller as in `ctx.state`. */
  readonly createContext: (request: Request, ability: Ability) => object;
  /** The response to a request to GraphQL, with what resolvers have set in its context. */
  readonly withContext: (request: Request, response: Response) => Response;
  /** An action of users-permissions that an extension replaces, for GraphQL. */
  readonly replacedAction: (name: string) => PluginAction | undefined;
  /** For the code's GraphQL resolvers. */
  readonly limit: Limit;
  readonly cron: Cron;
  /** Timers and servers that it has opened. */
  readonly handles: CodeHandles;
  readonly destroy: () => Promise<void>;
}

/** What code adds to the HTTP server while it starts. */
interface ServerParts {
  readonly routes: DeclaredRoute[];
  readonly middlewares: Middleware[];
  readonly attached: AttachedServer;
  readonly extraParams: ExtraParams;
  readonly strategies: Strategies;
}

/** Creates everything that does not need the project's code to run. */
function createParts(options: ProjectCodeOptions) {
  const { bundle, project, limitMs } = options;
  const { code } = bundle;
  const { config, log, hub } = bundle.loading;
  const started: Started = {};
  hub.forwardTo(project.webhooks);
  const deadlines = new Deadlines(limitMs);
  const limit: Limit = (subject, work) => deadlines.limit(work, ({ message }) => log.error(`${subject}: ${message}`));
  const layers = createDataLayers(project, { hub, log, limit, uploads: () => uploads });
  const registries = createRegistries(() => runtime.strapi);
  const uploads = new Uploads({ runtime: () => runtime, registries, config, limit });
  const http: ServerParts = {
    routes: [],
    middlewares: [],
    attached: new AttachedServer(),
    extraParams: new ExtraParams(),
    strategies: new Strategies(),
  };
  const runtime = createRuntime(options, layers, registries, http.routes, started);
  const actions = new AdministratorActions(() => Object.values(layers.schemas.contentTypes));
  for (const strategy of administratorStrategies(runtime)) http.strategies.register("admin", strategy);
  registerMembers(registries, code, project.context.model, runtime, actions);
  return {
    started,
    actions,
    limit,
    layers,
    registries,
    uploads,
    emails: createEmails(() => runtime, config),
    http,
    runtime,
    graphql: new GraphqlExtension({ root: project.root, strapi: () => runtime.strapi, registries }),
    providers: new ProviderRegistry(project.settings),
    cron: new Cron(() => runtime.strapi, log, project.context.clock),
  };
}

type Parts = ReturnType<typeof createParts>;

/** Completes `strapi`, and adds the plugins once extensions have changed them. */
async function loadPlugins(options: ProjectCodeOptions, parts: Parts, problems: StartProblems) {
  const { project, nativeRoutes } = options;
  const { code, loading } = options.bundle;
  const { config, log } = loading;
  const { runtime, registries, layers, uploads, emails, http, cron } = parts;
  const services = {
    runtime: () => runtime,
    graphql: parts.graphql,
    nativeRoutes,
    schemas: layers.schemas,
    uploads: uploads.services,
    emails: emails.services,
    providers: parts.providers,
  };
  const pluginModules = await createPluginModules(code, services, config, problems);
  const { modules } = pluginModules;
  const plugins = new Map<string, PluginView>();
  const views = { registries, config, contentTypes: layers.schemas.contentTypes };
  const { server, ...added } = createServer(http.routes, http.middlewares, http.attached, {
    apiPrefix: project.settings.rest.prefix,
    log,
    declared: () => runtime.routes(),
    tools: () => runtime.tools,
    keys: config.get("server.app.keys"),
    env: config.get("environment"),
    proxy: project.settings.server.proxies === "any",
  });
  const apis = Object.fromEntries(
    [...new Set([...code.apis.keys(), ...apiNames(project.context.model)])].map((name) => {
      const routes = Object.fromEntries(code.apis.get(name)?.routes ?? []);
      return [name, viewPlugin(name, { routes }, views, "api")];
    }),
  );
  const { extraParams, strategies } = http;
  const { schemas, entityValidator } = layers;
  loading.open(project);
  const strapi = createStrapi({
    ...{ loading: loading.strapi, runtime, registries, schemas, entityValidator: entityValidator.validator },
    ...{ cron, plugins, server, apis, extraParams, strategies },
  });
  runtime.strapi = strapi;
  Object.assign(globalThis, { strapi });

  uploads.watch(modules.get("upload")?.services ?? {}, strapi);
  const identify: AccessSteps["identify"] = (request) => {
    const caller = actionCaller(request);
    if (caller) return caller;
    const listed = strategies.select("content-api", undefined);
    if (!listed && !runtime.findClaims()) return undefined;
    return parts.limit("authentication", () => identifyRequest(runtime, request, listed));
  };
  const users = createUserSteps({
    services: modules.get("users-permissions")?.services ?? {},
    registries,
    limit: parts.limit,
    strapi,
    identify,
    layers,
  });
  options.begin(layers.documents);
  await extendPlugins(code, pluginModules, { strapi, config }, problems);
  for (const [name, module] of modules) {
    addPlugin(registries, name, module);
    plugins.set(name, viewPlugin(name, module, views));
  }
  Object.assign((strapi as { plugins: object }).plugins, Object.fromEntries(plugins));
  await problems.attempt("upload provider", () => uploads.open(plugins.get("upload")!));
  runtime.access.steps = users.steps;
  runtime.findClaims = () => users.findClaims;
  return { pluginModules, plugins, apis, server, ...added, users };
}

/** Runs `register` and `bootstrap`, and starts what they have set up. Returns what routes use from before `bootstrap`. */
async function runHooks(
  options: ProjectCodeOptions,
  { layers, runtime, registries, uploads, emails, graphql, providers, cron, http }: Parts,
  { pluginModules, plugins, apis, users }: Awaited<ReturnType<typeof loadPlugins>>,
  problems: StartProblems,
): Promise<{ readonly firstMiddlewares: readonly Middleware[]; readonly composedActions: ComposedActions }> {
  const { project } = options;
  const { code, loading, handles } = options.bundle;
  const { modules } = pluginModules;
  subscribeModels(layers.lifecycles, code, modules);
  const unfollowed = watchSchemas(project.context.model, layers.schemas);
  const run = (hook: "register" | "bootstrap"): Promise<void> =>
    runStartHooks(hook, code, modules, { strapi: runtime.strapi, log: runtime.log, handles }, problems, {
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
export async function startProjectCode(options: ProjectCodeOptions): Promise<ProjectCode> {
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
    administratorActions: actions.own,
    mcp: loading.mcp,
    servesCore: serving.servesCore,
    leavesReads: serving.leavesReads,
    mount: (httpTools) => {
      const { app } = loaded.server;
      started.tools = { ...httpTools, queries: new ParsedQueries(httpTools), app };
      const created = serving.createFront();
      front = created;
      http.attached.serve = (request) => created.handle(request);
      return http.attached.serve;
    },
    get front() {
      return front;
    },
    createContext: (request, ability) => graphqlContext(runtime, request, ability),
    withContext,
    replacedAction: (name) => replacedAction(runtime, registries, name),
    limit,
    cron,
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
