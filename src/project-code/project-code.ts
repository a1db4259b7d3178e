/**
 * Starts one generation of a project's code: creates `strapi`, applies extensions and plugins, runs `register` and `bootstrap`,
 * and then collects the routes.
 */
import type { Ability } from "../access/ability.ts";
import { isRecord } from "../query/key-check.ts";
import { contentType } from "../schema/model.ts";
import { EntryEvents } from "../webhooks/entry-events.ts";
import type { AdministrationDatabase } from "./administration/database.ts";
import { Documents } from "./data/documents.ts";
import { createEntityService } from "./data/entity-service.ts";
import { createEntityValidator } from "./data/entity-validator.ts";
import { Lifecycles } from "./data/lifecycles.ts";
import { QueryEngine } from "./data/query-engine.ts";
import { rawContext } from "./data/raw-context.ts";
import { subscribeModels } from "./data/subscribe-models.ts";
import { AttachedServer } from "./http/attached-server.ts";
import type { Middleware } from "./http/compose.ts";
import { Deadlines, type Limit } from "./http/deadlines.ts";
import { graphqlContext } from "./http/graphql-context.ts";
import { ParsedQueries } from "./http/parsed-queries.ts";
import type { DeclaredRoute } from "./http/routes.ts";
import { createServer } from "./http/server-object.ts";
import { createServing, isCore, type Serving } from "./http/serving.ts";
import { sessionOptions } from "./http/session-options.ts";
import { Strategies } from "./http/strategies.ts";
import { AbsentError } from "./loader/absent-module.ts";
import { addedActions } from "./loader/declarations.ts";
import type { CodeBundle, LoadedCode } from "./loader/load.ts";
import { builtinPlugins } from "./plugins/builtin-plugins.ts";
import { codePlugin } from "./plugins/code-plugins.ts";
import { Emails } from "./plugins/email.ts";
import { GraphqlExtension, type SchemaExtension } from "./plugins/graphql.ts";
import {
  addPlugin,
  emptyPlugin,
  type Members,
  type PluginModule,
  type PluginView,
  viewPlugin,
} from "./plugins/plugin.ts";
import type { CodeProject, CodeTools, HttpTools, Runtime } from "./runtime.ts";
import { ProviderRegistry } from "./sign-in/registry.ts";
import { hookOf, runStartHooks } from "./start-hooks.ts";
import { Cron } from "./strapi/cron.ts";
import { createDatabase } from "./strapi/database.ts";
import { ExtraParams } from "./strapi/extra-params.ts";
import { registerMembers } from "./strapi/register-members.ts";
import { createRegistries } from "./strapi/registry.ts";
import { watchSchemas } from "./strapi/schema-changes.ts";
import { createSchemas } from "./strapi/schemas.ts";
import { createStore } from "./strapi/store.ts";
import { createStrapi } from "./strapi/strapi.ts";
import { WebhookRunner } from "./strapi/webhook-runner.ts";
import { createWebhookStore } from "./strapi/webhook-store.ts";
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
  /** Called before any code runs: from now on, documents must be read and written through it. */
  readonly begin: (documents: Documents) => void;
}

export interface ProjectCode {
  readonly runtime: Runtime;
  readonly problems: LoadedCode["problems"];
  readonly missing: LoadedCode["missing"];
  /** Whether a core route exists: once a project declares routes, others do not. */
  readonly servesCore: (action: string | undefined) => boolean;
  /** Creates the request handler. `tools`: of the current server. */
  readonly mount: (tools: HttpTools) => (request: Request) => Promise<Response>;
  readonly graphql: () => SchemaExtension | undefined;
  /** The context of the code's GraphQL resolvers, with the caller as in `ctx.state`. */
  readonly contextOf: (request: Request, ability: Ability) => object;
  /** For the code's GraphQL resolvers. */
  readonly limit: Limit;
  readonly destroy: () => Promise<void>;
}

