/** Documents as the content manager shows them: of administrators, only what `createdBy` shows, at any depth. */
import type { Document } from "../../engine/query/select.ts";
import type { Attribute, Model, Schema } from "../../engine/schema/model.ts";
import { administratorFields, withCreators } from "../administrator.ts";

function shownEntry(model: Model, attribute: Attribute, entry: Document): Document {
  if (attribute.kind === "relation")
    return attribute.target === model.creator.uid && !attribute.virtual ? administratorFields(entry) : entry;
  const uid = attribute.kind === "component" ? attribute.component : String(entry.__component);
  const part = model.components.get(uid);
  return part ? shownParts(model, part, entry) : entry;
}

function shownParts(model: Model, schema: Schema, document: Document): Document {
  const shown = { ...document };
  for (const attribute of schema.attributes.values()) {
    const value = shown[attribute.name];
    if (attribute.kind === "scalar" || attribute.kind === "media" || typeof value !== "object" || value === null)
      continue;
    const show = (entry: Document): Document => shownEntry(model, attribute, entry);
    shown[attribute.name] = Array.isArray(value) ? value.map(show) : show(value as Document);
  }
  return shown;
}

export const shownDocument = (model: Model, schema: Schema, document: Document): Document =>
  withCreators(shownParts(model, schema, document));
