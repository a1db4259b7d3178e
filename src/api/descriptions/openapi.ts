/** Describes the REST API as an OpenAPI 3.1 document. */
import {
  type Attribute,
  apiTypes,
  type ContentType,
  type Model,
  type ScalarAttribute,
  type Schema,
  type ZoneAttribute,
} from "../../engine/schema/model.ts";
import { pickBy } from "../../lib/records.ts";
import {
  arraySchema,
  content,
  documentSchema,
  errorResponse,
  idParameter,
  type Json,
  listMeta,
  listParameters,
  parameter,
  refTo,
  response,
  selectionParameters,
  toSchemaName,
} from "./openapi-operations.ts";
import { describePluginPaths } from "./plugin-paths.ts";
import { byUid, describedTypes, scalarType } from "./typescript.ts";

/** Of types that say more of a value than `scalarType`. */
const formats: Readonly<Record<string, Json>> = {
  integer: { type: "integer" },
  date: { type: "string", format: "date" },
  datetime: { type: "string", format: "date-time" },
  email: { type: "string", format: "email" },
  password: { type: "string", format: "password", writeOnly: true },
  json: {},
  blocks: { type: "array", items: { type: "object" } },
};

const nullable = (schema: Json): Json => ({ anyOf: [schema, { type: "null" }] });

function scalarSchema(attribute: ScalarAttribute): Json {
  const { definition, type } = attribute;
  const { minLength, maxLength, min, max } = definition;
  if (type.name === "enumeration") return { type: "string", enum: definition.enum };
  const base = formats[type.name] ?? { type: scalarType(attribute) };
  const isNumber = base.type === "integer" || base.type === "number";
  return pickBy(
    {
      ...base,
      ...(base.type === "string" ? { minLength, maxLength } : {}),
      ...(isNumber ? { minimum: min, maximum: max } : {}),
    },
    (value) => value !== undefined,
  );
}

/** The schema of documents in responses. Attributes that must be populated are optional. */
function responseSchema(schema: Schema, describedUids: ReadonlySet<string>): Json {
  const isType = schema.modelType === "contentType";
  const properties: Record<string, Json> = { id: { type: "integer" } };
  if (isType) {
    properties.documentId = { type: "string" };
    for (const name of ["createdAt", "updatedAt", "publishedAt"])
      properties[name] = { type: name === "publishedAt" ? ["string", "null"] : "string", format: "date-time" };
    if (schema.localized) properties.locale = { type: "string" };
  }
  for (const attribute of schema.defaultFields)
    if (!attribute.system)
      properties[attribute.name] = attribute.required ? scalarSchema(attribute) : nullable(scalarSchema(attribute));
  const required = Object.keys(properties);
  for (const attribute of schema.attributes.values()) {
    const value = attribute.private ? undefined : linkedSchema(attribute, describedUids);
    if (value) properties[attribute.name] = value;
  }
  return { type: "object", properties, required };
}

const zoneSchema = ({ components }: ZoneAttribute, suffix = ""): Json =>
  arraySchema({
    oneOf: components.map((uid) => ({
      allOf: [
        refTo(uid, suffix),
        { type: "object", properties: { __component: { const: uid } }, required: ["__component"] },
      ],
    })),
  });

function linkedSchema(attribute: Attribute, describedUids: ReadonlySet<string>): Json | undefined {
  if (attribute.kind === "scalar") return undefined;
  if (attribute.kind === "zone") return zoneSchema(attribute);
  const uid = attribute.kind === "component" ? attribute.component : attribute.target;
  if (attribute.kind === "relation" && attribute.virtual) return undefined;
  if (uid === undefined) return arraySchema({ type: "object" });
  if (!describedUids.has(uid)) return undefined;
  return attribute.many ? arraySchema(refTo(uid)) : nullable(refTo(uid));
}

function inputSchema(schema: Schema): Json {
  const properties = [...schema.attributes.values()]
    .filter((item) => item.writable && !item.system && !(item.kind === "relation" && item.virtual))
    .map((item) => [item.name, inputValue(item)] as const);
  return { type: "object", properties: Object.fromEntries(properties) };
}

