/** Documents as the content manager shows them: of administrators, only what `createdBy` shows, at any depth. */
import type { Document } from "../../engine/query/select.ts";
import { component, type Model, type Schema } from "../../engine/schema/model.ts";
import { administratorFields, withCreators } from "../administrator.ts";

type Change = (value: Document) => Document;

const changes = new WeakMap<Schema, ReadonlyMap<string, Change>>();

/** The attributes of a schema that may lead to administrators, each with what is done to its entries. */
function listChanges(model: Model, schema: Schema): ReadonlyMap<string, Change> {
  const cached = changes.get(schema);
  if (cached) return cached;
  const found = new Map<string, Change>();
  // before its attributes, since components may contain themselves
  changes.set(schema, found);
  for (const attribute of schema.attributes.values()) {
    const { name, kind } = attribute;
    if (kind === "relation" && attribute.target === model.creator.uid && !attribute.virtual)
      found.set(name, administratorFields);
    else if (kind === "component") {
      const inner = component(model, attribute.component);
      if (leadsToAdministrators(model, inner)) found.set(name, (entry) => changed(model, inner, entry));
    } else if (kind === "zone") {
      const parts = attribute.components.flatMap((uid) => model.components.get(uid) ?? []);
      if (!parts.some((part) => leadsToAdministrators(model, part))) continue;
      found.set(name, (entry) => changed(model, component(model, String(entry.__component)), entry));
    }
  }
  return found;
}

/** `seen`: components that contain each other are looked at once. */
function leadsToAdministrators(model: Model, schema: Schema, seen = new Set<Schema>()): boolean {
  if (seen.has(schema)) return false;
  seen.add(schema);
  return [...schema.attributes.values()].some((attribute) => {
    if (attribute.kind === "relation") return attribute.target === model.creator.uid && !attribute.virtual;
    const uids =
      attribute.kind === "component" ? [attribute.component] : attribute.kind === "zone" ? attribute.components : [];
    return uids.some((uid) => {
      const inner = model.components.get(uid);
      return inner !== undefined && leadsToAdministrators(model, inner, seen);
    });
  });
}

function changed(model: Model, schema: Schema, document: Document): Document {
  const ofSchema = listChanges(model, schema);
  if (ofSchema.size === 0) return document;
  const result = { ...document };
  for (const [name, change] of ofSchema) {
    const value = result[name];
    if (Array.isArray(value)) result[name] = value.map(change);
    else if (typeof value === "object" && value !== null) result[name] = change(value as Document);
  }
  return result;
}

export const shownDocument = (model: Model, schema: Schema, document: Document): Document =>
  withCreators(changed(model, schema, document));
