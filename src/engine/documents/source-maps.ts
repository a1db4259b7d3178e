/**
 * Content source maps: strings of a response carry invisibly which document and field they are from, so that a page in the preview
 * knows what is clicked. Requests ask for them with the header `strapi-encode-source-maps: true`.
 */

import type { Budget } from "../../lib/budget.ts";
import { toText } from "../../lib/coerce.ts";
import { isRecord } from "../../lib/is-record.ts";
import { findEntrySchema } from "../schema/entries.ts";
import { type Attribute, findType, hasPolymorphicTargets, type Model, type Schema } from "../schema/model.ts";

/** The types whose strings are encoded, as in Strapi: no `uid`, since it is part of URLs. */
const ENCODED_TYPES: ReadonlySet<string> = new Set([
  "string",
  "text",
  "richtext",
  "biginteger",
  "date",
  "time",
  "datetime",
  "timestamp",
  "boolean",
  "enumeration",
  "json",
  "media",
  "email",
  "password",
]);

/** `createdAt` and `updatedAt` are encoded, as in Strapi. */
const EXCLUDED: ReadonlySet<string> = new Set(["publishedAt", "locale", "localizations"]);

type Values = Readonly<Record<string, unknown>>;

/** The entry of a response that is encoded. */
interface Root {
  readonly model: Model;
  readonly budget: Budget;
  readonly documentId: unknown;
  readonly locale: unknown;
}

interface Place {
  readonly schema: Schema;
  readonly type: string;
  /** With indices, from the root. */
  readonly path: string;
  readonly fieldPath?: string;
}

function encodeText(root: Root, text: string, { schema, type, path, fieldPath }: Place): string {
  const { vercelStegaCombine } = require("@vercel/stega") as typeof import("@vercel/stega");
  const source = new URLSearchParams({ documentId: String(root.documentId), type, path, model: schema.uid });
  if (schema.modelType === "contentType") source.set("kind", schema.kind);
  if (root.locale) source.set("locale", String(root.locale));
  if (fieldPath) source.set("fieldPath", fieldPath);
  const encoded = vercelStegaCombine(text, { strapiSource: source.toString() }, false);
  root.budget.take("characters", encoded.length - text.length);
  return encoded;
}

type Encode = (text: string) => string;

/** Encodes the first text below a node; undefined if there is none. */
function encodeFirstText(node: unknown, encode: Encode): Values | undefined {
  if (!isRecord(node)) return undefined;
  if (node.type === "text" && typeof node.text === "string") return { ...node, text: encode(node.text) };
  if (!Array.isArray(node.children)) return undefined;
  for (const [index, child] of node.children.entries()) {
    const encoded = encodeFirstText(child, encode);
    if (encoded) return { ...node, children: node.children.with(index, encoded) };
  }
  return undefined;
}

const encodeInline = (block: Values, encode: Encode): Values => encodeFirstText(block, encode) ?? block;

/** Own code may return what no document has: Strapi then leaves all of it as it is. */
class Unreadable extends Error {}

/** Each item has a marker of its own. */
function encodeList(list: Values, encode: Encode): Values {
  if (!Array.isArray(list.children)) throw new Unreadable();
  const children = list.children.map((child: unknown) => {
    if (!isRecord(child)) return child;
    if (child.type === "list-item") return encodeInline(child, encode);
    return child.type === "list" ? encodeList(child, encode) : child;
  });
  return { ...list, children };
}

/** The alternative text: a page uses the URL as it is. */
function encodeImage(block: Values, encode: Encode): Values {
  const { image } = block;
  if (!isRecord(image) || typeof image.alternativeText !== "string" || image.alternativeText === "") return block;
  return { ...block, image: { ...image, alternativeText: encode(image.alternativeText) } };
}

/** One marker for each visible block. Code has none, since clients show it as it is. */
const blockEncoders: Readonly<Record<string, (block: Values, encode: Encode) => Values>> = {
  paragraph: encodeInline,
  heading: encodeInline,
  quote: encodeInline,
  list: encodeList,
  image: encodeImage,
};

const encodeBlock = (block: unknown, encode: Encode): unknown =>
  isRecord(block) ? (blockEncoders[String(block.type)]?.(block, encode) ?? block) : block;

/** The attribute that was last entered: Strapi reads it also for the attributes that follow that one. */
interface Entered {
  readonly attribute: Attribute;
  readonly path: string;
}

function encodeValues(root: Root, schema: Schema, values: Values, path: string, parent?: Entered): Values {
  let entered = parent;
  const encoded: Record<string, unknown> = { ...values };
  for (const [name, value] of Object.entries(values)) {
    const attribute = schema.attributes.get(name);
    if (!attribute || value === null || value === undefined) continue;
    const ownPath = path === "" ? name : `${path}.${name}`;
    const type = attribute.kind === "scalar" ? attribute.type.name : attribute.kind;
    if (type === "blocks" && Array.isArray(value)) {
      const place = { schema, type, path: ownPath, fieldPath: ownPath };
      encoded[name] = value.map((block) => encodeBlock(block, (text) => encodeText(root, text, place)));
    } else if (typeof value === "string" && ENCODED_TYPES.has(type) && !EXCLUDED.has(name)) {
      // files of a list share a path, so that the page marks them as one field
      const isInFiles = entered?.attribute.kind === "media" && entered.attribute.many;
      encoded[name] = encodeText(root, value, { schema, type, path: isInFiles ? `${entered!.path}.${name}` : ownPath });
    }
    if (attribute.kind === "scalar" || (attribute.kind === "zone" && !Array.isArray(value))) continue;
    const parentOfEntries = { attribute, path: ownPath };
    entered = parentOfEntries;
    const encodeEntry = (entry: unknown, entryPath: string): unknown => {
      if (!isRecord(entry)) {
        if (entry === null && attribute.kind === "relation" && !attribute.target) throw new Unreadable();
        return entry;
      }
      const named = hasPolymorphicTargets(attribute) ? toText(entry.__type) : "";
      const target =
        findEntrySchema(root.model, attribute, entry) ??
        findType(root.model, named) ??
        root.model.components.get(named);
      return target ? encodeValues(root, target, entry, entryPath, parentOfEntries) : entry;
    };
    if (Array.isArray(value)) encoded[name] = value.map((entry, index) => encodeEntry(entry, `${ownPath}.${index}`));
    else if (isRecord(value)) encoded[name] = encodeEntry(value, ownPath);
  }
  return encoded;
}

function encodeDocument(root: Root, schema: Schema, document: Values): Values {
  try {
    return encodeValues(root, schema, document, "");
  } catch (error) {
    if (error instanceof Unreadable) return document;
    throw error;
  }
}

/**
 * Encodes the source maps of a document, or of a list. The characters that they add are taken from the budget; rejects with a
 * ValidationError beyond it.
 */
export async function encodeSourceMaps(model: Model, schema: Schema, data: unknown, budget: Budget): Promise<unknown> {
  if (Array.isArray(data)) {
    const encoded: unknown[] = [];
    for (const item of data) encoded.push(await encodeSourceMaps(model, schema, item, budget));
    return encoded;
  }
  if (!isRecord(data)) return data;
  const encoded = encodeDocument({ model, budget, documentId: data.documentId, locale: data.locale }, schema, data);
  budget.checkTime();
  if (budget.isPauseDue) await budget.pause();
  return encoded;
}
