/** Creates the global `strapi` object. */
import { once } from "../../lib/once.ts";
import { isProcessEnding } from "../../lib/process-exit.ts";
import { mapValues } from "../../lib/records.ts";
import { findDocuments } from "../administration/documents.ts";
import type { DocumentActions } from "../data/documents.ts";
import { createEntityService } from "../data/entity-service.ts";
import type { QueryEngine } from "../data/query-engine.ts";
import type { Schemas } from "../data/schemas.ts";
import type { Members, PluginView } from "../loader/plugin.ts";
import { type Registries, registryMembers } from "../loader/registry.ts";
import type { CoreKind } from "../packages/strapi.ts";
import { strapiError, strapiUtils } from "../packages/utils.ts";
import { createCoreController } from "../routes/core-controller.ts";
import { createCoreService } from "../routes/core-service.ts";
import type { Strategies } from "../routes/strategies.ts";
import type { Runtime } from "../runtime.ts";
import { createContainer, viewComponents, viewMembers, viewRegistry } from "./container.ts";
import { createContentApi } from "./content-api.ts";
import type { Cron } from "./cron.ts";
import { createDatabase } from "./database.ts";
import type { ExtraParams } from "./extra-params.ts";
import { createHooks } from "./hooks.ts";
import { createSessionManager } from "./session-manager.ts";
import { createStore } from "./store.ts";
import { createWebhookRunner } from "./webhook-runner.ts";
import { createWebhookStore } from "./webhook-store.ts";

interface Auth {
  readonly strategy?: { readonly verify?: (auth: object, config: unknown) => unknown };
}

/** `strapi.auth`: registers authentication strategies, and verifies the permissions of callers. */
function createAuthService(strategies: Strategies) {
  const service = {
    register: (type: string, strategy: unknown) => {
      strategies.register(type, strategy);
      return service;
    },
    /** `auth`: that of `ctx.state`. Rejects if the caller may not use the route or `scope`. */
    verify: async (auth: Auth | undefined, config: unknown = {}): Promise<unknown> => {
      if (config === false) return undefined;
      if (!auth) throw strapiError("UnauthorizedError");
      return auth.strategy?.verify?.(auth, config);
    },
  };
  return service;
}

export interface StrapiParts {
  readonly runtime: Runtime;
  readonly registries: Registries;
  readonly strategies: Strategies;
  readonly schemas: Schemas;
  readonly entityValidator: object;
  readonly cron: Cron;
  readonly plugins: ReadonlyMap<string, PluginView>;
  readonly apis: Readonly<Record<string, object>>;
  readonly server: object;
  readonly extraParams: ExtraParams;
  /** The object that files already have; it gets the other members. */
  readonly loading: object;
}

/** As in Strapi, code may switch the watching of files off while it writes some; they are loaded by themselves. */
const createReload = ({ log }: Runtime) =>
  Object.assign(() => void log.warn("strapi.reload() does nothing: changed files are loaded by themselves"), {
    isWatching: true,
    isReloading: false,
  });

/** Services and data layers. The object has the configuration, the log and others already. */
function serviceMembers(parts: StrapiParts, contentAPI: object): Members {
  const { runtime } = parts;
  const { model } = runtime.context;
  const connection = once(() => {
    const { createConnection } = require("../knex/connection.ts") as typeof import("../knex/connection.ts");
    return createConnection(model, runtime.transactions, runtime.administration);
  });
  const database = createDatabase(runtime, parts.schemas, connection);
  const makeCore = (kind: CoreKind, uid: string): object => {
    const type = model.types.get(uid);
    if (!type) throw new Error(`There is no content-type ${uid}`);
    return kind === "controller" ? createCoreController(runtime, type) : createCoreService(runtime, type);
  };
  const documents = Object.assign((uid: string) => findDocuments(runtime, uid), {
    use: runtime.documents.use.bind(runtime.documents),
  });
  return {
    makeCore,
    documents,
    db: database,
    query: database.query,
    entityService: createEntityService({
      model,
      documents: (uid) => findDocuments(runtime, uid) as DocumentActions,
      query: (uid) => database.query(uid) as QueryEngine,
    }),
    entityValidator: parts.entityValidator,
    store: createStore(runtime),
    webhookStore: createWebhookStore(runtime),
    webhookRunner: createWebhookRunner(runtime.webhooks, (parts.loading as Members).eventHub),
    // plugins read the configuration from here, too
    internal_config: runtime.config,
    cron: parts.cron,
    server: parts.server,
    contentAPI,
    auth: createAuthService(parts.strategies),
  };
}

/** Undefined for unknown names, as in Strapi. */
const ownerMembers = ({ plugins, apis }: StrapiParts): Members => ({
  plugin: (name: string) => plugins.get(name),
  plugins: Object.fromEntries(plugins),
  api: (name: string) => apis[name],
  apis,
});

