/** Attributes with text, in which agents replace a part: strings, and the texts and links of blocks. */
import type { Document } from "../../../engine/query/select.ts";
import type { ContentType } from "../../../engine/schema/model.ts";
import { validationError } from "../../../lib/errors.ts";
import { isRecord } from "../../../lib/is-record.ts";
import { mapValues } from "../../../lib/records.ts";

const TEXTS: ReadonlySet<string> = new Set(["string", "text", "richtext", "blocks"]);
/** Of nodes of blocks. */
const BLOCK_TEXTS: ReadonlySet<string> = new Set(["text", "url"]);

/** Throws a ValidationError that names the attributes. */
export function expectText(type: ContentType, name: string): void {
  const texts = [...type.attributes.values()].filter(
    (item) => item.kind === "scalar" && !item.system && TEXTS.has(item.type.name),
  );
  const names = texts.map((item) => item.name);
  if (!names.includes(name)) throw validationError(`${name} has no text: ${type.uid} has texts in ${names.join(", ")}`);
}

/** The filter for documents with a text in an attribute, also where blocks have it in other places, such as the names of their nodes. */
export function containsText(type: ContentType, field: string, text: string): Document {
  const attribute = type.attributes.get(field);
  const isStoredAsJson = attribute?.kind === "scalar" && attribute.type.name === "blocks";
  return { [field]: { $contains: isStoredAsJson ? JSON.stringify(text).slice(1, -1) : text } };
}

/** A text, or the texts of blocks, with another one in place of a part. */
export function replaceText(value: unknown, find: string, replace: string, isText = true): unknown {
  if (typeof value === "string") return isText ? value.replaceAll(find, () => replace) : value;
  if (Array.isArray(value)) return value.map((item) => replaceText(item, find, replace, false));
  if (!isRecord(value)) return value;
  return mapValues(value, (inner, key) => replaceText(inner, find, replace, BLOCK_TEXTS.has(key)));
}
