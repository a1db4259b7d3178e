/** `strapi.plugin("graphql").service("extension")`: collects the changes of code to the GraphQL schema. */

import { dirname } from "node:path";
import { isRecord, toRecord } from "../../lib/is-record.ts";
import { mapValues } from "../../lib/records.ts";
import { AbsentError } from "../loader/absent-module.ts";
import { describeAbsence } from "../loader/imports.ts";
import { findLine } from "../loader/load.ts";
import type { Members } from "../loader/plugin.ts";
import { findHandler, type Registries } from "../loader/registry.ts";
import type { StartProblems } from "../loader/start-problems.ts";
import { asApiError } from "../packages/errors.ts";
import { type ShadowRules, shadowCrud } from "./shadow-crud.ts";

type Policy = (context: object) => unknown;

/** The context of resolvers. */
interface GraphqlContext {
  readonly koaContext: object;
  readonly state: object;
}

/** All extensions, as plain data for the GraphQL endpoint. */
export type SchemaExtension = ReturnType<GraphqlExtension["collect"]>;

/** The project's `nexus`, and the copy of graphql-js that it uses. */
interface Nexus {
  readonly nexus: { makeSchema(config: { types: unknown }): object };
  readonly graphql: {
    buildSchema(sdl: string): object;
    printSchema(schema: object): string;
    readonly defaultFieldResolver: unknown;
  };
}

const lodash = (): typeof import("lodash") => require("lodash");

interface ExtensionServices {
  readonly root: string;
  readonly strapi: () => object;
  readonly registries: Registries;
}

/** The path of a package of the project. Package managers without hoisting install it for the GraphQL plugin only. */
function resolvePath(root: string, name: string): string | undefined {
  try {
    return Bun.resolveSync(name, root);
  } catch {
    try {
      return Bun.resolveSync(name, dirname(Bun.resolveSync("@strapi/plugin-graphql/package.json", root)));
    } catch {
      return undefined;
    }
  }
}

function loadNexus(root: string): Nexus {
  const path = resolvePath(root, "nexus");
  if (path === undefined) throw new AbsentError(describeAbsence("nexus", root));
  return { nexus: require(path), graphql: require(Bun.resolveSync("graphql", dirname(path))) };
}

type Resolver = (...args: readonly unknown[]) => unknown;

