/** Documents in results: relations are reduced to the identity of their targets, at any depth. */
import type { Document } from "../../../engine/query/select.ts";
import { holdsComponents, mapComponents } from "../../../engine/schema/entries.ts";
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
  if (!holdsComponents(attribute)) return value;
  return mapComponents(model, attribute, value, (component, entry) => withIdentities(model, component, entry));
}

export const withIdentities = (model: Model, schema: Schema, document: Document): Document =>
  Object.fromEntries(
    Object.entries(document).map(([name, value]) => {
      const attribute = schema.attributes.get(name);
      return [name, attribute ? shapeValue(model, attribute, value) : value];
    }),
  );
