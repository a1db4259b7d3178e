/** `strapi.plugin("graphql").service("extension")`: collects the changes of code to the GraphQL schema. */
import { isRecord } from "../../query/key-check.ts";
import { withNodeMessage } from "../loader/node-messages.ts";
import { asApiError } from "../packages/errors.ts";
import { handlerOf, type Registries } from "../strapi/registry.ts";
import type { Members } from "./plugin.ts";

type Policy = (context: object) => unknown;

export interface ShadowRules {
  disabled?: boolean;
  queriesDisabled?: boolean;
  mutationsDisabled?: boolean;
  disabledActions?: string[];
  disabledParts?: Record<string, ("output" | "input" | "filters")[]>;
}

export interface ResolverRules {
  readonly auth?: boolean | { readonly scope?: string | readonly string[] };
  readonly policies?: readonly Policy[];
  readonly middlewares?: readonly ((...args: readonly unknown[]) => unknown)[];
}

/** All extensions, as plain data for the GraphQL endpoint. */
export interface SchemaExtension {
  readonly shadowCrud: Readonly<Record<string, ShadowRules>>;
  readonly typeDefs: readonly string[];
  readonly nexus:
    | {
        readonly nexus: { makeSchema(config: { types: unknown }): object };
        readonly graphql: { buildSchema(sdl: string): object; printSchema(schema: object): string };
        readonly types: readonly unknown[];
        readonly plugins: readonly unknown[];
      }
    | undefined;
  readonly resolvers: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly resolversConfig: Readonly<Record<string, ResolverRules>>;
}

interface ExtensionServices {
  readonly root: string;
  readonly strapi: () => object;
  readonly registries: Registries;
}

/** Loads the package that is installed in the project. */
function packageOf(root: string, name: string): unknown {
  return require(Bun.resolveSync(name, root));
}

type Resolver = (...args: readonly unknown[]) => unknown;

/** Converts errors, since the endpoint handles only ApiErrors. */
const withApiErrors =
  (resolve: Resolver): Resolver =>
  async (...args) => {
    try {
      return await resolve(...args);
    } catch (error) {
      throw asApiError(withNodeMessage(error));
    }
  };

const withApiErrorsInFields = (fields: Members): Members =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      if (typeof field === "function") return [name, withApiErrors(field as Resolver)];
      if (isRecord(field) && typeof field.resolve === "function")
        return [name, { ...field, resolve: withApiErrors(field.resolve as Resolver) }];
      return [name, field];
    }),
  );

/** `service("format")`: wraps documents for the types of responses. */
export const graphqlFormat = (): Members => {
  const infoOf = ({ args = {}, resourceUID }: Members = {}) => ({ args, resourceUID });
  return {
    returnTypes: {
      toEntityResponse: (value: unknown, info?: Members) => ({ value, info: infoOf(info) }),
      toEntityResponseCollection: (nodes: unknown, info?: Members) => ({ nodes, info: infoOf(info) }),
    },
  };
};

export class GraphqlExtension {
  readonly #services: ExtensionServices;
  readonly #extensions: unknown[] = [];
  readonly #shadow: Record<string, ShadowRules> = {};

  constructor(services: ExtensionServices) {
    this.#services = services;
  }

  get isUsed(): boolean {
    return this.#extensions.length > 0 || Object.keys(this.#shadow).length > 0;
  }

  readonly service = (): Members => ({
    use: (extension: unknown) => {
      this.#extensions.push(extension);
      return this.service();
    },
    shadowCRUD: (uid: string) => this.#rulesOf(uid),
  });

