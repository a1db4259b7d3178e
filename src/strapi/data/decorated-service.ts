/** `strapi.entityService.decorate`: code replaces methods, and the hooks that transform parameters and results of all methods. */
import { isRecord } from "../../lib/is-record.ts";

type Method = (this: Implementation, ...args: unknown[]) => unknown;

export type Implementation = Record<string, Method>;

interface Wrapping {
  /** The position of the parameters after the uid; without one they are not passed to `wrapParams`. */
  readonly params?: number;
  /** The member of the result that is passed to `wrapResult`; without one, all of it. */
  readonly member?: string;
  readonly keepsResult?: true;
}

/** What each method passes to `wrapParams` and `wrapResult`. */
const WRAPPINGS: Readonly<Record<string, Wrapping>> = {
  findMany: { params: 0 },
  findPage: { params: 0 },
  findOne: { params: 1 },
  create: { params: 0 },
  update: { params: 1 },
  delete: { params: 1 },
  count: { params: 0, keepsResult: true },
  load: {},
  loadPages: { member: "results" },
};

type Plain = (uid: string, ...args: never[]) => unknown;

function wrapped(name: string, run: Plain, isSingle: (uid: string) => boolean): Method {
  const { params, member, keepsResult } = WRAPPINGS[name] ?? {};
  return async function (uid, ...args) {
    const type = uid as string;
    if (params !== undefined) args[params] = await this.wrapParams?.(args[params], { uid, action: name });
    const result = await run(type, ...(args as never[]));
    if (keepsResult) return result;
    const action = name === "loadPages" ? "load" : name === "findPage" ? "findMany" : name;
    const about = {
      uid,
      ...(action === "load" ? { field: args[1] } : {}),
      action: name === "findMany" && isSingle(type) ? "findOne" : action,
    };
    if (member === undefined || !isRecord(result)) return this.wrapResult?.(result, about);
    return { ...result, [member]: await this.wrapResult?.(result[member], about) };
  };
}

/** Methods of `service` call the current implementation, so that they may be kept before it is decorated. */
export function decoratedService<T extends object>(methods: T, isSingle: (uid: string) => boolean) {
  const wrappers: Implementation = {
    wrapParams: async (options = {}) => options,
    wrapResult: async (result = {}) => result,
  };
  const own = Object.entries(methods).map(([name, run]) => [name, wrapped(name, run as Plain, isSingle)]);
  const service = {
    implementation: { ...wrappers, ...(Object.fromEntries(own) as Implementation) },
    decorate(decorator: unknown) {
      if (typeof decorator !== "function")
        throw new Error(`Decorator must be a function, received ${typeof decorator}`);
      service.implementation = { ...service.implementation, ...decorator(service.implementation) };
      return service;
    },
  };
  const delegates = Object.keys(service.implementation).map((name) => [
    name,
    (...args: unknown[]) => service.implementation[name]?.(...args),
  ]);
  return Object.assign(service, Object.fromEntries(delegates) as T & Pick<Implementation, "wrapParams" | "wrapResult">);
}
