/** The built-in plugins as modules, for code and extensions. */
import type { NativeRoute, Runtime } from "../runtime.ts";
import type { ProviderRegistry } from "../sign-in/registry.ts";
import type { Schemas } from "../strapi/schemas.ts";
import { withAbsentMembers } from "./absent-members.ts";
import { adminPlugins, withAdminControllers } from "./admin-controllers.ts";
import { type GraphqlExtension, graphqlFormat } from "./graphql.ts";
import { nativeParts } from "./native-routes.ts";
import { contentManagerServices, localeServices } from "./others.ts";
import { builtinPlugin, type Members, type PluginModule } from "./plugin.ts";
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

/** As in the reference, the auth controller is a factory function. */
const asFactories = (controllers: Members): Members =>
  Object.fromEntries(
    Object.entries(controllers).map(([name, actions]) => [name, name === "auth" ? () => actions : actions]),
  );

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
    schemaOf: (uid: string) => schemas.contentTypes[uid] ?? schemas.components[uid],
    config: (path: string) => {
      const { config } = runtime().strapi as { readonly config: { readonly get: (path: string) => unknown } };
      return config.get(`plugin::graphql.${path}`);
    },
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
    "content-type-builder": {},
    "content-releases": {},
    "review-workflows": {},
  };
  // as in the reference, a disabled plugin is not there
  const names = NAMES.filter((name) => name !== "graphql" || runtime().settings.graphql.enabled);
  return names.map((name) => {
    const { controllers: native, routes } = nativeParts(runtime, name, nativeRoutes);
    const controllers = name === "users-permissions" ? withSignIn(native, runtime, providers) : native;
    const prefix = `plugin::${name}.`;
    const contentTypes = Object.keys(schemas.contentTypes).flatMap((uid) =>
      uid.startsWith(prefix) ? [[uid.slice(prefix.length), { schema: schemas.contentTypes[uid] }] as const] : [],
    );
    const module: PluginModule = {
      ...builtinPlugin(),
      controllers: withAdminControllers(name, asFactories(controllers)),
      services: withAbsentMembers(`plugin::${name}`, services[name]),
      routes: { "content-api": { type: "content-api", routes }, admin: { type: "admin", routes: [] } },
      contentTypes: Object.fromEntries(contentTypes),
    };
    return { name, module, routes: [...routes] };
  });
}
