/** `strapi.server`, with which code adds routes and middlewares. */
import type KoaRouter from "@koa/router";
import compose from "koa-compose";
import { stringOrEmpty } from "../../lib/coerce.ts";
import { isRecord } from "../../lib/is-record.ts";
import { type AppOptions, type Context, createApp, type Middleware, type Next } from "../koa/koa.ts";
import { type DeclaredRoute, declaredRoutes, routesOfRouter } from "../loader/routes.ts";
import type { AttachedServer } from "./attached-server.ts";

interface ServerOptions extends AppOptions {
  readonly apiPrefix: string;
  readonly declared: () => readonly DeclaredRoute[];
}

/** Appends routes and middlewares to the two lists. Returns also what code has added to its router. */
export function createServer(
  routes: DeclaredRoute[],
  middlewares: Middleware[],
  attached: AttachedServer,
  { apiPrefix, declared, ...options }: ServerOptions,
) {
  const app = createApp(options);
  let own: KoaRouter | undefined;
  const router = (): KoaRouter => {
    const Router = require("@koa/router") as typeof KoaRouter;
    own ??= new Router();
    return own;
  };
  Object.assign(app, { use: (middleware: Middleware) => server.use(middleware) && app });
  const addRoutes = (input: unknown): void => {
    if (Array.isArray(input)) {
      routes.push(...declaredRoutes(input, { base: "", router: "" }, { type: "api" }));
      return;
    }
    if (!isRecord(input)) throw new Error("strapi.server.routes() takes a list of routes, or an object with one");
    const base = input.type === "content-api" ? apiPrefix : "";
    const router = stringOrEmpty(input.prefix);
    const info = { type: typeof input.type === "string" ? input.type : "api" };
    routes.push(...routesOfRouter(input.routes, { base, router }, info));
  };
  const server = {
    routes: (input: unknown) => {
      addRoutes(input);
      return server;
    },
    use: (middleware: Middleware) => {
      if (typeof middleware !== "function") throw new Error("strapi.server.use() takes a middleware");
      middlewares.push(middleware);
      return server;
    },
    /** Koa's router, whose stack has all routes. */
    router: new Proxy({} as KoaRouter, {
      get: (_, name) => {
        if (name === "stack") return listedRoutes(declared());
        const member: unknown = Reflect.get(router(), name);
        return typeof member === "function" ? member.bind(router()) : member;
      },
    }),
    /** Routes and middlewares of one API: `content-api` or `admin`. */
    api: (name: string) => {
      const api = {
        routes: (input: unknown) => {
          const routes = Array.isArray(input) ? { routes: input } : input;
          addRoutes(isRecord(routes) ? { ...routes, type: name } : routes);
          return api;
        },
        use: (middleware: Middleware) => {
          const prefix = name === "content-api" ? apiPrefix : `/${name}`;
          server.use((ctx, next) => (isBelow(ctx.path, prefix) ? middleware(ctx, next) : next()));
          return api;
        },
        mount: () => api,
        listRoutes: () => listedRoutes(declared().filter(({ info }) => info.type === name)),
      };
      return api;
    },
    listRoutes: () => listedRoutes(declared()),
    app,
    get httpServer(): object {
      return attached.node;
    },
    // the server is there once the project has started
    mount: () => server,
    initRouting: () => server,
    listen: (...args: Parameters<typeof attached.node.listen>) => attached.node.listen(...args),
  };
  return {
    server,
    routerRoutes: (): DeclaredRoute[] => (own ? listRouterRoutes(own) : []),
    routerMiddlewares: (): Middleware[] => (own?.stack.some(isMiddleware) ? [routerMiddleware(own)] : []),
  };
}

const isMiddleware = ({ methods }: KoaRouter.Layer): boolean => methods.length === 0;

/** Runs the middlewares of Koa's router for routes that are not its own, which in Strapi are below it. */
const routerMiddleware = (router: KoaRouter) => (ctx: Context, next: Next) => {
  const { path, route } = router.match(ctx.path, ctx.method);
  const matching = route ? [] : path.filter(isMiddleware).flatMap(({ stack }) => stack as unknown as Middleware[]);
  return compose<Context>(matching)(ctx, next);
};

/** A route for more methods is one for all. */
const MAX_METHODS = 10;

/** Routes of Koa's router, which finds their handlers by itself. Those with regular expressions as their paths are left out. */
function listRouterRoutes(router: KoaRouter): DeclaredRoute[] {
  const dispatch = router.routes();
  return router.stack.flatMap(({ methods, path }, position) => {
    if (typeof path !== "string") return [];
    const isAll = methods.length > MAX_METHODS;
    const listed = isAll ? ["ALL"] : methods.filter((method) => method !== "HEAD" || methods.length === 1);
    const shared = { path, ownPath: path, handler: [dispatch], config: { auth: false }, info: { type: "api" } };
    return listed.map((method) => ({ ...shared, method, place: { router, position } }));
  });
}

const isBelow = (path: string, prefix: string): boolean => path === prefix || path.startsWith(`${prefix}/`);

/** The methods that are listed for a route; by default its own. */
const listedMethods: Readonly<Record<string, () => readonly string[]>> = {
  GET: () => ["HEAD", "GET"],
  ALL: () => ["HEAD", ...(require("node:http") as typeof import("node:http")).METHODS],
};

const listedRoutes = (routes: readonly DeclaredRoute[]) =>
  routes.map(({ method, path }) => ({ methods: listedMethods[method]?.() ?? [method], path }));
