/** Swagger UI for the REST API. */
import swaggerPackage from "swagger-ui-dist/package.json" with { type: "json" };
import swaggerCss from "../../../node_modules/swagger-ui-dist/swagger-ui.css" with { type: "file" };
import swaggerBundle from "../../../node_modules/swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" };
import { type PageFile, SCRIPT, STYLE, sendPage, sendPageFile } from "../../api/embedded-page.ts";
import startScript from "./start.js" with { type: "file" };

const files: Readonly<Record<string, PageFile>> = {
  "/swagger-ui.css": { path: swaggerCss, type: STYLE },
  "/swagger-ui.js": { path: swaggerBundle, type: SCRIPT },
  "/start.js": { path: startScript, type: SCRIPT },
};

export const docsPage = (base: string, headers: Headers): Response =>
  sendPage({ title: "REST", element: "docs", base, files, version: swaggerPackage.version }, headers);

/** Throws a NotFoundError for an unknown path. */
export const docsFile = (path: string, request: Request, headers: Headers): Response =>
  sendPageFile(files, path, request, headers);
