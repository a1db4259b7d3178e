/** Puts a project's own code before what the server answers by itself. */
import { splitUrl } from "../api/http-route.ts";
import { readBody } from "../api/rest/body.ts";
import { CommonHeaders } from "../api/rest/headers.ts";
import { readMultipart } from "../api/rest/multipart.ts";
import { parseQueryString } from "../api/rest/query-string.ts";
import { toV4 } from "../api/rest/v4.ts";
import type { ProjectCode } from "../project-code/project-code.ts";
import type { HttpTools } from "../project-code/runtime.ts";
import { area, createElysia, fallback } from "./elysia-app.ts";
import type { Areas } from "./own-areas.ts";
import { pluginRows } from "./plugin-rows.ts";
import type { Project } from "./project.ts";

/** Every request goes to the code first, which hands on what it does not answer. */
export function behindCode(project: Project, code: ProjectCode, own: Areas): Areas {
  const { settings, model } = project;
  const native = createElysia(own.onError);
  for (const routes of own.areas) native.use(area(routes));
  native.use(fallback("/*", own.fallback));
  const headers = new CommonHeaders(settings.http);
  const addresses = new WeakMap<Request, string>();
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
    native: (request) => native.handle(request),
    clientIp: (request) => addresses.get(request) ?? "127.0.0.1",
    routes: pluginRows(project).flat(),
  };
  const handle = code.mount(tools);
  return {
    ...own,
    areas: [],
    fallback: (context, path) => {
      const { request, server } = context;
      const { path: sent, search } = splitUrl(request.url);
      // mounted below a prefix, the code knows only what is behind it
      const target = sent === path ? request : new Request(new URL(`${path}?${search}`, request.url).href, request);
      const address = server?.requestIP(request)?.address;
      if (address !== undefined) addresses.set(target, address);
      return handle(target);
    },
  };
}