/** Rejects with errors that the code throws during startup, unless `skipsFailures`. */
export async function startProjectCode(options: ProjectCodeOptions): Promise<ProjectCode> {
  const { bundle, project, nativeRoutes, limitMs, skipsFailures } = options;
  const { code } = bundle;
  const { context, transactions, settings } = project;
  const { model } = context;
  const { config, log, hub, requestContext } = bundle.loading;
  const schemas = createSchemas(model);
  const entityValidator = createEntityValidator(() => raw, schemas.of);
  const lifecycles = new Lifecycles(
    transactions,
    (uid) => schemas.of(uid),
    log.warn,
    () => entityValidator.replacement,
  );
  const raw = rawContext(context, transactions, lifecycles);
  const services = { raw, transactions, lifecycles };
  const engines = new Map<string, QueryEngine>();
  const query = (uid: string): QueryEngine =>
    engines.getOrInsertComputed(uid, () => new QueryEngine(services, contentType(raw.model, uid)));
  const webhookRunner = new WebhookRunner(project.webhooks, hub, log);
  hub.forwardTo(webhookRunner);
  const events = new EntryEvents({
    hub,
    onCommit: (done) => transactions.onCommit(done),
    model,
    read: ({ uid }, id, populate) => query(uid).findOne({ where: { id }, populate }),
    draftOf: ({ uid, localized }, { documentId, locale }) => {
      const where = { documentId, publishedAt: null, ...(localized ? { locale } : {}) };
      return query(uid).findOne({ where, select: ["id"] });
    },
    onError: log.error,
  });
  const deadlines = new Deadlines(limitMs);
  const limit: Limit = (subject, work) => deadlines.limit(work, ({ message }) => log.error(`${subject}: ${message}`));
  const registries = createRegistries(() => runtime.strapi);
  const uploads = new Uploads({ runtime: () => runtime, registries, config, limit });
  const emails = new Emails(() => runtime, config);
  const documents = new Documents({
    ...services,
    context,
    schemaOf: schemas.of,
    events,
    limit,
    files: () => uploads.files,
  });
  let openAdministration: AdministrationDatabase | undefined;
  const administration = (): AdministrationDatabase => {
    const database = require("./administration/database.ts") as typeof import("./administration/database.ts");
    openAdministration ??= new database.AdministrationDatabase({ ...project, raw, log });
    return openAdministration;
  };
  let tools: CodeTools | undefined;
  const runtime: Runtime & { strapi: object; actions: readonly string[] } = {
    ...project,
    context,
    get tools(): CodeTools {
      if (!tools) throw new Error("The server does not answer requests yet");
      return tools;
    },
    raw,
    lifecycles,
    documents,
    query,
    administration,
    requestContext,
    usesRequestContext: bundle.usesRequestContext,
    service: (uid) => registries.services.get(uid),
    schemaOf: (uid) => schemas.of(uid),
    hasCoreService: (uid, action) => {
      if (!registries.services.has(uid)) return false;
      return isCore(registries.services.exported(uid), () => registries.services.get(uid), action);
    },
    strapi: bundle.loading.strapi,
    routes: () => serving?.declared ?? serverRoutes,
    log,
  };

  registerMembers(registries, code, model, runtime);
  const graphql = new GraphqlExtension({ root: project.root, strapi: () => runtime.strapi, registries });
  const providers = new ProviderRegistry(settings);
  const modules = new Map<string, PluginModule>();
  const nativeRoutesByPlugin = new Map<string, readonly Members[]>();
  for (const { name, module, routes } of builtinPlugins({
    runtime: () => runtime,
    graphql,
    nativeRoutes,
    schemas,
    uploads: uploads.services,
    emails: emails.services,
    providers,
  })) {
    nativeRoutesByPlugin.set(name, routes);
    modules.set(name, module);
  }
  const problems = [...code.problems];
  /** Resolves with the result; undefined after an error, which is reported. */
  const attempt = async (file: string, work: () => unknown): Promise<unknown> => {
    try {
      return await work();
    } catch (error) {
      if (!skipsFailures && !(error instanceof AbsentError)) throw error;
      problems.push({ file, message: `ended early: ${error instanceof Error ? error.message : String(error)}` });
      return undefined;
    }
  };
  const { environment } = settings;
  for (const [name, exported] of code.plugins) {
    const make = () => codePlugin(name, exported, { strapi: runtime.strapi, config, environment });
    modules.set(name, ((await attempt(`plugin ${name}`, make)) as PluginModule | undefined) ?? emptyPlugin());
  }

  const cron = new Cron(() => runtime.strapi, log);
  const plugins = new Map<string, PluginView>();
  let serving: Serving | undefined;
  const serverRoutes: DeclaredRoute[] = [];
  const serverMiddlewares: Middleware[] = [];
  const attached = new AttachedServer();
  const server = createServer(serverRoutes, serverMiddlewares, attached, {
    apiPrefix: settings.rest.prefix,
    log,
    declared: () => runtime.routes(),
    keys: config.get("server.app.keys"),
    mode: config.get("environment"),
    isProxied: settings.server.proxies === "any",
  });
  const views = { registries, config, contentTypes: schemas.contentTypes };
  const apis = Object.fromEntries(
    [...code.apis].map(([name, { routes }]) => [
      name,
      viewPlugin(name, { routes: Object.fromEntries(routes) }, views, "api"),
    ]),
  );
  let knex: object | undefined;
  const connection = (): object => {
    const { createConnection } = require("./knex/connection.ts") as typeof import("./knex/connection.ts");
    knex ??= createConnection(model, transactions);
    return knex;
  };
  const extraParams = new ExtraParams();
  const strategies = new Strategies();
  const database = createDatabase(runtime, schemas, connection);
  bundle.loading.open(project);
  runtime.strapi = createStrapi({
    loading: bundle.loading.strapi,
    runtime,
    registries,
    strategies,
    schemas,
    config,
    database,
    entityService: createEntityService({ documents, query, typeOf: (uid) => model.types.get(uid) }),
    entityValidator: entityValidator.validator,
    store: createStore(runtime),
    webhookStore: createWebhookStore(runtime, project.webhooks.list),
    webhookRunner,
    cron,
    extraParams,
    eventHub: hub,
    plugins,
    apis,
    server,
  });
  const { strapi } = runtime;
  Object.assign(globalThis, { strapi });

  uploads.watch(modules.get("upload")?.services ?? {}, strapi);
  options.begin(documents);
  for (const [name, extend] of code.extensions) {
    const module = modules.get(name);
    if (!module || typeof extend !== "function") continue;
    // changes before an error are kept
    const changed = await attempt(`extension of ${name}`, () => extend(module, { strapi }));
    modules.set(name, isRecord(changed) ? (changed as unknown as PluginModule) : module);
  }
  const added = [...modules].flatMap(([name, { routes }]) =>
    addedActions(name, routes, nativeRoutesByPlugin.get(name)),
  );
  runtime.actions = [...new Set([...project.actions, ...added])];
  for (const [name, module] of modules) {
    addPlugin(registries, name, module);
    plugins.set(name, viewPlugin(name, module, views));
  }
  Object.assign((strapi as { plugins: object }).plugins, Object.fromEntries(plugins));
  await attempt("upload provider", () => uploads.open(plugins.get("upload")!));
  subscribeModels(lifecycles, code, modules);
  const unfollowed = watchSchemas(model, schemas);
  await runStartHooks("register", code, modules, runtime, problems, { ...options, unfollowed });
  await attempt("upload provider", () => uploads.signDocuments());
  await attempt("email provider", () => emails.open(plugins.get("email")!));
  const registeredMiddlewares = [...serverMiddlewares];
  await providers.store(raw, transactions);
  await runStartHooks("bootstrap", code, modules, runtime, problems, { ...options, unfollowed });
  const uncalled = await attempt("plugin upload", () => uploads.uncalled);
  if (Array.isArray(uncalled) && uncalled.length > 0)
    problems.push({
      file: "plugin upload",
      message: `replaces ${uncalled.join(", ")}, which uploads and deletions over HTTP do not call`,
    });
  const tasks = config.get("server.cron");
  if (isRecord(tasks) && tasks.enabled === true) cron.add(tasks.tasks);
  cron.start();

  serving = createServing({
    code,
    runtime,
    registries,
    strategies,
    modules,
    nativeRoutesByPlugin,
    routes: serverRoutes,
    firstMiddlewares: registeredMiddlewares,
    lastMiddlewares: serverMiddlewares.slice(registeredMiddlewares.length),
    extraParams,
    attached,
    configured: config.get("middlewares"),
    limitMs,
    skipsFailures,
    problems,
  });
  return {
    runtime,
    problems,
    missing: code.missing,
    servesCore: serving.servesCore,
    mount: (httpTools) => {
      const session = sessionOptions(config.get("middlewares"), config.get("environment") === "production");
      tools = { ...httpTools, queries: new ParsedQueries(httpTools.parseQuery), app: server.app, session };
      const front = serving.createFront();
      attached.serve = (request) => front.handle(request);
      return attached.serve;
    },
    contextOf: (request, ability) => graphqlContext(runtime, request, ability),
    limit,
    graphql: () => (graphql.isUsed ? graphql.collect() : undefined),
    destroy: async () => {
      cron.destroy();
      attached.close();
      for (const module of [...modules.values(), ...code.apiIndexes.values(), code.index])
        await hookOf(module, "destroy")?.({ strapi });
      hub.destroy();
    },
  };
}