/** Converts errors, since the endpoint handles only ApiErrors. */
const withApiErrors =
  (resolve: Resolver): Resolver =>
  async (...args) => {
    try {
      return await resolve(...args);
    } catch (error) {
      throw asApiError(error);
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
  const pickInfo = ({ args = {}, resourceUID }: Members = {}) => ({ args, resourceUID });
  return {
    returnTypes: {
      toEntityResponse: (value: unknown, info?: Members) => ({ value, info: pickInfo(info) }),
      toEntityResponseCollection: (nodes: unknown, info?: Members) => ({ nodes, info: pickInfo(info) }),
    },
  };
};

/** What an extension returned, and the types that it registered. */
interface Made {
  /** The file and line that added it. */
  readonly origin: string;
  readonly result: unknown;
  readonly registered: readonly unknown[];
}

/** Strapi finds the configuration of a field under `"Query.page"`, or else nested, under `Query` and `page`. */
function byPath(configs: Members): Members {
  const nested = Object.entries(configs).filter(([key]) => !key.includes("."));
  const paths = nested.flatMap(([type, fields]) =>
    Object.entries(toRecord(fields)).map(
      ([field, config]) => [`${type}.${field}`, { ...toRecord(config), isNested: true }] as const,
    ),
  );
  return { ...Object.fromEntries(paths), ...configs };
}

const LEFT_OUT = "adds an extension to GraphQL that is left out";

export class GraphqlExtension {
  readonly #services: ExtensionServices;
  readonly #extensions: { readonly origin: string; readonly extension: unknown }[] = [];
  /** What the extensions made; undefined until they are called. */
  #made: readonly Made[] | undefined;
  readonly #shadow: Record<string, ShadowRules> = {};
  /** By uid. */
  readonly #disabledFields = new Map<string, Set<string>>();

  constructor(services: ExtensionServices) {
    this.#services = services;
  }

  get isUsed(): boolean {
    return this.#extensions.length > 0 || Object.keys(this.#shadow).length > 0;
  }

  readonly service = (): Members => ({
    use: (extension: unknown) => {
      const origin = findLine(new Error(), this.#services.root) ?? "GraphQL";
      this.#extensions.push({ origin, extension });
      this.#made = undefined;
      return this.service();
    },
    shadowCRUD: (uid: string) => this.#createRules(uid),
  });

  #createRules(uid: string): ReturnType<typeof shadowCrud> {
    const rules = this.#shadow[uid] ?? {};
    this.#shadow[uid] = rules;
    const disabledFields = this.#disabledFields.get(uid) ?? new Set();
    this.#disabledFields.set(uid, disabledFields);
    return shadowCrud(rules, disabledFields);
  }

  /**
   * Calls the extensions, with the project's `nexus`, and builds the schema with them. Those that need `nexus` where it is not installed
   * are left out, and reported, as are those that fail if `problems` reports failures. `build` throws for a schema that cannot be built.
   */
  async start(problems: StartProblems, build: (extension: SchemaExtension) => void): Promise<void> {
    if (this.#extensions.length === 0) return;
    const registered = new Map<string, unknown>();
    const made: Made[] = [];
    for (const { origin, extension } of this.#extensions) {
      const call = async (): Promise<Made> => {
        const called = this.#call(origin, extension, registered);
        // what a promise resolves to has no effect, as in Strapi
        if ((await called.result) !== called.result)
          problems.list.push({ file: origin, message: `${LEFT_OUT}: it returns a promise` });
        return called;
      };
      const called = await problems.attempt(origin, call, LEFT_OUT);
      if (called) made.push(called as Made);
    }
    this.#made = await this.#buildable(made, problems, build);
  }

  /** Those with which the schema can be built. Others are tried again once more of them are there, since they may need each other. */
  async #buildable(
    all: readonly Made[],
    problems: StartProblems,
    build: (extension: SchemaExtension) => void,
  ): Promise<readonly Made[]> {
    const isBuilt = (made: readonly Made[]): boolean => {
      try {
        build(this.#merge(made));
      } catch {
        return false;
      }
      return true;
    };
    if (isBuilt(all)) return all;
    const kept = new Set<Made>();
    const withKept = (made: Made): Made[] => all.filter((other) => other === made || kept.has(other));
    for (let count = -1; count < kept.size; ) {
      count = kept.size;
      for (const made of all) if (!kept.has(made) && isBuilt(withKept(made))) kept.add(made);
    }
    for (const made of all) {
      if (!kept.has(made)) await problems.attempt(made.origin, () => build(this.#merge(withKept(made))), LEFT_OUT);
    }
    return all.filter((made) => kept.has(made));
  }

  #callAll(): readonly Made[] {
    const registered = new Map<string, unknown>();
    return this.#extensions.map(({ origin, extension }) => this.#call(origin, extension, registered));
  }

  /** Merges what the extensions made. */
  collect() {
    this.#made ??= this.#callAll();
    return this.#merge(this.#made);
  }

  #merge(all: readonly Made[]) {
    const typeDefs: string[] = [];
    const types: unknown[] = [];
    const plugins: unknown[] = [];
    const resolvers: Record<string, Record<string, unknown>> = {};
    let configs: Members = {};
    for (const { result: made, registered } of all) {
      types.push(...registered);
      if (!isRecord(made)) continue;
      if (made.typeDefs !== undefined) typeDefs.push(...[made.typeDefs].flat().map(String));
      if (made.types !== undefined) types.push(...[made.types].flat());
      if (Array.isArray(made.plugins)) plugins.push(...made.plugins);
      for (const [type, fields] of isRecord(made.resolvers) ? Object.entries(made.resolvers) : []) {
        resolvers[type] = { ...resolvers[type], ...(isRecord(fields) ? withApiErrorsInFields(fields) : {}) };
      }
      // as in Strapi, of two extensions the first one configures a resolver
      if (isRecord(made.resolversConfig)) configs = lodash().merge({}, made.resolversConfig, configs);
    }
    const resolversConfig = mapValues(byPath(configs), (config, field) => this.#rules(field, toRecord(config)));
    const usesNexus = types.length + plugins.length > 0;
    const nexus = usesNexus ? { ...loadNexus(this.#services.root), types, plugins } : undefined;
    // errors of resolvers are converted, since the endpoint does not know their kinds
    return { shadowCrud: this.#shadow, typeDefs, nexus, resolvers, resolversConfig, clientError: asApiError };
  }

  /** Adds what the extension registers to `registered`, by name, unless it fails. */
  #call(origin: string, extension: unknown, all: Map<string, unknown>): Made {
    const { root, strapi } = this.#services;
    const registered = new Map(all);
    const options = {
      strapi: strapi(),
      get nexus() {
        return loadNexus(root).nexus;
      },
      typeRegistry: {
        register: (name: string, type: unknown) => registered.set(name, type),
        registerMany: (types: readonly (readonly [string, unknown])[]) => {
          for (const [name, type] of types) registered.set(name, type);
        },
        has: (name: string) => registered.has(name),
        get: (name: string) => registered.get(name),
      },
    };
    const result: unknown = typeof extension === "function" ? extension(options) : extension;
    const added = [...registered].filter(([name, type]) => all.get(name) !== type);
    const { types, plugins } = toRecord(result);
    if ([added, types ?? [], plugins ?? []].flat().length > 0) loadNexus(root);
    for (const [name, type] of added) all.set(name, type);
    return { origin, result, registered: added.map(([, type]) => type) };
  }

  #rules(field: string, config: Members) {
    const { registries, strapi } = this.#services;
    const policies = [config.policies ?? []].flat().map((entry): Policy => {
      const name = isRecord(entry) ? entry.name : entry;
      const own = isRecord(entry) ? entry.config : {};
      const names = typeof name === "string" ? [name, `global::${name}`] : [];
      const found = typeof name === "function" ? name : names.map((uid) => registries.policies.get(uid)).find(Boolean);
      const handler = findHandler(found);
      if (!handler) throw new Error(`GraphQL ${field}: Policy ${String(name)} not found`);
      return withApiErrors((policyContext) => {
        const resolver = policyContext as { readonly context: GraphqlContext };
        const { koaContext, state } = resolver.context;
        const is = (type: string): boolean => type === "graphql";
        return handler({ ...resolver, http: koaContext, state, is, type: "graphql" }, own, { strapi: strapi() });
      });
    });
    const middlewares = [config.middlewares ?? []].flat().map((entry) => {
      const name = isRecord(entry) ? entry.name : entry;
      if (typeof name === "function") return withApiErrors(name as Resolver);
      const found = registries.middlewares.get(String(name)) ?? registries.middlewares.get(`global::${String(name)}`);
      if (typeof found !== "function") throw new Error(`GraphQL ${field}: Middleware ${String(name)} not found`);
      // as in Strapi, a name alone is the middleware itself, and one with options its factory
      if (!isRecord(entry)) return withApiErrors(found as Resolver);
      const options = entry.options ?? entry.config ?? {};
      return withApiErrors((found as (options: unknown, server: object) => Resolver)(options, { strapi: strapi() }));
    });
    return {
      ...(config.auth === undefined
        ? {}
        : { auth: config.auth as boolean | { readonly scope?: string | readonly string[] } }),
      policies,
      middlewares,
      isNested: config.isNested === true,
    };
  }
}
