/** Puts a project's own code in front of the core routes. */
import { API_PATH } from "../admin/session/session.ts";
import { type RequestServer, splitUrl } from "../api/http-route.ts";
import { readBody } from "../api/rest/body.ts";
import { readMultipart } from "../api/rest/multipart.ts";
import { parseQueryString } from "../api/rest/query-string.ts";
import { CommonHeaders, errorOf, toV4 } from "../api/rest/respond.ts";
import { once } from "../lib/once.ts";
import type { ProjectCode } from "../strapi/project-code.ts";
import type { HttpTools } from "../strapi/runtime.ts";
import type { Areas } from "./core-areas.ts";
import { area, compile, createElysia, fallback } from "./elysia-app.ts";
import type { Project } from "./project/project.ts";
import { pluginRows } from "./routes/plugin-rows.ts";

/** Finds client addresses, also for requests derived from the incoming ones. */
class Connections implements RequestServer {
  server: RequestServer | null = null;
  readonly #incoming = new WeakMap<Request, Request>();

  /** Records that `request` was derived from `sent`. */
  derive(request: Request, sent: Request): void {
    if (request !== sent) this.#incoming.set(request, this.incoming(sent));
  }

  requestIP(request: Request): { readonly address: string } | null {
    // without a server, the request comes from this process
    if (!this.server) return { address: "127.0.0.1" };
    return this.server.requestIP(this.incoming(request));
  }

  /** The incoming request that `request` was derived from. */
  incoming(request: Request): Request {
    return this.#incoming.get(request) ?? request;
  }

  /** Empty if the connection is closed. */
  findAddress(request: Request): string {
    return this.requestIP(request)?.address ?? "";
  }
}

function atPath(request: Request, path: string): Request {
  const { search } = splitUrl(request.url);
  return new Request(new URL(`${path}?${search}`, request.url).href, request);
}

/** Every request goes to the project's code first; requests that it does not handle go on to the core routes. */
export function withProjectCode(project: Project, code: ProjectCode, core: Areas): Areas {
  const { settings, model } = project;
  const coreApp = createElysia(core.onError);
  for (const routes of core.areas) coreApp.use(area(routes));
  coreApp.use(fallback("/*", core.fallback));
  let handleInCore: ReturnType<typeof compile> | undefined;
  const headers = new CommonHeaders(settings.http);
  const connections = new Connections();
  // core routes need client addresses as well: logins are rate-limited by address
  coreApp.server = connections as unknown as NonNullable<typeof coreApp.server>;
  const administrators = once(() => {
    const { createAdministrators } = require("./code-administrators.ts") as typeof import("./code-administrators.ts");
    return createAdministrators(project, code);
  });
  const tools: HttpTools = {
    parseQuery: (search) => ({ ...parseQueryString(search, { options: settings.http.query }) }),
    stringifyQuery: (query) => {
      const { stringify } = require("qs") as typeof import("qs");
      return stringify(query, { delimiter: String(settings.http.query?.delimiter ?? "&") });
    },
    readBody: (request) => readBody(request, settings.http.body),
    readForm: (request, onFile) => readMultipart(request, { onFile, forms: settings.http.body.forms }),
    toV4: (type, data) => toV4(model, type, data),
    headers: (request) => headers.of(request),
    jsonHeaders: (request) => headers.ofJson(request),
    answersPreflight: (request) => headers.preflight(request) !== undefined,
    native: (request, sent = request) => {
      connections.derive(request, sent);
      handleInCore ??= compile(coreApp);
      return handleInCore(request);
    },
    errorOf,
    clientIp: (request) => connections.findAddress(request),
    findAdministrator: (request) => administrators().find(request),
    superAdminPermissions: () => administrators().permissionsOf(),
    pagePath: (path) => (project.hasAdmin && path.startsWith(`${API_PATH}/`) ? path.slice(API_PATH.length) : undefined),
    asAdministrator: (request, path, session) => {
      const target = atPath(request, path);
      connections.derive(target, request);
      administrators().add(target, session);
      return target;
    },
    relaySocket: (request, url, headers) => {
      const { relaySocket } = require("./socket-relay.ts") as typeof import("./socket-relay.ts");
      return relaySocket(connections.incoming(request), connections.server, url, headers);
    },
    routes: pluginRows(project).flat(),
  };
  const handle = code.mount(tools);
  return {
    ...core,
    areas: [],
    fallback: (context, path) => {
      const { request, server } = context;
      connections.server = server;
      const { path: requestedPath } = splitUrl(request.url);
      if (requestedPath === path) return handle(request);
      // the code sees paths without the prefix that Galley is mounted at
      const target = atPath(request, path);
      connections.derive(target, request);
      return handle(target);
    },
  };
}
