/** GraphiQL, the page to try out queries. */
import graphiqlPackage from "graphiql/package.json" with { type: "json" };
// the packages do not export their bundles for pages
import style from "../../../../node_modules/graphiql/graphiql.min.css" with { type: "file" };
import graphiql from "../../../../node_modules/graphiql/graphiql.min.js" with { type: "file" };
import react from "../../../../node_modules/react/umd/react.production.min.js" with { type: "file" };
import reactDom from "../../../../node_modules/react-dom/umd/react-dom.production.min.js" with { type: "file" };
import { type PageFile, SCRIPT, STYLE, sendPage, sendPageFile } from "../../embedded-page.ts";
import start from "./start.js" with { type: "file" };

/** By path below the endpoint. */
const files: Readonly<Record<string, PageFile>> = {
  "/playground/graphiql.css": { path: style, type: STYLE },
  "/playground/react.js": { path: react, type: SCRIPT },
  "/playground/react-dom.js": { path: reactDom, type: SCRIPT },
  "/playground/graphiql.js": { path: graphiql, type: SCRIPT },
  "/playground/start.js": { path: start, type: SCRIPT },
};

/** `endpoint`: its URL. */
export const playgroundPage = (endpoint: string, headers: Headers): Response =>
  sendPage({ title: "GraphQL", element: "graphiql", base: endpoint, files, version: graphiqlPackage.version }, headers);

/** Throws a NotFoundError for any other path. */
export const playgroundFile = (place: string, request: Request, headers: Headers): Response =>
  sendPageFile(files, place, request, headers);
