/** `strapi.server`, with which code adds routes and middlewares. */
import { isRecord } from "../../lib/is-record.ts";
import { type AppOptions, createApp, type Middleware } from "../koa/koa.ts";
import { type DeclaredRoute, declaredRoutes, routesOfRouter } from "../loader/routes.ts";
import type { AttachedServer } from "./attached-server.ts";

interface ServerOptions extends AppOptions {
  readonly apiPrefix: string;
  readonly declared: () => readonly DeclaredRoute[];
}

/** Appends routes and middlewares to the two lists. */
export function createServer(
  routes: DeclaredRoute[],
  middlewares: Middleware[],
  attached: AttachedServer,
  { apiPrefix, declared, ...options }: ServerOptions,
) {
  const app = createApp(options);
  Object.assign(app, { use: (middleware: Middleware) => server.use(middleware) && app });
  const addRoutes = (input: unknown): void => {
    if (Array.isArray(input)) {
      routes.push(...declaredRoutes(input, { base: "", router: "" }, { type: "api" }));
      return;
    }
    if (!isRecord(input)) throw new Error("strapi.server.routes() takes a list of routes, or an object with one");
    const base = input.type === "content-api" ? apiPrefix : "";
    const router = typeof input.prefix === "string" ? input.prefix : "";
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
    router: {
      ...createMethods((method, path, handlers) => {
        const config = { auth: false };
        const place = { router: routes, position: routes.length };
        routes.push({ method, path, ownPath: path, handler: handlers, config, info: { type: "api" }, place });
      }),
      get stack() {
        return listedRoutes(declared());
      },
    },
    /** Routes and middlewares of one API: `content-api` or `admin`. */
    api: (name: string) => {
      const api = {
        routes: (input: unknown) => {
          addRoutes(isRecord(input) ? { ...input, type: name } : input);
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
  return server;
}

const isBelow = (path: string, prefix: string): boolean => path === prefix || path.startsWith(`${prefix}/`);

/** The methods that are listed for a route; by default its own. */
const listedMethods: Readonly<Record<string, () => readonly string[]>> = {
  GET: () => ["HEAD", "GET"],
  ALL: () => ["HEAD", ...(require("node:http") as typeof import("node:http")).METHODS],
};

const listedRoutes = (routes: readonly DeclaredRoute[]) =>
  routes.map(({ method, path }) => ({ methods: listedMethods[method]?.() ?? [method], path }));

function createMethods(addRoute: (method: string, path: string, handlers: readonly unknown[]) => void) {
  const methods = ["get", "post", "put", "patch", "delete", "all"] as const;
  return Object.fromEntries(
    methods.map((method) => [
      method,
      (path: string, ...handlers: readonly unknown[]) => addRoute(method.toUpperCase(), path, handlers),
    ]),
  );
}
