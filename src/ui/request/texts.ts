/** Code snippets for a request of the Content API. */
import { toQuery } from "../api/query.ts";
import type { ContentRequest, RequestParams } from "./content-request.ts";

export interface SnippetTarget {
  /** The server's URL. */
  readonly origin: string;
  /** `/api`, unless the project says otherwise. */
  readonly prefix: string;
  /** Whether the caller needs a token. */
  readonly hasToken: boolean;
}

const definedParams = (params: RequestParams): Record<string, unknown> =>
  Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined));

const nameOf = ({ type }: ContentRequest): string =>
  (type.kind === "singleType" ? type.info.singularName : type.info.pluralName) ?? "";

/** Brackets as people write them: servers read both. */
const readable = (query: string): string => query.replaceAll("%24", "$").replaceAll("%2C", ",").replaceAll("%3A", ":");

/** Path and query string, from the root of the server. */
export function restPath(request: ContentRequest, { prefix }: Pick<SnippetTarget, "prefix">): string {
  const path = [prefix, nameOf(request), request.documentId].filter((part) => part !== undefined).join("/");
  const query = readable(toQuery(definedParams(request.params)));
  return query === "" ? path : `${path}?${query}`;
}

export const restText = (request: ContentRequest, target: SnippetTarget): string =>
  target.origin + restPath(request, target);

export function fetchText(request: ContentRequest, target: SnippetTarget): string {
  const url = JSON.stringify(restText(request, target));
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a template in the text
  const options = target.hasToken ? ", {\n  headers: { Authorization: `Bearer ${process.env.STRAPI_TOKEN}` },\n}" : "";
  return `const response = await fetch(${url}${options});\nconst { data, meta } = await response.json();\n`;
}

const PLAIN_KEY = /^[A-Za-z_$][\w$]*$/;

/** A value as JavaScript, on one line where it is short. */
export function literal(value: unknown, indent = ""): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const inner = `${indent}  `;
  const parts = isList
    ? value.map((item) => literal(item, inner))
    : Object.entries(value).map(
        ([key, item]) => `${PLAIN_KEY.test(key) ? key : JSON.stringify(key)}: ${literal(item, inner)}`,
      );
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  if (parts.length === 0) return open + close;
  const line = isList ? `[${parts.join(", ")}]` : `{ ${parts.join(", ")} }`;
  if (line.length + indent.length <= 80 && !line.includes("\n")) return line;
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join("")}${indent}${close}`;
}

export function clientText(request: ContentRequest, { origin, prefix, hasToken }: SnippetTarget): string {
  const { type, documentId, params } = request;
  const isSingle = type.kind === "singleType";
  const options = { baseURL: origin + prefix };
  const auth = hasToken ? ", auth: process.env.STRAPI_TOKEN" : "";
  const values = definedParams(params);
  const query = Object.keys(values).length > 0 ? literal(values) : "";
  const name = JSON.stringify(nameOf(request));
  const call =
    documentId === undefined
      ? `${isSingle ? "single" : "collection"}(${name}).find(${query})`
      : `collection(${name}).findOne(${JSON.stringify(documentId)}${query === "" ? "" : `, ${query}`})`;
  return [
    'import { strapi } from "@strapi/client";',
    "",
    `const client = strapi({ baseURL: ${JSON.stringify(options.baseURL)}${auth} });`,
    `const { data } = await client.${call};`,
    "",
  ].join("\n");
}
