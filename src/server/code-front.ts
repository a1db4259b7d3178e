/** Puts a project's own code before what the server answers by itself. */
import { type RequestServer, splitUrl } from "../api/http-route.ts";
import { readBody } from "../api/rest/body.ts";
import { CommonHeaders } from "../api/rest/headers.ts";
import { readMultipart } from "../api/rest/multipart.ts";
import { parseQueryString } from "../api/rest/query-string.ts";
import { toV4 } from "../api/rest/v4.ts";
import type { ProjectCode } from "../project-code/project-code.ts";
import type { HttpTools } from "../project-code/runtime.ts";
import { area, compile, createElysia, fallback } from "./elysia-app.ts";
import type { Areas } from "./own-areas.ts";
import { pluginRows } from "./plugin-rows.ts";
import type { Project } from "./project.ts";

/** Addresses of clients, also of requests that were made of those that came in. */
class Connections implements RequestServer {
  port: RequestServer | null = null;
  readonly #sent = new WeakMap<Request, Request>();

  /** `request` stands for `sent` from now on. */
  derive(request: Request, sent: Request): void {
    if (request !== sent) this.#sent.set(request, this.sent(sent));
  }

  requestIP(request: Request): { readonly address: string } | null {
    // as without a port: the request comes from this process
    if (!this.port) return { address: "127.0.0.1" };
    return this.port.requestIP(this.sent(request));
  }

  /** The request that came in. */
  sent(request: Request): Request {
    return this.#sent.get(request) ?? request;
  }

  /** Empty for a connection that is closed. */
  addressOf(request: Request): string {
    return this.requestIP(request)?.address ?? "";
  }
}

/** Every request goes to the code first, which hands on what it does not answer. */
export function behindCode(project: Project, code: ProjectCode, own: Areas): Areas {
  const { settings, model } = project;
  const native = createElysia(own.onError);
  for (const routes of own.areas) native.use(area(routes));
  native.use(fallback("/*", own.fallback));
  let answerNatively: ReturnType<typeof compile> | undefined;
  const headers = new CommonHeaders(settings.http);
  const connections = new Connections();
  // so that clients of routes that the server answers by itself have addresses, too: logins are counted by them
  native.server = connections as unknown as NonNullable<typeof native.server>;
  const tools: HttpTools = {
    parseQuery: (search) => ({ ...parseQueryString(search) }),
    stringifyQuery: (query) => {
      const { stringify } = require("qs") as typeof import("qs");
      return stringify(query, { encodeValuesOnly: true });
    },
    readBody: (request) => readBody(request, settings.http.limits),
    readForm: (request, onFile) => readMultipart(request, onFile),
    toV4: (type, data) => toV4(model, type, data),
    headers: (request) => headers.of(request),
    native: (request, sent = request) => {
      connections.derive(request, sent);
      answerNatively ??= compile(native);
      return answerNatively(request);
    },
    clientIp: (request) => connections.addressOf(request),
    relaySocket: (request, url, headers) => {
      const { relaySocket } = require("./socket-relay.ts") as typeof import("./socket-relay.ts");
      return relaySocket(connections.sent(request), connections.port, url, headers);
    },
    routes: pluginRows(project).flat(),
  };
  const handle = code.mount(tools);
  return {
    ...own,
    areas: [],
    fallback: (context, path) => {
      const { request, server } = context;
      connections.port = server;
      const { path: sent, search } = splitUrl(request.url);
      if (sent === path) return handle(request);
      // mounted below a prefix, the code knows only what is behind it
      const target = new Request(new URL(`${path}?${search}`, request.url).href, request);
      connections.derive(target, request);
      return handle(target);
    },
  };
}
