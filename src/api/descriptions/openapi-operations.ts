/** Parts of OpenAPI operations: references, parameters of reads, responses. */

export type Json = Readonly<Record<string, unknown>>;

export const toSchemaName = (uid: string): string => uid.replace(/[^A-Za-z0-9._-]+/g, "_");
export const refTo = (uid: string, suffix = ""): Json => ({
  $ref: `#/components/schemas/${toSchemaName(uid)}${suffix}`,
});
export const arraySchema = (items: Json): Json => ({ type: "array", items });

const object: Json = { type: "object", additionalProperties: true };
const textOrList: Json = { anyOf: [{ type: "string" }, arraySchema({ type: "string" }), object] };

export const parameter = (name: string, schema: Json, description: string, style?: string): Json => ({
  name,
  in: "query",
  description,
  schema,
  ...(style ? { style, explode: true } : {}),
});

export const selectionParameters: readonly Json[] = [
  parameter("populate", textOrList, "Relations, media and components to return"),
  parameter("fields", textOrList, "Attributes to return"),
];

export const filtersParameter: Json = parameter("filters", object, "Conditions", "deepObject");

const searchParameters: readonly Json[] = [
  filtersParameter,
  parameter("_q", { type: "string" }, "A text that attributes contain"),
  parameter("sort", textOrList, "Attributes, with :asc or :desc"),
];

export const listParameters: readonly Json[] = [
  ...searchParameters,
  parameter("pagination", object, "page and pageSize, or start and limit", "deepObject"),
];

/** Of the lists that ignore `pagination`, and return everything without these. */
export const rangeListParameters: readonly Json[] = [
  ...searchParameters,
  parameter("start", { type: "integer" }, "Number of entries to skip"),
  parameter("limit", { type: "integer" }, "Number of entries to return"),
];

export const idParameter = (type: "string" | "integer", description: string): Json => ({
  name: "id",
  in: "path",
  required: true,
  description,
  schema: { type },
});

export const content = (schema: Json, mediaType = "application/json"): Json => ({ [mediaType]: { schema } });
export const response = (schema: Json, description: string): Json => ({ description, content: content(schema) });
export const errorResponse: Json = response({ $ref: "#/components/schemas/Error" }, "An error");

/** Of pages. */
export const listMeta: Json = {
  type: "object",
  properties: { pagination: { $ref: "#/components/schemas/Pagination" } },
};

export const documentSchema = (data: Json, meta: Json = object): Json => ({
  type: "object",
  properties: { data, meta },
  required: ["data", "meta"],
});
