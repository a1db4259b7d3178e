/** The built-in plugins as modules, for code and extensions. */

import { toRecord } from "../../lib/is-record.ts";
import type { Schemas } from "../data/schemas.ts";
import { builtinPlugin, type Members, type PluginModule } from "../loader/plugin.ts";
import { userStrategy } from "../routes/authentication.ts";
import { serverLimit } from "../routes/native-actions.ts";
import { rateLimitMiddleware } from "../routes/rate-limit.ts";
import type { NativeRoute, Runtime } from "../runtime.ts";
import type { ProviderRegistry } from "../sign-in/registry.ts";
import { withAbsentMembers } from "./absent-members.ts";
import { adminPlugins, withAdminControllers } from "./admin-controllers.ts";
import { createPolicy, hasPermissions } from "./admin-policies.ts";
import { adminRouters } from "./admin-routes.ts";
import { contentApiFactory, nativeParts } from "./content-api-routes.ts";
import { type GraphqlExtension, graphqlFormat } from "./graphql.ts";
import { builderServices, contentManagerServices, localeServices } from "./others.ts";
import { type Documented, describeRoutes } from "./route-descriptions.ts";
import { usersPermissionsServices, withSignIn } from "./users-permissions.ts";

const NAMES = ["users-permissions", "upload", "email", "i18n", "graphql", "content-manager", ...adminPlugins] as const;

export interface BuiltinPlugin {
  readonly name: string;
  readonly module: PluginModule;
  /** The routes that the server handles, before extensions change the module. */
  readonly routes: readonly Members[];
}

const graphqlNames = (): typeof import("./graphql-names.ts") => require("./graphql-names.ts");
const graphqlArguments = (): typeof import("./graphql-arguments.ts") => require("./graphql-arguments.ts");

/** Actions of uploads by what is sent. The server finds out by itself. */
function withUploadActions(controllers: Record<string, Members>): Record<string, Members> {
  const { upload } = controllers["content-api"] ?? {};
  if (!upload) return controllers;
  const parts = { uploadFiles: upload, updateFileInfo: upload, replaceFile: upload };
  return { ...controllers, "content-api": { ...controllers["content-api"], ...parts } };
}

/** As in Strapi, plugins without routes have an empty list. */
function createRouters(plugin: string, rows: readonly Members[]): PluginModule["routes"] {
  const admin = adminRouters(plugin);
  const routers = rows.length > 0 ? { ...admin, "content-api": contentApiFactory(rows) } : admin;
  return Object.keys(routers).length > 0 ? routers : [];
}

/** Changes of the native controllers, by plugin. */
const controllerFactories: Readonly<
  Record<string, (controllers: Record<string, Members>, parts: PluginServices) => Readonly<Record<string, Members>>>
> = {
  "users-permissions": (native, { runtime, providers }) => withSignIn(native, runtime, providers),
  upload: withUploadActions,
};

const policies: Readonly<Record<string, Members>> = {
  "content-manager": { hasPermissions: createPolicy("plugin::content-manager.hasPermissions", hasPermissions) },
};

const createMiddlewares = (runtime: () => Runtime): Readonly<Record<string, Members>> => ({
  "users-permissions": { rateLimit: rateLimitMiddleware(runtime) },
  email: { rateLimit: rateLimitMiddleware(runtime) },
  "content-type-builder": { isDevelopmentMode: serverLimit },
});

interface HookOptions {
  readonly strapi: Documented & { get(name: "auth"): { register(type: string, strategy: object): void } };
}

/** Hooks of the built-in plugins, which code may replace or call. */
const createHooks = (runtime: () => Runtime): Readonly<Record<string, Pick<PluginModule, "register">>> => ({
  "users-permissions": {
    register: ({ strapi }: HookOptions) => {
      strapi.get("auth").register("content-api", userStrategy(runtime));
      describeRoutes("users-permissions", runtime().root, strapi);
    },
  },
  upload: { register: ({ strapi }: HookOptions) => describeRoutes("upload", runtime().root, strapi) },
});

export interface PluginServices {
  readonly runtime: () => Runtime;
  readonly graphql: GraphqlExtension;
  readonly nativeRoutes: readonly NativeRoute[];
  readonly schemas: Schemas;
  /** The services of the upload plugin. */
  readonly uploads: Members;
  /** The services of the email plugin. */
  readonly emails: Members;
  readonly providers: ProviderRegistry;
}

export function builtinPlugins(parts: PluginServices): BuiltinPlugin[] {
  const { runtime, graphql, nativeRoutes, schemas, uploads, emails, providers } = parts;
  const argumentParts = () => ({
    scalars: graphqlNames().SCALARS,
    findSchema: (uid: string) => schemas.contentTypes[uid] ?? schemas.components[uid],
    config: (path: string) => runtime().config.get(`plugin::graphql.${path}`),
  });
  const services: Readonly<Record<(typeof NAMES)[number], Members>> = {
    "users-permissions": usersPermissionsServices(runtime, providers),
    upload: uploads,
    email: emails,
    i18n: localeServices(runtime),
    "content-manager": contentManagerServices(runtime),
    graphql: {
      extension: () => graphql.service(),
      format: graphqlFormat,
      constants: () => graphqlNames().graphqlConstants(),
      utils: () => ({
        ...graphqlNames().graphqlUtils(() => schemas.components),
        mappers: graphqlArguments().graphqlMappers(argumentParts()),
      }),
      builders: () => graphqlArguments().graphqlBuilders(argumentParts()),
    },
    "content-type-builder": builderServices,
    "content-releases": {},
    "review-workflows": {},
  };
  const middlewares = createMiddlewares(runtime);
  // as in Strapi, a disabled plugin is not there
  const names = NAMES.filter((name) => name !== "graphql" || runtime().settings.graphql.enabled);
  return names.map((name) => {
    const { controllers: native, routes } = nativeParts(runtime, name, nativeRoutes);
    const controllers = controllerFactories[name]?.(native, parts) ?? native;
    const prefix = `plugin::${name}.`;
    const contentTypes = Object.keys(schemas.contentTypes).flatMap((uid) =>
      uid.startsWith(prefix) ? [[uid.slice(prefix.length), { schema: schemas.contentTypes[uid] }] as const] : [],
    );
    const module: PluginModule = {
      ...builtinPlugin(),
      ...createHooks(runtime)[name],
      controllers: withAdminControllers(name, controllers),
      services: withAbsentMembers(`plugin::${name}`, services[name]),
      middlewares: { ...middlewares[name] },
      policies: { ...policies[name] },
      routes: createRouters(name, routes),
      contentTypes: Object.fromEntries(contentTypes),
    };
    // copies, since extensions also change the objects
    const own = routes.map(({ method, path, handler, config }) => ({
      method,
      path,
      handler,
      config: { ...toRecord(config) },
    }));
    return { name, module, routes: own };
  });
}
