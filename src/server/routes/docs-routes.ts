/**
 * Serves the OpenAPI document and Swagger UI. They reveal the content-types, so that by default they are served only where the
 * admin is; `docs` of `config/galley` overrides that.
 */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { HttpRoute } from "../../api/http-route.ts";
import { type CommonHeaders, respond } from "../../api/rest/respond.ts";
import type { Project } from "../project/project.ts";

const DESCRIPTION = "/openapi.json";
const PAGE = "/docs";

/** Empty if they are disabled, or if the project's public folder has a file at one of their paths. */
export function docsRoutes(project: Project, headers: CommonHeaders): HttpRoute[] {
  const { settings, root, model } = project;
  if (!(settings.galley.docs ?? project.hasAdmin)) return [];
  const publicFolder = resolve(root, settings.server.publicFolder);
  if ([DESCRIPTION, PAGE].some((path) => existsSync(`${publicFolder}${path}`))) return [];
  const page = () => require("../docs/page.ts") as typeof import("../docs/page.ts");
  return [
    {
      method: "GET",
      path: DESCRIPTION,
      handle: ({ request }) => {
        const { openapiDocument } =
          require("../../api/descriptions/openapi.ts") as typeof import("../../api/descriptions/openapi.ts");
        const body = openapiDocument(model, { prefix: settings.rest.prefix, url: settings.server.url });
        return respond({ status: 200, body }, headers.of(request));
      },
    },
    { method: "GET", path: PAGE, handle: ({ request }) => page().docsPage(PAGE, headers.of(request)) },
    {
      method: "GET",
      path: `${PAGE}/*`,
      handle: ({ request, params }) => page().docsFile(`/${params["*"]}`, request, headers.of(request)),
    },
  ];
}
