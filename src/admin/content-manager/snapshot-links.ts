/** The relations and media of a stored version, components included. */

import type { Document } from "../../engine/query/select.ts";
import { holdsComponents, mapComponents } from "../../engine/schema/entries.ts";
import { isLink, type LinkAttribute, type Model, type Schema } from "../../engine/schema/model.ts";
import { isRecord } from "../../lib/is-record.ts";

type Visit = (attribute: LinkAttribute, linked: readonly Document[], value: unknown) => unknown;

const linkedIn = (value: unknown): Document[] => [value ?? []].flat().filter(isRecord);

/**
 * Maps every relation and media value of the data with `visit`. Entries of components lose their ids: they are created again when a
 * version is restored. Entries of components that no longer exist are returned unchanged.
 */
export function mapLinks(model: Model, schema: Schema, data: Document, visit: Visit): Document {
  const mapped: Document = {};
  for (const [name, value] of Object.entries(data)) {
    const attribute = schema.attributes.get(name);
    if (attribute && isLink(attribute)) mapped[name] = visit(attribute, linkedIn(value), value);
    else if (holdsComponents(attribute))
      mapped[name] = mapComponents(model, attribute, value, (component, { id: _, ...values }) =>
        mapLinks(model, component, values, visit),
      );
    else mapped[name] = value;
  }
  return mapped;
}

/** The type of a linked document. Entries of polymorphic relations name it. */
export const linkedUid = (attribute: LinkAttribute, linked: Document): string =>
  attribute.target ?? String(linked.__type);
