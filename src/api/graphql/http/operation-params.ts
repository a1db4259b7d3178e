/** The parameters of an operation: in the body of a POST, or in the URL of a GET. */

import { isPresent } from "../../../engine/query/list-params.ts";
import { stringOrNone, tryParseJson } from "../../../lib/coerce.ts";
import { isRecord } from "../../../lib/is-record.ts";
import { badRequest } from "./bad-request.ts";

export interface OperationParams {
  readonly query: string | undefined;
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>> | undefined;
  readonly extensions: Readonly<Record<string, unknown>> | undefined;
}

type Body = Readonly<Record<string, unknown>>;

const optionalRecord = (value: unknown): Body | undefined => (isRecord(value) ? value : undefined);

function checkBody(body: Body): void {
  if (body.query && typeof body.query !== "string") throw badRequest("GraphQL queries must be strings.");
  for (const name of ["variables", "extensions"]) {
    if (typeof body[name] !== "string") continue;
    const message = `\`${name}\` in a POST body should be provided as an object, not a recursively JSON-encoded string.`;
    throw badRequest(message);
  }
  for (const name of ["extensions", "variables"]) {
    if (isPresent(body[name]) && !isRecord(body[name])) {
      throw badRequest(`\`${name}\` in a POST body must be an object if provided.`);
    }
  }
  if (isPresent(body.operationName) && typeof body.operationName !== "string") {
    throw badRequest("`operationName` in a POST body must be a string if provided.");
  }
}

function fromBody(body: unknown): OperationParams {
  if (Array.isArray(body)) throw badRequest("Operation batching disabled.");
  if (!isRecord(body) || Object.keys(body).length === 0) {
    throw badRequest("POST body missing, invalid Content-Type, or JSON object has no keys.");
  }
  checkBody(body);
  return {
    query: stringOrNone(body.query),
    operationName: stringOrNone(body.operationName),
    variables: optionalRecord(body.variables),
    extensions: optionalRecord(body.extensions),
  };
}

function singleParam(search: URLSearchParams, name: string): string | undefined {
  const values = search.getAll(name);
  if (values.length > 1) throw badRequest(`The '${name}' search parameter may only be specified once.`);
  return values[0];
}

function jsonParam(search: URLSearchParams, name: string): Body | undefined {
  const text = singleParam(search, name);
  if (text === undefined) return undefined;
  const value = tryParseJson(text);
  if (value === undefined) throw badRequest(`The ${name} search parameter contains invalid JSON.`);
  if (isRecord(value)) return value;
  throw badRequest(`The ${name} search parameter should contain a JSON-encoded object.`);
}

function fromSearch(search: URLSearchParams): OperationParams {
  return {
    query: singleParam(search, "query"),
    operationName: singleParam(search, "operationName"),
    variables: jsonParam(search, "variables"),
    extensions: jsonParam(search, "extensions"),
  };
}

/** Throws for requests without an operation. */
export function readOperationParams({ method, url }: Request, body: unknown): OperationParams {
  // a list is refused for every method
  if (method === "POST" || Array.isArray(body)) return fromBody(body);
  if (method === "GET") return fromSearch(new URL(url).searchParams);
  throw badRequest("Apollo Server supports only GET/POST requests.", { status: 405, allow: "GET, POST" });
}
