/** The zod schemas of a route's `request`: parameters and keys of the data that the content-type does not have. */

import type { Params } from "../../engine/query/parse.ts";
import { checkNames, isParameter } from "../../engine/query/strict-params.ts";
import type { ContentType } from "../../engine/schema/model.ts";
import { validationError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import { pickBy } from "../../lib/records.ts";

/** `request` of a route, as it is declared. */
export type RouteRequest = Readonly<Record<string, unknown>>;

interface Schema {
  readonly safeParse: (value: unknown) => {
    readonly success: boolean;
    readonly data?: unknown;
    readonly error?: { readonly message?: string };
  };
}

type Schemas = Readonly<Record<string, unknown>>;

/** The body that the schemas of `addInputParams` are about. */
export const JSON_BODY = "application/json";
/** The key of the document's data in a body, which the content-type describes. */
const DATA = "data";

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && typeof (value as Partial<Schema>).safeParse === "function";

const readRequest = (route: unknown): RouteRequest | undefined =>
  isRecord(route) && isRecord(route.request) ? route.request : undefined;

/** The schemas of query parameters, without those that every route has. */
export function querySchemas(route: unknown): Schemas {
  const query = readRequest(route)?.query;
  if (!isRecord(query)) return {};
  return pickBy(query, (_, name) => !isParameter(name));
}

/** The schemas of keys in the data. */
export function inputSchemas(route: unknown): Schemas {
  const body = readRequest(route)?.body;
  const schema = isRecord(body) ? body[JSON_BODY] : undefined;
  const shape = typeof schema === "object" && schema !== null && "shape" in schema ? schema.shape : undefined;
  if (!isRecord(shape)) return {};
  return pickBy(shape, (_, name) => name !== DATA);
}

export const hasSchemas = (route: unknown): boolean =>
  readRequest(route) !== undefined &&
  Object.keys(querySchemas(route)).length + Object.keys(inputSchemas(route)).length > 0;

/** Throws a ValidationError with zod's message for the first value that its schema refuses. */
export function checkValues(schemas: Schemas, values: Params, source: "query" | "body"): void {
  for (const [key, schema] of Object.entries(schemas)) {
    if (!Object.hasOwn(values, key) || !isSchema(schema)) continue;
    const { success, error } = schema.safeParse(values[key]);
    if (!success) throw validationError(error?.message ?? "Validation failed", { key, path: null, source, param: key });
  }
}

/** Replaces values by what their schemas make of them. Refused values are removed. */
export function parseValues(schemas: Schemas, values: Params): Params {
  const parsed: Record<string, unknown> = { ...values };
  for (const [key, schema] of Object.entries(schemas)) {
    if (!Object.hasOwn(values, key) || !isSchema(schema)) continue;
    const { success, data } = schema.safeParse(values[key]);
    if (success) parsed[key] = data;
    else delete parsed[key];
  }
  return parsed;
}

/** For `rest.strictParams`. Throws a ValidationError for an unknown parameter, and for a value that its schema refuses. */
export function checkParams(query: Params, route: unknown): void {
  const schemas = querySchemas(route);
  checkNames(query, schemas);
  checkValues(schemas, query, "query");
}

/** Removes parameters that neither the Content API nor `schemas` have. */
export const keepNames = (query: Params, schemas: Schemas): Params =>
  pickBy(query, (_, name) => isParameter(name) || Object.hasOwn(schemas, name));

/** Calls `check` without the keys that only the route has, and then checks these. Lists are left to `check`. */
export function checkWithSchemas<T>(
  route: unknown,
  { attributes }: Pick<ContentType, "attributes">,
  data: unknown,
  check: (data: unknown) => T,
): T {
  const schemas = inputSchemas(route);
  if (!isRecord(data) || Object.keys(schemas).length === 0) return check(data);
  const isOwn = (name: string): boolean => Object.hasOwn(schemas, name) && !attributes.has(name);
  const result = check(pickBy(data, (_, name) => !isOwn(name)));
  checkValues(schemas, data, "body");
  return result;
}
