/** The relations and media of a stored version, components included. */

import type { Document } from "../../engine/query/select.ts";
import type { LinkAttribute, Model, Schema } from "../../engine/schema/model.ts";
import { isRecord } from "../../lib/is-record.ts";

type Visit = (attribute: LinkAttribute, linked: readonly Document[], value: unknown) => unknown;

const linkedIn = (value: unknown): Document[] => [value ?? []].flat().filter(isRecord);

/**
 * Maps every relation and media value of the data with `visit`. Entries of components lose their ids: they are created again when a
 * version is restored. Entries of components that no longer exist are returned unchanged.
 */
export function mapLinks(model: Model, schema: Schema, data: Document, visit: Visit): Document {
  const inside = (uid: unknown, entry: unknown): unknown => {
    const component = model.components.get(String(uid));
    if (!component || !isRecord(entry)) return entry;
    const { id: _, ...values } = entry;
    return mapLinks(model, component, values, visit);
  };
  const each = (value: unknown, map: (entry: unknown) => unknown): unknown =>
    Array.isArray(value) ? value.map(map) : map(value);
  const mapped: Document = {};
  for (const [name, value] of Object.entries(data)) {
    const attribute = schema.attributes.get(name);
    if (attribute?.kind === "relation" || attribute?.kind === "media")
      mapped[name] = visit(attribute, linkedIn(value), value);
    else if (attribute?.kind === "component") mapped[name] = each(value, (entry) => inside(attribute.component, entry));
    else if (attribute?.kind === "zone")
      mapped[name] = each(value, (entry) => inside(isRecord(entry) ? entry.__component : undefined, entry));
    else mapped[name] = value;
  }
  return mapped;
}

/** The type of a linked document. Entries of polymorphic relations name it. */
export const linkedUid = (attribute: LinkAttribute, linked: Document): string =>
  attribute.target ?? String(linked.__type);
