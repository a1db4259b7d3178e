/** `@strapi/strapi`: the factories of controllers, services and routers. The server calls what they return. */
import { coreRouter } from "./core-router.ts";

export type CoreKind = "controller" | "service";

/** The part of `strapi` that the factories need. */
export interface FactoryServer {
  readonly makeCore: (kind: CoreKind, uid: string) => object;
}

const FACTORY = Symbol("galley.factory");

export interface CoreFactory {
  (options: { readonly strapi: FactoryServer }): object;
  readonly [FACTORY]: {
    readonly kind: CoreKind;
    readonly uid: string;
    readonly overrides: readonly string[] | undefined;
  };
}

type Own = Record<string, unknown>;

/** Controllers with actions of their own. */
const customControllers = new WeakSet<object>();

/** The core members are both the prototype and the defaults, so that `super.find()` and `this.find()` work. */
function createCore(kind: CoreKind) {
  return (uid: string, own?: Own | ((options: { strapi: FactoryServer }) => Own)): CoreFactory => {
    const make = ({ strapi }: { readonly strapi: FactoryServer }): object => {
      const core = strapi.makeCore(kind, uid);
      const made = (typeof own === "function" ? own({ strapi }) : own) ?? {};
      for (const name of Object.keys(core)) made[name] ??= (core as Own)[name];
      if (kind === "controller" && own !== undefined) customControllers.add(made);
      return Object.setPrototypeOf(made, core) as object;
    };
    const overrides = own === undefined ? [] : typeof own === "function" ? undefined : Object.keys(own);
    return Object.assign(make, { [FACTORY]: { kind, uid, overrides } });
  };
}

/** Whether a value is the factory of a core controller or service without overrides. */
export const isPlainCore = (value: unknown): boolean =>
  typeof value === "function" && FACTORY in value && (value as CoreFactory)[FACTORY].overrides?.length === 0;

/** What a script of `galley script` is given instead of a server of its own. */
export interface ScriptServer {
  readonly strapi: object;
  readonly close: () => Promise<void>;
}

let scriptServer: ScriptServer | undefined;

/** Lets `createStrapi` return the `strapi` of a server. */
export function provideToScript(server: ScriptServer): void {
  scriptServer = server;
}

const NOT_THERE =
  "is not there: Galley runs the project; scripts are run by galley script, and tests start it with createGalley of galley-cms/test";

/** As in Strapi, `load()` resolves with it and `destroy()` closes it; it does not listen. */
function createStrapi(): object {
  if (!scriptServer) throw new Error(`createStrapi of @strapi/strapi ${NOT_THERE}`);
  const { strapi, close } = scriptServer;
  const own = { load: async () => instance, start: async () => instance, destroy: close, stop: close };
  const instance: object = new Proxy(strapi, {
    get: (target, name) => (Object.hasOwn(own, name) ? own[name as keyof typeof own] : Reflect.get(target, name)),
  });
  return instance;
}

async function compileStrapi({ appDir = process.cwd() }: { readonly appDir?: string } = {}): Promise<object> {
  if (!scriptServer) throw new Error(`compileStrapi of @strapi/strapi ${NOT_THERE}`);
  // code needs no compilation
  return { appDir, distDir: appDir };
}

export const factories = {
  createCoreController: createCore("controller"),
  createCoreService: createCore("service"),
  createCoreRouter: coreRouter,
  createCoreValidator: (uid: string, _strapi?: object) => {
    throw new Error(`createCoreValidator of @strapi/strapi (${uid}) is not supported by Galley`);
  },
  isCustomController: (controller: object): boolean => customControllers.has(controller),
};

/** What a project's tools, resources and prompts of Strapi's MCP server are declared with: they return what they are given. */
const define = (definition: object): object => definition;
const ai = { mcp: { defineTool: define, defineResource: define, definePrompt: define } };

export const strapiPackage = {
  __esModule: true,
  factories,
  ai,
  createStrapi,
  compileStrapi,
  // what `require` of Bun returns
  default: Object.assign(() => createStrapi(), { factories, ai, createStrapi, compileStrapi }),
};
