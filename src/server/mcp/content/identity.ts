/** Documents in results: relations are reduced to the identity of their targets, at any depth. */
import type { Document } from "../../../engine/query/select.ts";
import type { Attribute, Model, RelationAttribute, Schema } from "../../../engine/schema/model.ts";
import { isRecord } from "../../../lib/is-record.ts";

const KEYS = ["documentId", "locale", "__type", "status"] as const;

/** Undefined for a value that is not a document, such as a count. */
export function identityOf(value: unknown): Document | undefined {
  if (!isRecord(value) || typeof value.documentId !== "string") return undefined;
  return Object.fromEntries(KEYS.flatMap((key) => (typeof value[key] === "string" ? [[key, value[key]]] : [])));
}

function shapeRelation(attribute: RelationAttribute, value: unknown): unknown {
  const targets = [value].flat().flatMap((target) => identityOf(target) ?? []);
  return attribute.many ? (Array.isArray(value) ? targets : []) : (targets[0] ?? null);
}

function shapeValue(model: Model, attribute: Attribute, value: unknown): unknown {
  if (attribute.kind === "relation")
    return attribute.target === model.creator.uid ? value : shapeRelation(attribute, value);
  if (attribute.kind !== "component" && attribute.kind !== "zone") return value;
  const shape = (entry: unknown): unknown => {
    if (!isRecord(entry)) return entry;
    const uid = attribute.kind === "component" ? attribute.component : String(entry.__component);
    const component = model.components.get(uid);
    return component ? withIdentities(model, component, entry) : entry;
  };
  return Array.isArray(value) ? value.map(shape) : shape(value);
}

export const withIdentities = (model: Model, schema: Schema, document: Document): Document =>
  Object.fromEntries(
    Object.entries(document).map(([name, value]) => {
      const attribute = schema.attributes.get(name);
      return [name, attribute ? shapeValue(model, attribute, value) : value];
    }),
  );