function inputValue(attribute: Attribute): Json {
  if (attribute.kind === "scalar") return nullable(scalarSchema(attribute));
  if (attribute.kind === "media")
    return attribute.many ? arraySchema({ type: "integer" }) : { type: ["integer", "null"] };
  if (attribute.kind === "relation")
    return {
      description: "Document ids, or an object with connect, disconnect or set",
      type: ["string", "integer", "array", "object", "null"],
    };
  if (attribute.kind === "component") {
    const item = refTo(attribute.component, "-input");
    return attribute.many ? arraySchema(item) : nullable(item);
  }
  return zoneSchema(attribute, "-input");
}

const versionParameters = (type: ContentType): Json[] => [
  ...(type.draftAndPublish ? [parameter("status", { enum: ["draft", "published"] }, "Which version")] : []),
  ...localeParameters(type),
];

const localeParameters = (type: ContentType): Json[] =>
  type.localized ? [parameter("locale", { type: "string" }, "A locale's code")] : [];

function describePaths(type: ContentType, prefix: string): Readonly<Record<string, Json>> {
  const isSingle = type.kind === "singleType";
  const data = refTo(type.uid);
  const tags = [type.displayName];
  const body = {
    required: true,
    content: content({ type: "object", properties: { data: refTo(type.uid, "-input") }, required: ["data"] }),
  };
  const parameters = [...selectionParameters, ...versionParameters(type)];
  const operation = (name: string, summary: string, details: Json): Json => ({
    operationId: `${toSchemaName(type.uid)}.${name}`,
    summary,
    tags,
    ...details,
  });
  const ok = { "200": response(documentSchema(data), "The document"), default: errorResponse };
  const read = operation(isSingle ? "find" : "findOne", "Read a document", {
    parameters,
    responses: ok,
  });
  const update = operation("update", "Change a document", {
    parameters,
    requestBody: body,
    responses: ok,
  });
  const remove = operation("delete", "Delete a document", {
    parameters: localeParameters(type),
    responses: { "204": { description: "Deleted" }, default: errorResponse },
  });
  if (isSingle) return { [`${prefix}/${type.singularName}`]: { get: read, put: update, delete: remove } };
  return {
    [`${prefix}/${type.pluralName}`]: {
      get: operation("find", "List documents", {
        parameters: [...selectionParameters, ...listParameters, ...versionParameters(type)],
        responses: {
          "200": response(documentSchema(arraySchema(data), listMeta), "A page of documents"),
          default: errorResponse,
        },
      }),
      post: operation("create", "Create a document", {
        parameters,
        requestBody: body,
        responses: { "201": response(documentSchema(data), "The document"), default: errorResponse },
      }),
    },
    [`${prefix}/${type.pluralName}/{id}`]: {
      parameters: [idParameter("string", "A document id")],
      get: read,
      put: update,
      delete: remove,
    },
  };
}

const sharedSchemas: Readonly<Record<string, Json>> = {
  Error: {
    type: "object",
    properties: {
      data: { type: "null" },
      error: {
        type: "object",
        properties: {
          status: { type: "integer" },
          name: { type: "string" },
          message: { type: "string" },
          details: { type: "object" },
        },
        required: ["status", "name", "message"],
      },
    },
    required: ["error"],
  },
  Pagination: {
    type: "object",
    properties: Object.fromEntries(
      ["page", "pageSize", "pageCount", "start", "limit", "total"].map((name) => [name, { type: "integer" }]),
    ),
  },
};

export interface OpenapiOptions {
  /** "/api" */
  readonly prefix: string;
  /** The server's URL; empty: unknown. */
  readonly url: string;
}

/** Generates the document. Private attributes are in inputs only. */
export function openapiDocument(model: Model, { prefix, url }: OpenapiOptions): Json {
  const types = describedTypes(model);
  const schemas: Schema[] = [...types, ...byUid(model.components.values())];
  const describedUids = new Set(schemas.map(({ uid }) => uid));
  return {
    openapi: "3.1.0",
    info: { title: "REST API", version: "1.0.0" },
    servers: [{ url: url || "/" }],
    security: [{ token: [] }, {}],
    paths: Object.assign(
      describePluginPaths(describedUids, prefix),
      ...apiTypes(model).map((type) => describePaths(type, prefix)),
    ),
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas: {
        ...sharedSchemas,
        ...Object.fromEntries(
          schemas.flatMap((schema) => [
            [toSchemaName(schema.uid), responseSchema(schema, describedUids)],
            [`${toSchemaName(schema.uid)}-input`, inputSchema(schema)],
          ]),
        ),
      },
    },
  };
}
