/** `strapi.contentAPI`: sanitizers, validators, and the list of permissions. */

import { actionNames } from "../../engine/access/action-names.ts";
import type { Params } from "../../engine/query/parse.ts";
import type { ContentType } from "../../engine/schema/model.ts";
import { Budget } from "../../lib/budget.ts";
import { isRecord } from "../../lib/is-record.ts";
import { routesMap } from "../loader/routes.ts";
import { strapiUtils } from "../packages/utils.ts";
import { findCanRead } from "../routes/authentication.ts";
import { ClientData } from "../routes/client-data.ts";
import type { Runtime } from "../runtime.ts";
import type { ExtraParams } from "./extra-params.ts";

interface Options {
  readonly auth?: unknown;
  readonly strictParams?: boolean;
  /** With the schemas of parameters and bodies. */
  readonly route?: unknown;
}

/** An ability with the actions of these permissions, for the authentication strategies of code. */
async function generateAbility(permissions: readonly { readonly action?: unknown }[] = []) {
  const actions = new Set(permissions.map(({ action }) => action));
  const can = (action: unknown): boolean => actions.has(action);
  return { can, cannot: (action: unknown): boolean => !can(action) };
}

const parts = ["filters", "sort", "fields", "populate"] as const;

/** Adds a function for each query parameter, which calls `query`. */
function withParts<T extends { query: (query: Params, schema: unknown, options?: Options) => Promise<unknown> }>(
  own: T,
) {
  const part =
    (name: string) =>
    async (value: unknown, schema: unknown, options?: Options): Promise<unknown> => {
      if (name === "filters" && Array.isArray(value))
        return Promise.all(value.map((item) => part(name)(item, schema, options)));
      const query = await own.query({ [name]: value }, schema, options);
      return isRecord(query) ? query[name] : undefined;
    };
  return { ...own, ...Object.fromEntries(parts.map((name) => [name, part(name)])) };
}

/** Controllers and their actions, by owner, such as `api::article`. */
function actionsMap(keys: readonly string[]) {
  const map: Record<string, { controllers: Record<string, string[]> }> = {};
  for (const key of keys) {
    const [owner = "", controller = "", action = ""] = key.split(".");
    map[owner] ??= { controllers: {} };
    map[owner].controllers[controller] ??= [];
    map[owner].controllers[controller].push(action);
  }
  return map;
}

/** Actions of routes, with those that code registers, such as a plugin's permissions of tokens. */
function createActionProvider(routeActions: () => string[]) {
  const registered = new Map<string, unknown>();
  const keys = (): string[] => [...new Set([...routeActions(), ...registered.keys()])];
  const has = (key: string): boolean => keys().includes(key);
  function get(key: string): unknown {
    if (registered.has(key)) return registered.get(key);
    const [api, controller, action] = key.split(".");
    return has(key) ? { uid: key, api, controller, action } : undefined;
  }
  const provider = {
    keys,
    has,
    get,
    size: () => keys().length,
    values: () => keys().map(get),
    register: async (key: string, payload?: unknown) => {
      registered.set(key, payload);
      return provider;
    },
  };
  return provider;
}

/** By Strapi's own package, for schemas that no type of the project has: plugins pass the objects that they declare, without a uid. */
function packageData({ findSchema }: Runtime, schema: Record<string, unknown>, options: Options) {
  const { sanitize, validate } = strapiUtils();
  const models = { getModel: findSchema as (uid: string) => never };
  const sanitizers = sanitize.createAPISanitizers(models);
  const validators = validate.createAPIValidators(models);
  const rest = [schema as never, options as object] as const;
  return {
    output: (data: unknown) => sanitizers.output(data, ...rest),
    input: (data: unknown) => sanitizers.input(data, ...rest),
    query: (query: Params) => sanitizers.query(query, ...rest),
    checkQuery: (query: Params) => validators.query(query, ...rest),
    validateInput: (data: unknown) => validators.input(data, ...rest),
  };
}

export function createContentApi(runtime: Runtime, extraParams: ExtraParams) {
  const { model } = runtime.context;
  // computed on each call, since extensions add actions; those of controllers exist only if a route names them
  const actionKeys = (): string[] => [...new Set([...actionNames(model), ...runtime.actions])];
  const findType = (schema: unknown): ContentType => {
    const uid = isRecord(schema) ? schema.uid : schema;
    const type = model.types.get(String(uid));
    if (!type) throw new Error(`There is no content-type ${String(uid)}`);
    return type;
  };
  async function dataOf(schema: unknown, options: Options = {}) {
    if (isRecord(schema) && !model.types.has(String(schema.uid))) return packageData(runtime, schema, options);
    const { auth, route, strictParams: isStrict = false } = options;
    const caller = { canRead: await findCanRead(runtime, auth), budget: new Budget(runtime.settings.limits) };
    return new ClientData(runtime, findType(schema), { caller, route, isStrict });
  }
  return {
    sanitize: withParts({
      output: async (data: unknown, schema: unknown, options?: Options) => (await dataOf(schema, options)).output(data),
      input: async (data: unknown, schema: unknown, options?: Options) => (await dataOf(schema, options)).input(data),
      query: async (query: Params, schema: unknown, options?: Options) => (await dataOf(schema, options)).query(query),
    }),
    validate: withParts({
      query: async (query: Params, schema: unknown, options?: Options) =>
        (await dataOf(schema, options)).checkQuery(query),
      input: async (data: unknown, schema: unknown, options?: Options) =>
        (await dataOf(schema, options)).validateInput(data),
    }),
    addQueryParams: extraParams.addQueryParams,
    addInputParams: extraParams.addInputParams,
    getRoutesMap: async () => routesMap(runtime.routes()),
    permissions: {
      engine: { generateAbility },
      getActionsMap: async () => actionsMap(actionKeys()),
      providers: {
        action: createActionProvider(actionKeys),
        condition: { keys: () => [], has: () => false, size: () => 0 },
      },
    },
  };
}
