/** Removes data that a caller may not read or write, as Strapi's sanitizers do. */

import { isRecord } from "../../lib/is-record.ts";
import { isHidden, isMembers, isReadable } from "../query/check-query.ts";
import type { CanRead } from "../query/tree.ts";
import { findEntrySchema, holdsComponents } from "../schema/entries.ts";
import type { Attribute, Model, Schema } from "../schema/model.ts";
import { isPolymorphicRelation } from "./input-keys.ts";

type Visible = (schema: Schema, attribute: Attribute) => boolean;

const visibleTo =
  (canRead: CanRead, omitsMembers: boolean): Visible =>
  (schema, attribute) =>
    !isHidden(schema, attribute, canRead) && !(omitsMembers && isMembers(schema, attribute));

/** Whether the caller may read the type of an entry in a polymorphic relation. */
const isReadableEntry = (schema: Schema, entry: unknown, canRead: CanRead): boolean =>
  isRecord(entry) && typeof entry.__type === "string" && canRead(entry.__type, schema.uid);

/**
 * Removes entries of a polymorphic relation that the caller may not read. The result does not show that there were any, unlike in
 * Strapi, which omits an attribute that has only such entries.
 */
function readableEntries(schema: Schema, value: unknown, canRead: CanRead): unknown {
  if (Array.isArray(value)) return value.filter((entry) => isReadableEntry(schema, entry, canRead));
  return !isRecord(value) || !("__type" in value) || isReadableEntry(schema, value, canRead) ? value : null;
}

/** Removes private attributes and relations that the caller may not read. Unknown keys are kept. */
export function sanitizeOutput(
  model: Model,
  schema: Schema,
  data: unknown,
  canRead: CanRead,
  omitsMembers = false,
): unknown {
  const visible = visibleTo(canRead, omitsMembers);
  const walk = (own: Schema, value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((item) => walk(own, item));
    if (!isRecord(value) || value instanceof Date) return value;
    const out: Record<string, unknown> = {};
    for (const [name, inner] of Object.entries(value)) {
      const attribute = own.attributes.get(name);
      if (!attribute) out[name] = inner;
      else if (!visible(own, attribute)) continue;
      else if (attribute.kind === "scalar") out[name] = inner;
      else
        out[name] = inside(attribute, isPolymorphicRelation(attribute) ? readableEntries(own, inner, canRead) : inner);
    }
    return out;
  };
  const inside = (attribute: Attribute, value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((item) => inside(attribute, item));
    const target = findEntrySchema(model, attribute, value);
    return target ? walk(target, value) : value;
  };
  return walk(schema, data);
}

const OPERATIONS = ["connect", "set", "disconnect"];

/** Removes entries from the input of a polymorphic relation that the caller may not link. */
function linkableEntries(schema: Schema, value: unknown, canRead: CanRead): unknown {
  if (!isRecord(value) || "__type" in value) return readableEntries(schema, value, canRead);
  const lists = OPERATIONS.filter((name) => name in value);
  return {
    ...value,
    ...Object.fromEntries(lists.map((name) => [name, readableEntries(schema, value[name], canRead)])),
  };
}

/** Keys that only the server may set, and that are not attributes. */
const ownKeys = new Set(["id", "documentId", "createdBy", "updatedBy"]);

/** Removes keys that a client may not write, and relations that it may not read. Unknown keys are kept. */
export function sanitizeInput(model: Model, schema: Schema, data: unknown, canRead: CanRead): unknown {
  if (Array.isArray(data)) return data.map((item) => sanitizeInput(model, schema, item, canRead));
  if (!isRecord(data)) return data;
  const kept = Object.entries(data).filter(([name]) => schema.attributes.get(name)?.writable ?? !ownKeys.has(name));
  return linkable(model, schema, Object.fromEntries(kept), canRead);
}

/** Removes relations that the caller may not read, also in components. */
function linkable(model: Model, schema: Schema, data: Record<string, unknown>, canRead: CanRead): unknown {
  const inside = (attribute: Attribute, value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((item) => inside(attribute, item));
    const target = findEntrySchema(model, attribute, value);
    return target && isRecord(value) ? linkable(model, target, value, canRead) : value;
  };
  const kept = Object.entries(data).flatMap(([name, value]): [string, unknown][] => {
    const attribute = schema.attributes.get(name);
    if (!attribute) return [[name, value]];
    if (!isReadable(schema, attribute, canRead)) return [];
    if (isPolymorphicRelation(attribute)) return [[name, linkableEntries(schema, value, canRead)]];
    return [[name, holdsComponents(attribute) ? inside(attribute, value) : value]];
  });
  return Object.fromEntries(kept);
}
