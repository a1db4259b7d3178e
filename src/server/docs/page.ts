/** The page on which people read about REST and try it: Swagger UI. */
import swaggerPackage from "swagger-ui-dist/package.json" with { type: "json" };
import style from "../../../node_modules/swagger-ui-dist/swagger-ui.css" with { type: "file" };
import bundle from "../../../node_modules/swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" };
import { type PageFile, SCRIPT, STYLE, sendPage, sendPageFile } from "../../api/embedded-page.ts";
import start from "./start.js" with { type: "file" };

const files: Readonly<Record<string, PageFile>> = {
  "/swagger-ui.css": { path: style, type: STYLE },
  "/swagger-ui.js": { path: bundle, type: SCRIPT },
  "/start.js": { path: start, type: SCRIPT },
};

export const docsPage = (base: string, headers: Headers): Response =>
  sendPage({ title: "REST", element: "docs", base, files, version: swaggerPackage.version }, headers);

/** Throws a NotFoundError for any other place. */
export const docsFile = (place: string, request: Request, headers: Headers): Response =>
  sendPageFile(files, place, request, headers);