  #rulesOf(uid: string) {
    const rules = this.#shadow[uid] ?? {};
    this.#shadow[uid] = rules;
    const actions = {
      disable: () => {
        rules.disabled = true;
        return actions;
      },
      disableQueries: () => {
        rules.queriesDisabled = true;
        return actions;
      },
      disableMutations: () => {
        rules.mutationsDisabled = true;
        return actions;
      },
      disableAction: (action: string) => {
        rules.disabledActions = [...(rules.disabledActions ?? []), action];
        return actions;
      },
      disableActions: (names: readonly string[] = []) => {
        for (const name of names) actions.disableAction(name);
        return actions;
      },
      isEnabled: () => rules.disabled !== true,
      field: (name: string) => {
        const parts = rules.disabledParts?.[name] ?? [];
        rules.disabledParts = { ...rules.disabledParts, [name]: parts };
        const add = (...own: ("output" | "input" | "filters")[]) => {
          parts.push(...own);
          return field;
        };
        const field = {
          disable: () => add("output", "input", "filters"),
          disableOutput: () => add("output"),
          disableInput: () => add("input"),
          disableFilters: () => add("filters"),
        };
        return field;
      },
    };
    return actions;
  }

  /** Merges all extensions. Functions are called with the project's `nexus`, if it is installed. */
  collect(): SchemaExtension {
    const typeDefs: string[] = [];
    const types: unknown[] = [];
    const plugins: unknown[] = [];
    const resolvers: Record<string, Record<string, unknown>> = {};
    const resolversConfig: Record<string, ResolverRules> = {};
    for (const extension of this.#extensions) {
      const made = typeof extension === "function" ? this.#call(extension as (options: object) => unknown) : extension;
      if (!isRecord(made)) continue;
      if (made.typeDefs !== undefined) typeDefs.push(...[made.typeDefs].flat().map(String));
      if (made.types !== undefined) types.push(...[made.types].flat());
      if (Array.isArray(made.plugins)) plugins.push(...made.plugins);
      for (const [type, fields] of isRecord(made.resolvers) ? Object.entries(made.resolvers) : []) {
        resolvers[type] = { ...resolvers[type], ...(isRecord(fields) ? withApiErrorsInFields(fields) : {}) };
      }
      for (const [field, config] of isRecord(made.resolversConfig) ? Object.entries(made.resolversConfig) : [])
        resolversConfig[field] = this.#rules(field, isRecord(config) ? config : {});
    }
    const { root } = this.#services;
    const nexus =
      types.length === 0
        ? undefined
        : ({
            nexus: packageOf(root, "nexus"),
            graphql: packageOf(root, "graphql"),
            types,
            plugins,
          } as SchemaExtension["nexus"]);
    return { shadowCrud: this.#shadow, typeDefs, nexus, resolvers, resolversConfig };
  }

  #call(extension: (options: object) => unknown): unknown {
    const { root, strapi } = this.#services;
    return extension({
      strapi: strapi(),
      get nexus() {
        return packageOf(root, "nexus");
      },
      typeRegistry: { registerMany: () => {}, register: () => {} },
    });
  }

  #rules(field: string, config: Members): ResolverRules {
    const { registries, strapi } = this.#services;
    const policies = [config.policies ?? []].flat().map((entry): Policy => {
      const name = isRecord(entry) ? entry.name : entry;
      const own = isRecord(entry) ? entry.config : {};
      const names = typeof name === "string" ? [name, `global::${name}`] : [];
      const found = typeof name === "function" ? name : names.map((uid) => registries.policies.get(uid)).find(Boolean);
      const handler = handlerOf(found);
      if (!handler) throw new Error(`GraphQL ${field}: Policy ${String(name)} not found`);
      return (context) =>
        handler({ ...context, is: (type: string) => type === "graphql", type: "graphql" }, own, { strapi: strapi() });
    });
    const middlewares = [config.middlewares ?? []].flat().map((entry) => {
      const name = isRecord(entry) ? entry.name : entry;
      if (typeof name === "function") return name as (...args: readonly unknown[]) => unknown;
      const factory = registries.middlewares.get(String(name)) ?? registries.middlewares.get(`global::${String(name)}`);
      if (typeof factory !== "function") throw new Error(`GraphQL ${field}: Middleware ${String(name)} not found`);
      const options = isRecord(entry) ? (entry.options ?? entry.config ?? {}) : {};
      return (factory as (options: unknown, strapi: object) => (...args: readonly unknown[]) => unknown)(options, {
        strapi: strapi(),
      });
    });
    return {
      ...(config.auth === undefined ? {} : { auth: config.auth as NonNullable<ResolverRules["auth"]> }),
      policies,
      middlewares,
    };
  }
}
