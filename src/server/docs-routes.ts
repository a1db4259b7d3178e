/**
 * The description of REST and a page that shows it. They tell which types there are, so that they are served with the admin:
 * to this machine, and elsewhere when somebody asked for them.
 */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { HttpRoute } from "../api/http-route.ts";
import type { CommonHeaders } from "../api/rest/headers.ts";
import { respond } from "../api/rest/respond.ts";
import type { Project } from "./project.ts";

const DESCRIPTION = "/openapi.json";
const PAGE = "/docs";

/** Nothing where they are off; files of the project at the same addresses go before. */
export function docsRoutes(project: Project, headers: CommonHeaders): HttpRoute[] {
  const { settings, root, model } = project;
  if (!(settings.galley.docs ?? project.hasAdmin)) return [];
  const publicFolder = resolve(root, settings.server.publicFolder);
  if ([DESCRIPTION, PAGE].some((path) => existsSync(`${publicFolder}${path}`))) return [];
  const page = () => require("./docs/page.ts") as typeof import("./docs/page.ts");
  return [
    {
      method: "GET",
      path: DESCRIPTION,
      handle: ({ request }) => {
        const { openapiDocument } =
          require("../descriptions/openapi.ts") as typeof import("../descriptions/openapi.ts");
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