/** Without reading any, since some are created when they are read. */
const listTypes = ({ contentTypes }: Schemas, prefix: string): Members =>
  Object.defineProperties(
    {},
    Object.fromEntries(
      Object.entries(Object.getOwnPropertyDescriptors(contentTypes)).flatMap(([uid, descriptor]) =>
        uid.startsWith(prefix) ? [[uid.slice(prefix.length), descriptor]] : [],
      ),
    ),
  );

/** Only listed: the types of fields are read from the files that register them (`loader/registered-fields.ts`). */
function createCustomFields({ plugins }: StrapiParts) {
  const fields: Members = {};
  const add = (added: unknown): void => {
    for (const field of [added].flat() as readonly { readonly plugin?: string; readonly name: string }[]) {
      const { plugin, name } = field;
      fields[plugin && plugins.has(plugin) ? `plugin::${plugin}.${name}` : `global::${name}`] = field;
    }
  };
  return { ...viewMembers(fields), add };
}

const schemaMembers = ({ schemas, runtime: { sanitizers } }: StrapiParts, { add }: { add: unknown }): Members => ({
  contentType: (uid: string) => schemas.contentTypes[uid],
  contentTypes: schemas.contentTypes,
  components: schemas.components,
  getModel: (uid: string) => schemas.of(uid),
  customFields: { register: add },
  sanitizers: sanitizers.sanitizers,
  validators: sanitizers.validators,
});

const adminMembers = ({ runtime: { config }, registries, schemas }: StrapiParts): Members => ({
  admin: {
    get config() {
      return config.get("admin");
    },
    service: (name: string) => registries.services.get(`admin::${name}`),
    get services() {
      return registries.services.view("admin::");
    },
    get controllers() {
      return registries.controllers.view("admin::");
    },
    get policies() {
      return registries.policies.view("admin::");
    },
    get middlewares() {
      return registries.middlewares.view("admin::");
    },
    get contentTypes() {
      return listTypes(schemas, "admin::");
    },
    // code may add some, which no request reaches
    routes: { admin: { type: "admin", prefix: "/admin", routes: [] } },
  },
});

const processMembers = ({ runtime }: StrapiParts): Members => ({
  reload: createReload(runtime),
  sessionManager: createSessionManager(runtime),
  isLoaded: true,
  app: undefined,
  // handlers of signals call it; when the server stops, it runs the hooks of the code by itself
  destroy: async () => {
    if (!isProcessEnding()) runtime.log.warn("strapi.destroy() was called; the server keeps running");
  },
  stop: () => {
    throw new Error("strapi.stop() is not supported by Galley: the process also serves requests without the code");
  },
  stopWithError: (error: unknown, message?: unknown) => {
    if (message !== undefined) runtime.log.error(message);
    throw error;
  },
});

/** Without reading any, since some are created when they are read. */
const allSchemas = ({ contentTypes, components }: Schemas): Members =>
  Object.defineProperties(
    {},
    { ...Object.getOwnPropertyDescriptors(contentTypes), ...Object.getOwnPropertyDescriptors(components) },
  );

/** What `strapi.get` finds. */
function containerViews(
  parts: StrapiParts,
  contentAPI: object,
  hooks: Members,
  { store, customFields }: { readonly store: unknown; readonly customFields: object },
) {
  const { runtime, registries, schemas, plugins, apis } = parts;
  return {
    ...mapValues(registries, viewRegistry),
    "content-types": viewMembers(schemas.contentTypes),
    models: viewMembers(allSchemas(schemas)),
    components: viewComponents(schemas.components),
    apis: viewMembers(apis),
    plugins: viewMembers(Object.fromEntries(plugins)),
    hooks: viewMembers(hooks),
    "custom-fields": customFields,
    "query-params": {
      transform: (uid: string, params?: Members) => {
        const { createTransformer } = strapiUtils().queryParams;
        return createTransformer({ getModel: (name) => schemas.of(name) as never }).transformQueryParams(
          uid,
          params ?? {},
        );
      },
    },
    "content-api": contentAPI,
    coreStore: store,
    logger: runtime.log,
  };
}

export function createStrapi(parts: StrapiParts): object {
  const strapi = parts.loading as Members;
  const contentAPI = createContentApi(parts.runtime, parts.extraParams);
  const hooks = createHooks();
  const services = serviceMembers(parts, contentAPI);
  const customFields = createCustomFields(parts);
  const members: readonly Members[] = [
    services,
    registryMembers(parts.registries),
    ownerMembers(parts),
    schemaMembers(parts, customFields),
    { ...hooks },
    adminMembers(parts),
    processMembers(parts),
    {
      ...createContainer(
        () => strapi,
        containerViews(parts, contentAPI, hooks.hooks, { store: services.store, customFields }),
      ),
    },
  ];
  // descriptors, since some members are getters
  for (const group of members) Object.defineProperties(strapi, Object.getOwnPropertyDescriptors(group));
  return strapi;
}
