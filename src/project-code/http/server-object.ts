/** `strapi.server`: routes and middlewares that code adds by itself. */
import { EventEmitter } from "node:events";
import { isRecord } from "../../query/key-check.ts";
import type { Log } from "../runtime.ts";
import type { AttachedServer } from "./attached-server.ts";
import type { Middleware } from "./compose.ts";
import { type DeclaredRoute, declaredRoutes } from "./routes.ts";

/** What is added goes into the two lists. */
export function createServer(
  routes: DeclaredRoute[],
  middlewares: Middleware[],
  attached: AttachedServer,
  {
    apiPrefix,
    log,
    declared,
  }: { readonly apiPrefix: string; readonly log: Log; readonly declared: () => readonly DeclaredRoute[] },
) {
  const app = Object.assign(new EventEmitter(), {
    use: (middleware: Middleware) => void middlewares.push(middleware),
    context: {},
    proxy: false,
  });
  // as Koa does, so that `emit("error")` does not throw
  app.on("error", (error: unknown) => log.error(error));
  const add = (given: unknown): void => {
    if (Array.isArray(given)) {
      routes.push(...declaredRoutes(given, { base: "", router: "" }, { type: "api" }));
      return;
    }
    if (!isRecord(given)) throw new Error("strapi.server.routes() takes a list of routes, or an object with one");
    const base = given.type === "content-api" ? apiPrefix : "";
    const router = typeof given.prefix === "string" ? given.prefix : "";
    const info = { type: typeof given.type === "string" ? given.type : "api" };
    routes.push(...declaredRoutes(given.routes, { base, router }, info));
  };
  const server = {
    routes: (given: unknown) => {
      add(given);
      return server;
    },
    use: (middleware: Middleware) => {
      if (typeof middleware !== "function") throw new Error("strapi.server.use() takes a middleware");
      middlewares.push(middleware);
      return server;
    },
    router: methodsOf((method, path, handlers) => {
      const config = { auth: false };
      routes.push({ method, path, ownPath: path, handler: handlers, config, info: { type: "api" } });
    }),
    api: (name: string) => ({
      routes: (given: unknown) => add(isRecord(given) ? { ...given, type: name } : given),
    }),
    listRoutes: () =>
      declared().map(({ method, path }) => ({ methods: method === "GET" ? ["HEAD", "GET"] : [method], path })),
    app,
    get httpServer(): object {
      return attached.node;
    },
  };
  return server;
}

function methodsOf(add: (method: string, path: string, handlers: readonly unknown[]) => void) {
  const methods = ["get", "post", "put", "patch", "delete", "all"] as const;
  return Object.fromEntries(
    methods.map((method) => [
      method,
      (path: string, ...handlers: readonly unknown[]) => add(method.toUpperCase(), path, handlers),
    ]),
  );
}
