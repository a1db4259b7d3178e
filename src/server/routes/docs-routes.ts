/**
 * Serves the OpenAPI document and Swagger UI, and the manual. The former reveal the content-types, so that by default all are served
 * only where the admin is; `docs` of `config/galley` overrides that.
 */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type HttpRoute, splitUrl } from "../../api/http-route.ts";
import { type CommonHeaders, respond } from "../../api/rest/respond.ts";
import { relativePath } from "../../lib/relative-path.ts";
import type { Project } from "../project/project.ts";

const DESCRIPTION = "/openapi.json";
const PAGE = "/docs";
const MANUAL = `${PAGE}/manual`;
/** For programs that look for the documentation of a site. */
const LISTS = ["/llms.txt", "/llms-full.txt"];

/** Empty if they are disabled, or if the project's public folder has a file at one of their paths. */
export function docsRoutes(project: Project, headers: CommonHeaders): HttpRoute[] {
  const { settings, root, model } = project;
  if (!(settings.galley.docs ?? project.hasAdmin)) return [];
  const publicFolder = resolve(root, settings.server.publicFolder);
  if ([DESCRIPTION, PAGE].some((path) => existsSync(`${publicFolder}${path}`))) return [];
  const page = () => require("../docs/page.ts") as typeof import("../docs/page.ts");
  const manual = () => require("../docs/manual.ts") as typeof import("../docs/manual.ts");
  const ownUrl = ({ url }: Request, end = ""): string => relativePath(splitUrl(url).path, splitUrl(url).path + end);
  const get = (path: string, handle: HttpRoute["handle"]): HttpRoute => ({ method: "GET", path, handle });
  return [
    get(DESCRIPTION, ({ request }) => {
      const { openapiDocument } =
        require("../../api/descriptions/openapi.ts") as typeof import("../../api/descriptions/openapi.ts");
      const body = openapiDocument(model, { prefix: settings.rest.prefix, url: settings.server.url });
      return respond({ status: 200, body }, headers.of(request));
    }),
    get(MANUAL, ({ request }) => Response.redirect(ownUrl(request, "/"))),
    get(`${MANUAL}/*`, ({ request, params }) => manual().manualFile(params["*"] ?? "", headers.of(request))),
    ...LISTS.filter((path) => !existsSync(`${publicFolder}${path}`)).map((path) =>
      get(path, ({ request }) => manual().manualFile(path.slice(1), headers.of(request))),
    ),
    get(PAGE, ({ request }) => page().docsPage(ownUrl(request), headers.of(request))),
    get(`${PAGE}/*`, ({ request, params }) => page().docsFile(`/${params["*"]}`, request, headers.of(request))),
  ];
}
