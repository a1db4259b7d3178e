/** The change of one attribute in many documents: which attributes can be changed so, and the data for each document. */

import type { Document } from "../../engine/query/select.ts";
import type {
  Attribute,
  ContentType,
  MediaAttribute,
  RelationAttribute,
  ScalarAttribute,
} from "../../engine/schema/model.ts";
import { problemsError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";

/** `add` and `remove`: of links; the others stay. */
export const CHANGES = ["set", "add", "remove"] as const;
export type Change = (typeof CHANGES)[number];

export type ChangedAttribute = ScalarAttribute | MediaAttribute | RelationAttribute;

/** The new value for a document, from its current values. */
export type ValueFor = (document: Document) => unknown;

const MAX_LINKS = 500;

const refuse = (path: string, message: string): Error => problemsError([{ path, message }]);

/** A unique value cannot be that of many documents. Passwords are never shown, so that their change could not be checked. */
function isScalarChanged({ type, unique, definition }: ScalarAttribute): boolean {
  return !type.isSecret && !unique && definition.type !== "uid";
}

function isChanged(attribute: Attribute): attribute is ChangedAttribute {
  if (attribute.system || !attribute.writable) return false;
  if (attribute.kind === "scalar") return isScalarChanged(attribute);
  if (attribute.kind === "relation")
    return attribute.target !== undefined && !attribute.virtual && !attribute.link.polymorphic;
  return attribute.kind === "media";
}

/** Throws a ValidationError for an attribute that cannot be changed in many documents. */
export function changedAttribute({ attributes }: ContentType, name: string): ChangedAttribute {
  const attribute = attributes.get(name);
  if (attribute && isChanged(attribute)) return attribute;
  throw refuse("attribute", `${name} cannot be changed in many documents`);
}

function readLinks(value: unknown, isLink: (item: unknown) => boolean): readonly unknown[] {
  if (!Array.isArray(value) || !value.every(isLink)) throw refuse("value", "value must be a list of links");
  if (value.length > MAX_LINKS) throw refuse("value", `value must have at most ${MAX_LINKS} links`);
  return value;
}

function changeMedia({ name, many }: MediaAttribute, change: Change, value: unknown): ValueFor {
  const ids = readLinks(value, Number.isSafeInteger) as readonly number[];
  if (!many) return () => ids[0] ?? null;
  if (change === "set") return () => ids;
  return (document) => {
    const current = ((document[name] ?? []) as readonly Document[]).map(({ id }) => id as number);
    return change === "add" ? [...new Set([...current, ...ids])] : current.filter((id) => !ids.includes(id));
  };
}

const OPERATIONS = { set: "set", add: "connect", remove: "disconnect" } as const;

function changeRelation({ name, exclusive }: RelationAttribute, change: Change, value: unknown): ValueFor {
  const isLink = (item: unknown): boolean => isRecord(item) && typeof item.documentId === "string";
  const links = readLinks(value, isLink);
  if (exclusive && change !== "remove" && links.length > 0)
    throw refuse("value", `A document of ${name} can have one link only, so that it cannot be linked from many`);
  return () => ({ [OPERATIONS[change]]: links });
}

/** Throws a ValidationError for a change or a value that does not fit the attribute. */
export function readChange(attribute: ChangedAttribute, change: Change, value: unknown): ValueFor {
  if (change !== "set" && (attribute.kind === "scalar" || !attribute.many))
    throw refuse("change", `${attribute.name} has one value, which can only be set`);
  if (attribute.kind === "scalar") return () => value;
  return attribute.kind === "media" ? changeMedia(attribute, change, value) : changeRelation(attribute, change, value);
}
