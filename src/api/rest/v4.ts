/** The response format of Strapi 4, requested by `Strapi-Response-Format: v4`. */

import type { Document } from "../../engine/query/select.ts";
import { type Attribute, component, findTarget, type Model, type Schema } from "../../engine/schema/model.ts";
import { isRecord } from "../../lib/is-record.ts";

export const isV4 = (request: Request): boolean => request.headers.get("strapi-response-format") === "v4";

const mapEach = (value: unknown, map: (item: Document) => unknown): unknown =>
  Array.isArray(value)
    ? value.map((item) => (isRecord(item) ? map(item) : item))
    : isRecord(value)
      ? map(value)
      : value;

function convertAttributes(model: Model, schema: Schema, document: Document): Document {
  const out: Document = {};
  for (const [name, value] of Object.entries(document)) {
    if (name === "id" || name === "documentId") continue;
    const attribute = schema.attributes.get(name);
    out[name] = attribute ? wrap(model, attribute, value) : value;
  }
  return out;
}

/** Components stay flat, relations and media are wrapped in `data`. */
function wrap(model: Model, attribute: Attribute, value: unknown): unknown {
  if (attribute.kind === "scalar") return value;
  if (attribute.kind === "component")
    return mapEach(value, (item) => flatten(model, component(model, attribute.component), item));
  if (attribute.kind === "zone") {
    return mapEach(value, (item) => flatten(model, component(model, String(item.__component)), item));
  }
  const target = findTarget(model, attribute);
  return { data: target ? mapEach(value, (item) => toEntry(model, target, item)) : value };
}

const flatten = (model: Model, schema: Schema, item: Document): Document => ({
  id: item.id,
  ...convertAttributes(model, schema, item),
});

const toEntry = (model: Model, schema: Schema, item: Document): Document => ({
  id: item.id,
  documentId: item.documentId,
  attributes: convertAttributes(model, schema, item),
});

/** Converts `data` to the older format. */
export const toV4 = (model: Model, schema: Schema, data: unknown): unknown =>
  mapEach(data, (item) => toEntry(model, schema, item));
