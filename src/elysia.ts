/**
 * Galley as a plugin of another Elysia application: `new Elysia().use(await galley({ project }))`. It handles its own errors;
 * the host handles everything else.
 */
import type { AnyElysia } from "elysia";
import type { HttpRoute } from "./api/http-route.ts";
import type { Galley, GalleyOptions } from "./public-types.ts";
import { type Areas, createAreas } from "./server/areas.ts";
import { area, fallback, OWN_BODY } from "./server/elysia-app.ts";
import { embed } from "./server/embedded.ts";
import { cacheFolder, createTableCache } from "./server/project/table-cache.ts";

export interface GalleyPluginOptions extends Pick<GalleyOptions, "publicRead" | "environment" | "cache"> {
  /** The project's folder. */
  readonly project: string;
  /** Keep the database in memory; default: false. */
  readonly memory?: boolean;
  /** The path under which Galley is mounted, such as `/cms`; default: none. */
  readonly prefix?: string;
}

/** The plugin, with access to the project. It closes with the host. */
export interface GalleyPlugin extends Pick<Galley, "documents" | "reset" | "close"> {
  <Host extends AnyElysia>(host: Host): Host;
}

/** Rejects with a ProjectError that names the file if the project cannot be served, and with an Error for an invalid prefix. */
export async function galley(options: GalleyPluginOptions): Promise<GalleyPlugin> {
  const { project: folder, memory = false, publicRead = false, environment = process.env, prefix = "" } = options;
  const { cache = cacheFolder(process.env) } = options;
  if (!/^(\/[^/:*?#]+)*$/.test(prefix)) throw new Error(`prefix must be a path such as "/cms", not "${prefix}"`);
  const { project, served, documents, reset, close } = await embed(
    folder,
    { memory, publicRead, environment, tableCache: createTableCache(cache) },
    createAreas,
  );
  const { rest, graphql } = project().settings;
  // without a prefix, all other paths belong to the host
  const fallbackPaths = prefix === "" ? [rest.prefix, graphql.endpoint, "/uploads"].map((path) => `${path}/*`) : ["/*"];
  const plugin = <Host extends AnyElysia>(host: Host): Host => {
    for (const routes of delegatedRoutes(served, prefix)) host.use(area(routes, OWN_BODY));
    for (const path of fallbackPaths) {
      const handle = (...[context, rest]: Parameters<Areas["fallback"]>) =>
        withOwnErrors(served(), () => served().fallback(context, rest), context.request);
      host.use(fallback(path, handle, prefix, OWN_BODY));
    }
    host.onStop(close);
    return host;
  };
  return Object.assign(plugin, { documents, reset, close });
}

/** The routes below the prefix; each calls the current handler, which changes with a reset. */
const delegatedRoutes = (served: () => Areas, prefix: string): HttpRoute[][] =>
  served().areas.map((routes, area) =>
    routes.map(({ method, path }, index) => ({
      method,
      path: prefix + path,
      handle: (context) =>
        withOwnErrors(served(), () => served().areas[area]![index]!.handle(context), context.request),
    })),
  );

/** Formats errors here, since the host's `onError` would run first. */
async function withOwnErrors(
  { onError, compress }: Areas,
  handle: () => Response | Promise<Response>,
  request: Request,
): Promise<Response> {
  const response = await Promise.try(handle).catch((error: unknown) => onError(error, request));
  return compress ? compress(request, response) : response;
}
