/** Completes `strapi` with the plugins of a project, once extensions have changed them. */
import type { AccessSteps } from "../engine/access/access.ts";
import type { Parts, ProjectCodeOptions } from "./code-parts.ts";
import { createStrapi } from "./instance/strapi.ts";
import { addPlugin, type PluginView, viewPlugin } from "./loader/plugin.ts";
import type { StartProblems } from "./loader/start-problems.ts";
import { createPluginModules, extendPlugins } from "./plugin-modules.ts";
import { createUserSteps } from "./plugins/user-steps.ts";
import { actionCaller } from "./routes/caller.ts";
import { identifyRequest } from "./routes/graphql-context.ts";
import { createServer } from "./routes/server-object.ts";
import { apiNames } from "./routes/serving.ts";

type Views = Parameters<typeof viewPlugin>[2];

/** Whom a request is of, as strategies of the code and the server's see it. */
const createIdentify =
  ({ runtime, http, limit }: Parts): AccessSteps["identify"] =>
  (request) => {
    const caller = actionCaller(request);
    if (caller) return caller;
    const listed = http.strategies.select("content-api", undefined);
    if (!listed && !runtime.findClaims()) return undefined;
    return limit("authentication", () => identifyRequest(runtime, request, listed));
  };

/** Signs cookies also where the project configures no keys, which Strapi does not start without. */
const cookieKeys = (configured: unknown, secret: string): unknown[] =>
  Array.isArray(configured) && configured.length > 0
    ? configured
    : [new Bun.CryptoHasher("sha256", secret).update("cookies").digest("base64url")];

/** Creates `strapi`, with its server and its apis. Plugins are added to `plugins`. */
function openStrapi(
  { project, bundle }: ProjectCodeOptions,
  parts: Parts,
  plugins: Map<string, PluginView>,
  views: Views,
) {
  const { code, loading } = bundle;
  const { config, log } = loading;
  const { runtime, registries, layers, http, cron } = parts;
  const { server, ...added } = createServer(http.routes, http.middlewares, http.attached, {
    apiPrefix: project.settings.rest.prefix,
    log,
    declared: () => runtime.routes(),
    tools: () => runtime.tools,
    keys: cookieKeys(config.get("server.app.keys"), project.access.jwt.secret),
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
  return { strapi, apis, server, ...added };
}

export async function loadPlugins(options: ProjectCodeOptions, parts: Parts, problems: StartProblems) {
  const { code, loading } = options.bundle;
  const { config } = loading;
  const { runtime, registries, layers, uploads, graphql, providers } = parts;
  const pluginModules = await createPluginModules(
    code,
    {
      ...{ runtime: () => runtime, graphql, providers },
      ...{ nativeRoutes: options.nativeRoutes, schemas: layers.schemas },
      ...{ uploads: uploads.services, emails: parts.emails.services },
    },
    config,
    problems,
  );
  const { modules } = pluginModules;
  const plugins = new Map<string, PluginView>();
  const views = { registries, config, contentTypes: layers.schemas.contentTypes };
  const opened = openStrapi(options, parts, plugins, views);
  const { strapi } = opened;
  uploads.watch(modules.get("upload")?.services ?? {}, strapi);
  const users = createUserSteps({
    services: modules.get("users-permissions")?.services ?? {},
    registries,
    limit: parts.limit,
    strapi,
    identify: createIdentify(parts),
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
  return { pluginModules, plugins, users, ...opened };
}

export type LoadedPlugins = Awaited<ReturnType<typeof loadPlugins>>;
